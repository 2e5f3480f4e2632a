"""The full counts behind the promises: ``python validation/verify.py [--only NAME]``.

A study (``sightline study NAME``) keeps the numbers read from its runs in
``docs/verified/results.csv.gz``, and its runs in ``--store``: a killed one resumes.
``reproduction`` counts what a store has of the papers' tables, and runs nothing. Every other name
is a campaign, which writes ``docs/verified/NAME.json``; its script describes it.
``tiny_berts`` is a campaign that keeps its runs in ``--store``, too. Whatever needs the published
corpora is left out if they are not available.

``--dry-run`` says what is left, for names that keep their runs; ``--so-far`` counts the finished
runs; ``--go-on`` runs only what neither the store nor the results file has; ``--seeds N`` takes
only the first few seeds, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chaos import chaos, shared
from checkout import RESULTS_FILE, STORE, VERIFIED
from covered import coverage
from exact import exact
from families import families
from fuzzed import fuzzed
from known_vectors import known_vectors
from large import large
from notes import notes
from planted_heads import planted_heads
from published import FOLDER, at_hand, published_data
from repeats import repeats
from resumed import resumed
from sst_bert import sst_bert
from tiny_berts import tiny_berts

from sightline.cli.app import run
from sightline.studies.study_catalogue import ALL, CALIBRATIONS, without_corpora

REPRODUCTION = "reproduction"
"""All tables and figures of the papers; this name runs nothing."""
BERTS = "tiny_berts"
"""This campaign trains models outside of any study, and still keeps its runs in ``--store``."""
MEASURED: Mapping[str, Callable[[], dict[str, Any]]] = {
    "data": published_data,
    "vectors": known_vectors,
    "chaos": chaos,
    "fuzz": fuzzed,
    "shared": shared,
    "resumed": resumed,
    "repeats": repeats,
    "large": large,
    "notes": notes,
    "coverage": coverage,
    "families": families,
    "planted_heads": planted_heads,
    "sst_bert": sst_bert,
    "exact": exact,
}
"""The campaigns."""
STUDIES = (*(name for name in CALIBRATIONS if name != "thresholds"), REPRODUCTION)
"""The studies; ``validation/set_thresholds.py`` writes the study behind the thresholds."""
WITHOUT = {*without_corpora(), *MEASURED, BERTS} - {"data", "vectors", "sst_bert"}
"""Names that need no published corpora."""


def study(name: str, flags: argparse.Namespace) -> int:
    """Run a study by the command line; return 1 if a gate fails."""
    return run([*_command(name, flags)])


def _command(name: str, flags: argparse.Namespace) -> Iterator[str]:
    yield from ("study", ALL if name == REPRODUCTION else name, "--store", str(flags.store))
    yield from ("--workers", str(flags.workers))
    yield from () if name in WITHOUT else ("--data", str(FOLDER))
    yield from (
        ("--results", str(RESULTS_FILE)) if flags.seeds is None else ("--seeds", str(flags.seeds))
    )
    asked = {"--dry-run": flags.dry_run, "--skip-counted": flags.go_on}
    yield from (flag for flag, wanted in asked.items() if wanted)
    if (flags.so_far or name == REPRODUCTION) and not flags.dry_run:
        yield "--so-far"


def campaign(name: str, flags: argparse.Namespace) -> int:
    """Run a campaign and write its file; return 1 if a gate fails."""
    if (result := _counted(name, flags)) is None:
        return 0
    if name != BERTS or flags.seeds is None:
        VERIFIED.mkdir(parents=True, exist_ok=True)
        (VERIFIED / f"{name}.json").write_text(
            json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
    print("\n".join(_line(gate) for gate in result["gates"]))
    return int(not all(gate["holds"] for gate in result["gates"]))


def _counted(name: str, flags: argparse.Namespace) -> Mapping[str, Any] | None:
    """Run a campaign; return None if it was only asked what is left to do."""
    if name == BERTS:
        return tiny_berts(flags)
    return None if flags.dry_run or flags.so_far else MEASURED[name]()


def _line(gate: Mapping[str, Any]) -> str:
    said = "holds" if gate["holds"] else "BROKEN"
    return f"{said}  {gate['name']}: {gate['count']} of {gate['of']} ({gate['limit']})"


def _wanted(name: str, only: str | None) -> bool:
    # If the corpora are not available, their committed counts stay.
    return name == only or (only is None and (name in WITHOUT or at_hand()))


def main() -> int:
    """Run the requested names, write the files, and fail if a gate fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = (*MEASURED, BERTS, *STUDIES)
    parser.add_argument("--only", choices=names)
    parser.add_argument(
        "--store", type=Path, default=STORE, help="where runs are kept; a killed study resumes"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--seeds", type=int, help="take only the first few seeds, and write nothing"
    )
    parser.add_argument("--so-far", action="store_true", help="run nothing: count finished runs")
    parser.add_argument(
        "--go-on", action="store_true", help="run what neither the store nor the results file has"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what is left to run, and run nothing"
    )
    flags = parser.parse_args()
    broken = 0
    for name in (name for name in names if _wanted(name, flags.only)):
        broken += study(name, flags) != 0 if name in STUDIES else campaign(name, flags)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
