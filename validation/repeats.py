"""One audit, repeated while only irrelevant things change: hash seed, locale, memory, batches,
workers.
A model is trained and audited once on a table of texts in several scripts, and then for each row of
`REPEATS` in a process of its own. Where equal bits are promised, all files and arrays are compared
byte by byte; where 1e-9 is promised, by number.
"""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gates import every

from sightline.audits.audit_storage import ARRAYS, SUMMARY, TEXTS

Settings = Mapping[str, str]
Run = Callable[[Path, Settings], Path]
"""Makes the audit in its own folder, under an environment, and returns where it was saved."""
SAME, NEAR = 1e-9, "1e-9"
TABLE, MODEL, EPOCHS, LIMIT = "reviews.csv", "mlp(hidden=8)+additive", 12, 40
FLAGS = (
    "--data",
    f"../{TABLE}",
    "--model",
    MODEL,
    "--epochs",
    str(EPOCHS),
    "--limit",
    str(LIMIT),
    "--threads",
    "1",
    "--full",
)
WORDS = (
    "the film was a story naïve café Straße früh δεν ήταν очень фильм 映画 は 良い très longue nuit "
    "слово"
)
PLAIN: Settings = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
ASCII: Settings = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale without letters beyond ASCII, and a Python that must not choose UTF-8 by itself."""

STUDY = f"""
name = "repeats"
[base]
data = "csv:../{TABLE}"
model = "{MODEL}"
limit = {LIMIT}
[base.fit]
epochs = {EPOCHS}
[axes]
seed = [0, 1]
"""
IN_BATCHES = f"""
import sys, torch
from sightline.api.audit import audit_source
from sightline.api.model_source import choose
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.config.spec_syntax import parse_data

torch.set_num_threads(1)
training, options = TrainingOptions(epochs={EPOCHS}), AuditOptions(limit={LIMIT})
source = choose(parse_data("csv:../{TABLE}"), "{MODEL}", training, options)
audit_source(source, batch_size=int(sys.argv[1]))[1].save("audit")
"""


def audited(*more: str) -> Run:
    """Audit by the command."""

    def run(folder: Path, settings: Settings) -> Path:
        _python(
            folder,
            settings,
            "-m",
            "sightline",
            "audit",
            *FLAGS,
            "--save",
            "audit",
            "--quiet",
            *more,
        )
        return folder / "audit"

    return run


def in_batches(size: int) -> Run:
    """Audit from Python, so many texts at a time."""

    def run(folder: Path, settings: Settings) -> Path:
        _python(folder, settings, "-c", IN_BATCHES, str(size))
        return folder / "audit"

    return run


def studied(workers: int) -> Run:
    """Audit as a run of a study."""

    def run(folder: Path, settings: Settings) -> Path:
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        flags = ("study.toml", "--store", "store", "--workers", str(workers), "--quiet")
        _python(folder, settings, "-m", "sightline", "study", *flags)
        found = {
            _summary(place.parent)["spec"]["seed"]: place.parent
            for place in folder.glob(f"store/runs/??/*/{SUMMARY}")
        }
        return found[0]

    return run


def _python(folder: Path, settings: Settings, *words: str) -> None:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))
    }
    command = [sys.executable, *words]
    subprocess.run(
        command, cwd=folder, env=kept | PLAIN | settings, check=True, stdout=subprocess.DEVNULL
    )


@dataclass(frozen=True)
class Repeat:
    """What is changed, and whether equal bits are promised, or numbers equal to 1e-9."""

    name: str
    run: Run = field(default_factory=audited)
    settings: Settings = field(default_factory=dict)
    to_the_bit: bool = True


REPEATS = (
    Repeat("nothing changed"),
    Repeat("another hash seed", settings={"PYTHONHASHSEED": "1"}),
    Repeat("a hash seed drawn by Python", settings={"PYTHONHASHSEED": "random"}),
    Repeat("an ASCII locale", settings=ASCII),
    Repeat(
        "an ASCII locale, another hash seed and time zone",
        settings={**ASCII, "PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"},
    ),
    Repeat("memory for 64 words at a time", audited("--memory", "1M"), to_the_bit=False),
    Repeat("memory for everything at once", audited("--memory", "4G"), to_the_bit=False),
    Repeat("batches of 1", in_batches(1), to_the_bit=False),
    Repeat("batches of 7", in_batches(7), to_the_bit=False),
    Repeat("a run of a study", studied(1)),
    Repeat("a run of a study on 2 workers", studied(2)),
    Repeat(
        "a run of a study on 2 workers, an ASCII locale, another hash seed",
        studied(2),
        {**ASCII, "PYTHONHASHSEED": "3"},
    ),
)


def repeats() -> dict[str, Any]:
    """Make the audit once, and once more for each repeat, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder) / TABLE)
        first = made(Repeat("first"), Path(folder))
        rows = [_compared(one, first, made(one, Path(folder))) for one in REPEATS]
    bits = [row["equal_to_the_bit"] for row in rows if row["promised"] != NEAR]
    near = [row["largest_difference"] <= SAME for row in rows if row["promised"] == NEAR]
    return {
        "model": MODEL,
        "rows": rows,
        "gates": [
            _gate("equal to the bit where that is promised", bits),
            _gate(f"equal to {NEAR} where that is promised", near),
        ],
    }


def write_table(path: Path, texts: int = 200) -> Path:
    """Write texts in several scripts; one word of each tells the label."""
    drawn = random.Random(5)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        for number in range(texts):
            words = [
                *drawn.choices(WORDS.split(), k=6 + number % 4),
                ("schön", "плохо")[number % 2],
                f"n{number}",
            ]
            writer.writerow(
                (" ".join(drawn.sample(words, len(words))), ("gut", "плохо")[number % 2])
            )
    return path


def made(one: Repeat, folder: Path) -> Path:
    """Make the audit in a folder of its own, next to the table."""
    place = folder / one.name
    place.mkdir()
    return one.run(place, one.settings)


def _compared(one: Repeat, first: Path, again: Path) -> dict[str, Any]:
    apart = difference(first, again)
    return {
        "changed": one.name,
        "promised": "equal bits" if one.to_the_bit else NEAR,
        "equal_to_the_bit": same_bits(first, again),
        "largest_difference": apart,
    }


def same_bits(first: Path, again: Path) -> bool:
    """Whether two saved audits are equal byte by byte, except the command line and the time of
    writing.
    """
    return (
        (first / TEXTS).read_bytes() == (again / TEXTS).read_bytes()
        and json.dumps(_summary(first)) == json.dumps(_summary(again))
        and same_arrays(first, again)
    )


def same_arrays(first: Path, again: Path) -> bool:
    """Whether the arrays of two saved audits are equal byte by byte; the files themselves contain
    the time of writing.
    """
    here, there = _arrays(first), _arrays(again)
    return [*here] == [*there] and all(
        here[name].tobytes() == there[name].tobytes() and here[name].dtype == there[name].dtype
        for name in here
    )


def difference(first: Path, again: Path) -> float:
    """Give the largest difference between two numbers of two saved audits; infinity if anything
    else differs.
    """
    here, there = _arrays(first), _arrays(again)
    lines = [dict(_leaves(_summary(place))) for place in (first, again)]
    if [*here] != [*there] or [*lines[0]] != [*lines[1]]:
        return float("inf")
    return max(
        *(_apart(here[name], there[name]) for name in here),
        *(_apart(value, lines[1][name]) for name, value in lines[0].items()),
    )


def _apart(one: Any, other: Any) -> float:
    if isinstance(one, str | bool | None) or isinstance(other, str | bool | None):
        return 0.0 if one == other else float("inf")
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape or not np.array_equal(np.isnan(one), np.isnan(other)):
        return float("inf")
    return float(np.nan_to_num(np.abs(one.astype(float) - other.astype(float))).max(initial=0.0))


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else None
    )
    if inside is None:
        yield name, value
        return
    for key, item in inside:
        yield from _leaves(item, f"{name}.{key}")


def _summary(place: Path) -> dict[str, Any]:
    """Read the summary of a saved audit, without the command line and a study's hash of the table's
    bytes.
    """
    summary: dict[str, Any] = json.loads((place / SUMMARY).read_text(encoding="utf-8"))
    spec = summary["spec"]
    kept = {name: value for name, value in spec.items() if name not in ("command", "key")}
    return summary | {
        "spec": kept | {"run": spec["run"] | {"data": spec["run"]["data"] | {"digest": ""}}}
    }


def _arrays(place: Path) -> dict[str, np.ndarray]:
    with np.load(place / ARRAYS) as arrays:
        return dict(arrays)


def _gate(name: str, held: list[bool]) -> dict[str, Any]:
    return every(f"repeats: {name}", held)
