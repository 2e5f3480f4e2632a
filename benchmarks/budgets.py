"""What audits may take, and what they take: seconds of one processor and the most memory held.

    SIGHTLINE_DATA=DIR python benchmarks/budgets.py [--only CASE] [--before DIR] [--out FILE]
        [--models DIR]

Each case is a command in a process of its own, with one thread. `--before` is the source of an
older version (the folder `src` of a worktree of it): then each is run with that, too, on the same
trained model, with the flags that it has. A version without audits that stop takes all measures. A
case that `--out` has already is not run again; models that `--models` has are not trained again.
Budgets are for a machine on which nothing else
runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from forecast import BY_PROCESSOR, Ran, run

DATA = Path(os.environ.get("SIGHTLINE_DATA", ""))
MINILM, SST, IMDB = (
    f"hf:{DATA / 'models' / 'minilm-sst'}",
    f"sst:{DATA / 'sst'}",
    f"imdb:{DATA / 'imdb' / 'aclImdb_v1_labelled.tar.gz'}",
)
MB = 10**6


@dataclass(frozen=True)
class Case:
    """A command, and the seconds and bytes that it may take; a model that is trained first is
    trained by a command of its own, which does not count.
    """

    audit: tuple[str, ...]
    seconds: float
    megabytes: float = 1000
    trained: tuple[str, ...] = ()


BILSTM = ("--model", "bilstm+additive", "--epochs", "2", "--controls", "none")
CASES: Mapping[str, Case] = {
    "MiniLM on SST, a verdict": Case(("--model", MINILM, "--data", SST, "--max-texts", "114"), 60),
    "MiniLM on SST, a head, a verdict": Case(
        ("--model", MINILM, "--data", SST, "--attention", "layer=5,head=3", "--max-texts", "114"),
        90,
    ),
    "MiniLM on SST, all sources": Case(
        ("--model", MINILM, "--data", SST, "--attention", "all", "--limit", "200"), 240, 1500
    ),
    "MiniLM on IMDB, 200 words a text": Case(
        ("--model", MINILM, "--data", IMDB, "--max-tokens", "200", "--max-texts", "114"), 600
    ),
    "BiLSTM on SST, a verdict": Case(
        ("--data", SST, "--max-texts", "1725"), 10, trained=(*BILSTM, "--data", SST)
    ),
    "BiLSTM on SST, 1,725 texts, full": Case(
        ("--data", SST, "--limit", "1725", "--full"), 120, trained=(*BILSTM, "--data", SST)
    ),
    "BiLSTM on IMDB, 300 texts, full": Case(
        ("--data", IMDB, "--limit", "300", "--full"), 400, 1500, (*BILSTM, "--data", IMDB)
    ),
}


FIRST_FLAGS: Mapping[str, tuple[str, ...]] = {
    "--full": (),
    "--max-texts": ("--limit",),
    "--attention": ("--reading",),
    "--controls": ("--companions",),
}
"""What the flags of the cases were called at first; then every audit was a full one."""
FIRST_NAME = (
    "import importlib.metadata as m; known = m.version; "
    "m.version = lambda name: known('sightline-audit' if name == 'sightline' else name)"
)
"""Gives the version of the installed distribution by the name that it had at first."""


def main() -> None:
    """Run the cases, and print one JSON line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--models", type=Path, help="where trained models are kept")
    asked = parser.parse_args()
    known = asked.out.read_text(encoding="utf-8") if asked.out and asked.out.exists() else ""
    done = {json.loads(line)["case"] for line in known.splitlines()}
    with TemporaryDirectory() as folder:
        for name in [asked.only] if asked.only else CASES:
            if name in done:
                continue
            room = Path(folder)
            line = json.dumps(taken(name, room, asked.models or room, asked.before))
            print(line, flush=True)
            if asked.out:
                with asked.out.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")


def taken(name: str, room: Path, models: Path, before: Path | None) -> dict[str, Any]:
    """Run one case, and say whether it keeps to its budget."""
    case = CASES[name]
    model: tuple[str, ...] = ()
    if case.trained:
        folder = models / case.trained[-1].replace("/", "-").replace(":", "-")
        if not folder.exists():
            run(("train", *case.trained, "--out", str(folder), "--json"))
        model = ("--model", str(folder))
    command = ("audit", *model, *case.audit, "--out", f"{room}/page.html", "--json")
    found = run(command)
    about = json.loads(found.printed)
    return {
        "case": name,
        **_numbers(found),
        "seconds_budget": case.seconds,
        "mb_budget": case.megabytes,
        "met": found.seconds <= case.seconds and found.bytes <= case.megabytes * MB,
        "verdict": about["verdict"],
        "before": None if before is None else _with(before, command),
    }


def _with(source: Path, command: tuple[str, ...]) -> dict[str, Any]:
    """Run the same with another version, which may lack an option of it."""
    program = BY_PROCESSOR
    if (source / "sightline" / "cli" / "door.py").exists():  # the way in was called so at first
        program = f"{FIRST_NAME}; {program.replace('cli.entry_point', 'cli.door')}"
        command = tuple(new for old in command for new in FIRST_FLAGS.get(old, (old,)))
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(source)
    try:
        return _numbers(run(command, program))
    except (RuntimeError, subprocess.CalledProcessError) as error:
        return {"error": str(error)[-200:]}
    finally:
        os.environ.pop("PYTHONPATH")
        if path is not None:
            os.environ["PYTHONPATH"] = path


def _numbers(found: Ran) -> dict[str, float]:
    return {"seconds": round(found.seconds, 1), "mb": round(found.bytes / MB)}


if __name__ == "__main__":
    sys.exit(main())
