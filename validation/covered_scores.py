"""How often the intervals of scores contain the true score of the population: simulated audits,
2,000 of each kind.

An audit is simulated from a known population (`tests/reference/audited.py`): pairs are drawn by the
package, texts differ in how well they give and take words, and scores are estimated as in an audit.
Clusters of three texts share half of what makes a text good. A score of one predicted class claims
97.5 %, as an audit does of two classes.

Presence is simulated twice: of a map whose score is 0.81, and of one whose score lies near the
threshold (0.24).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from checkout import ROOT

from sightline.core.results import Estimate
from sightline.stats.intervals import LEVEL
from sightline.studies.study_definition import gate

sys.path.insert(0, str(ROOT))  # audits are simulated as in the tests
from tests.reference.audited import COPIES, LEVEL_OF_CLASS, Simulated, truth_of

SIZES, AUDITS, SHORT = (100, 300, 1000), 2000, 0.02
"""An interval may cover the truth at most this much less often than it claims."""
OF = 1
"""The class whose scores are tested; 40 % of the texts are predicted as it."""
ALONE, CLUSTERS = "independent", f"clusters of {COPIES}"
TEXTS = (ALONE, CLUSTERS)


SCORES: Mapping[str, str] = {
    "Transfer (SL-303), margins": "carried",
    "Transfer (SL-303), flips": "flipped",
    "Transfer (SL-303), margins, one class": f"carried of {OF}",
    "Removal (SL-301)": "removed",
    "Own words (SL-304)": "own",
    "Own words (SL-304), one class": f"own of {OF}",
    "Range (SL-305)": "within",
    "Share of texts (SL-308)": "right",
    "Presence (SL-306)": "present",
    "Presence (SL-306), one class": f"present of {OF}",
    "Presence (SL-306), near its threshold": "faintly present",
    "Presence (SL-306), near its threshold, one class": f"faintly present of {OF}",
}
"""The name of each score here, and in a simulated audit."""
NOT_PROMISED = {"Presence (SL-306), one class": (100,)}
"""A score near its best achievable value, and the numbers of texts with which its intervals miss
more often; the documentation says so."""
Held = tuple[bool, bool, float]
"""Whether the truth lies below an interval, above it, and how wide it is."""


def scores(audits: int = AUDITS, workers: int = 2) -> dict[str, Any]:
    """Count, for every score, kind of texts and number of texts, how often the interval contained
    the truth.
    """
    cases = list(product(TEXTS, SIZES))
    with ProcessPoolExecutor(workers) as pool:
        rows = [
            row
            for case in cases
            for row in _rows(case, list(pool.map(partial(_audited, case), range(audits))))
        ]
    rows.sort(key=lambda row: ([*SCORES].index(row["score"]), TEXTS.index(row["texts"]), row["n"]))
    return {
        "audits": audits,
        "rows": rows,
        "gates": [_gate(row, audits) for row in rows if is_promised(row)],
    }


def _audited(case: tuple[str, int], seed: int) -> dict[str, Held]:
    """Simulate one audit, and say for the interval of each score whether it contains the truth."""
    texts, n = case
    found = Simulated(seed, n, texts == CLUSTERS, (OF,)).scores()
    return {title: _held(found[name], truth_of(name)) for title, name in SCORES.items()}


def _held(found: Estimate, truth: float) -> Held:
    return found.low > truth, found.high < truth, found.high - found.low


def _rows(case: tuple[str, int], audits: list[dict[str, Held]]) -> Iterator[dict[str, Any]]:
    texts, n = case
    for title, name in SCORES.items():
        below, above, widths = np.array([one[title] for one in audits], dtype=float).T
        undefined = np.isnan(widths)
        yield {
            "score": title,
            "texts": texts,
            "n": n,
            "level": LEVEL_OF_CLASS if " of " in name else LEVEL,
            "truth": round(truth_of(name), 3),
            "held": round(float((1 - below - above)[~undefined].mean()), 4),
            "truth_below": int(below.sum()),
            "truth_above": int(above.sum()),
            "without_interval": int(undefined.sum()),
            "median_width": round(float(np.nanmedian(widths)), 4),
        }


def is_promised(row: Mapping[str, Any]) -> bool:
    """Whether a row has to hold."""
    return row["n"] not in NOT_PROMISED.get(row["score"], ())


def _gate(row: Mapping[str, Any], audits: int) -> dict[str, Any]:
    of = audits - row["without_interval"]
    count, least = of - row["truth_below"] - row["truth_above"], round(row["level"] - SHORT, 3)
    name = f"{row['score']}, {row['texts']} texts, n = {row['n']}"
    return gate(name, count, of, f"≥ {least}", holds=count >= least * of)
