"""Two thousand random command lines, by kind: how they ended, what they took, and the faults
found.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from checkout import ROOT

from sightline.studies.study_definition import gate

sys.path.insert(0, str(ROOT))

from tests.fuzz.kinds import KINDS
from tests.fuzz.watching import BYTES, CODES, SECONDS, Ended, Watch

CASES, FIRST = 2_000, 10_000
"""The number of command lines, and the first number of each kind: the tests begin at 0."""


def fuzzed(cases: int = CASES) -> dict[str, Any]:
    """Play all command lines; keep each with a fault by its kind and number, to be played again."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Watch(Path(folder)) as watch:
        kinds, faults = [], []
        for kind, (drawn, share) in KINDS.items():
            seeds = [f"{kind} {FIRST + number}" for number in range(cases * share // 100)]
            ended = {seed: watch.play(drawn, seed)[1] for seed in seeds}
            kinds.append(_kind(kind, list(ended.values())))
            faults += [
                {"seed": seed, "faults": list(one.faults)}
                for seed, one in ended.items()
                if one.faults
            ]
            print(f"{kinds[-1]}", file=sys.stderr, flush=True)
    played = sum(kind["cases"] for kind in kinds)
    return {
        "cases": played,
        "limits": {"codes": list(CODES), "seconds": SECONDS, "bytes": BYTES},
        "minutes": round((time.monotonic() - began) / 60, 1),
        "kinds": kinds,
        "faults": faults,
        "gates": [
            _gate("played", played, cases),
            _gate("code 0, 2 or 4, soon, and nothing left behind", played - len(faults), played),
        ],
    }


def _kind(kind: str, ended: list[Ended]) -> dict[str, Any]:
    codes = Counter(str(one.code) for one in ended)
    return {
        "kind": kind,
        "cases": len(ended),
        "codes": dict(sorted(codes.items())),
        "faults": sum(bool(one.faults) for one in ended),
        "most_seconds": round(max(one.seconds for one in ended), 1),
        "most_mib": max(one.bytes for one in ended) >> 20,
    }


def _gate(name: str, count: int, of: int) -> dict[str, Any]:
    return gate(f"odd command lines: {name}", count, of, "all", holds=count == of)
