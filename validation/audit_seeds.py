"""Audit one model on one set of texts under many seeds of the audit, and count the verdicts.

``python validation/audit_seeds.py OUT.json [--seeds N] [--texts N ...]`` audits models of
`known_cases`, some near a threshold and some far from all. It uses nothing that an earlier
commit lacks, so it also runs on such a commit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from known_cases import CASES, FULL

import sightline

MODELS = ("an honest map", "one of three cues shown", "right on 42% of the texts")
"""Far from every threshold; near the threshold of Transfer; near the threshold of Transfer and
below the threshold of Share of texts."""
SEEDS, TEXTS = 20, (100, 300)


def counted(name: str, texts: int, seeds: int) -> dict[str, Any]:
    """Audit a sample of the same texts, drawn once, under each seed."""
    made, data, others = next(case for case in CASES if case.name == name).make(0)
    data = replace(data, test=data.test[:texts])
    rows: list[int] = []
    close: list[list[str]] = []
    classes: dict[str, list[int]] = {}
    scores: dict[str, list[list[float]]] = {}
    for seed in range(seeds):
        audit = sightline.audit(made, data, seed=seed, **FULL, **others)
        rows.append(audit.verdict.row)
        close.append([f"{call.code} {call.of}".strip() for call in audit.verdict.close])
        for of, one in audit.verdict.by_class.items():
            classes.setdefault(of, []).append(one.row)
        for one in audit.findings:
            if one.score is not None and one.role != "informational":
                kept = (one.score.value, one.score.low, one.score.high)
                scores.setdefault(one.code, []).append([round(value, 4) for value in kept])
    return {
        "model": name,
        "texts": texts,
        "seeds": seeds,
        "rows": dict(Counter(rows)),
        "close": close,
        "classes": {of: dict(Counter(found)) for of, found in classes.items()},
        "scores": scores,
    }


def main() -> int:
    """Audit each model with each number of texts, and write the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--texts", type=int, nargs="+", default=TEXTS)
    flags = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found: list[dict[str, Any]] = []
    for texts in flags.texts:
        for name in MODELS:
            found.append(counted(name, texts, flags.seeds))
            print(
                time.strftime("%H:%M:%S"),
                texts,
                name,
                found[-1]["rows"],
                found[-1]["classes"],
                flush=True,
            )
            flags.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
