"""Set δ of every finding and the fewest texts of a verdict, on planted corpora alone.

    python scripts/set_thresholds.py

The rule, fixed before the numbers were seen: δ is a quarter of the median effect that learned attention shows on
planted evidence of moderate strength (two corpora, two encoders, seeds 1000–1019, which the calibration does not
use), rounded to two digits and at least .01. An attention that does a quarter as well as one that has learned
moderate evidence does too little to matter.

One exception was made after the first run on these corpora: SL-001 takes the MLP cells
alone. Attention is needed where states do not see each other; a BiLSTM carries the evidence to every state, so there
the claim is not true by construction, and a quarter of its median would be a quarter of nothing.

The fewest texts are the smallest of 25, 50, 100 and 200 with which
SL-101, 102, 104 and 301 are all supported in at least 95 % of the MLP cells.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

from sightline.studies.calibration import CORPORA, ENCODERS, Cell, sweep

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src" / "sightline" / "findings" / "thresholds.json"
KEPT = ROOT / "build" / "thresholds.jsonl"
SEEDS = range(1000, 1020)
SIZES = (25, 50, 100, 200)
MEASURES = ("need", "retrained", "agreement", "reach", "permutation", "erasure")
TESTED = ("SL-101", "SL-102", "SL-104", "SL-301")
TRUE_IN = {"SL-001": ("mlp",)}
SHARE, LEAST, POWER = 0.25, 0.01, 0.95
FIRST = 0.03
"""δ while δ is not known: which comparison of SL-001 is the weakest depends on it, a little."""


def deltas(results: list[dict[str, Any]]) -> dict[str, float]:
    """Take a quarter of the median effect of each finding, over the cells in which its claim is true."""
    codes = sorted({code for result in results for code in result["findings"]})
    true = {code: [r for r in results if _counts(r, code)] for code in codes}
    medians = {code: median(r["findings"][code]["effect"] for r in held) for code, held in true.items()}
    return {code: max(LEAST, round(SHARE * middle, 2)) for code, middle in medians.items()}


def _counts(result: dict[str, Any], code: str) -> bool:
    return code in result["findings"] and result["encoder"] in TRUE_IN.get(code, ENCODERS)


def powers(results: list[dict[str, Any]], delta: dict[str, float]) -> float:
    """Share of cells in which every tested finding is supported at these δ."""
    passed = [all(r["findings"][code]["low"] > delta[code] for code in TESTED) for r in results]
    return sum(passed) / len(passed)


def cells(encoders: tuple[str, ...], measures: tuple[str, ...], texts: int | None = None) -> list[Cell]:
    """List the planted cells of every seed."""
    return [Cell("planted", e, c, seed, texts, measures, FIRST) for e in encoders for c in CORPORA for seed in SEEDS]


def tell(done: int, total: int) -> None:
    """Print how far the sweep is."""
    if done % 10 == 0 or done == total:
        print(f"{done}/{total}", file=sys.stderr)


def main() -> None:
    """Run the cells and write the file."""
    delta = deltas(sweep(cells(tuple(ENCODERS), MEASURES), KEPT, 2, tell))
    power = {n: powers(sweep(cells(("mlp",), ("agreement", "erasure"), n), KEPT, 2, tell), delta) for n in SIZES}
    enough = [n for n in SIZES if power[n] >= POWER]
    stored = {
        "delta": delta,
        "minimum_texts": min(enough, default=max(SIZES)),
        "power": {str(n): share for n, share in power.items()},
        "set_by": "scripts/set_thresholds.py",
        "corpora": dict(CORPORA),
        "encoders": dict(ENCODERS),
        "seeds": [min(SEEDS), max(SEEDS)],
    }
    TARGET.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(stored, indent=2))


if __name__ == "__main__":
    main()
