"""What δ of every finding and the fewest texts of a verdict are set from: planted corpora alone.

δ is a share of the median effect that learned attention shows on planted evidence of moderate strength. The fewest
texts are the smallest of `SIZES` with which every finding of `TESTED` is supported in nearly all of the MLP runs.
`scripts/set_thresholds.py` says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from sightline.audits import Audit
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.judge import judge
from sightline.findings.thresholds import Thresholds
from sightline.spec.values import RunSpec
from sightline.studies.calibration import CORPORA, ENCODERS, learned
from sightline.studies.study import grid_of

SEEDS = range(1000, 1020)
"""Seeds that the calibration does not use."""
SIZES = (25, 50, 100, 200)
TESTED = ("SL-101", "SL-102", "SL-104", "SL-301")
TRUE_IN: Mapping[str, tuple[str, ...]] = {"SL-001": ("mlp",)}
"""The encoders in which a claim is true by construction, where those are not all."""
SHARE, LEAST, POWER = 0.25, 0.01, 0.95
FIRST = 0.03
"""δ while δ is not known: which comparison of SL-001 is the weakest depends on it, a little."""
ALL = "all"


def grid(seeds: Sequence[int] = SEEDS) -> Grid:
    """List the whole audits that effects are taken from, and those of few texts that show what few can tell."""
    return grid_of("thresholds", ("encoder", "corpus", "texts", "seed"), _cells(seeds))


def _cells(seeds: Sequence[int]) -> Iterator[tuple[tuple[str, ...], RunSpec]]:
    for seed in seeds:
        for corpus in CORPORA:
            for encoder in ENCODERS:
                whole = replace(learned(encoder, corpus, seed), companions=("uniform",))
                yield (encoder, corpus, ALL, str(seed)), whole
            for texts in SIZES:
                few = replace(learned("mlp", corpus, seed), limit=texts, measures=("agreement", "erasure"))
                yield ("mlp", corpus, str(texts), str(seed)), few


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Set δ and the fewest texts; there are no gates."""
    runs = list(zip(grid.labels, grid.cells, grid.keys, strict=True))
    whole = [(label[0], effects(store.audit(key), cell.seed)) for label, cell, key in runs if label[2] == ALL]
    delta = deltas(whole)
    found = store.find(key for label, _, key in runs if label[2] != ALL)
    power = {n: powers([found[key] for label, _, key in runs if label[2] == str(n)], delta) for n in SIZES}
    seeds = [spec.seed for spec in grid.cells]
    return {
        "delta": delta,
        "minimum_texts": min((n for n in SIZES if power[n] >= POWER), default=max(SIZES)),
        "power": {str(n): share for n, share in power.items()},
        "set_by": "scripts/set_thresholds.py",
        "corpora": dict(CORPORA),
        "encoders": dict(ENCODERS),
        "seeds": [min(seeds), max(seeds)],
    }


def effects(audit: Audit, seed: int) -> dict[str, float]:
    """Judge what was measured once more, at one δ for all findings: no effect may rest on the δ of before."""
    once = Thresholds(dict.fromkeys(CLAIMS, FIRST), 1)
    found = judge(Evidence(audit.measurements, tuple(audit.cards["model"]["labels"]), once, seed)).findings
    return {finding.code: finding.effect.value for finding in found if finding.effect is not None}


def deltas(found: list[tuple[str, dict[str, float]]]) -> dict[str, float]:
    """Take a quarter of the median effect of each finding, over the runs, by encoder, in which its claim is true."""
    codes = sorted({code for _, effects in found for code in effects})
    true = {
        code: [
            effects[code] for encoder, effects in found if code in effects and encoder in TRUE_IN.get(code, ENCODERS)
        ]
        for code in codes
    }
    return {code: max(LEAST, round(SHARE * median(effects), 2)) for code, effects in true.items()}


def powers(runs: list[Summary], delta: Mapping[str, float]) -> float:
    """Share of runs in which every tested finding is supported at these δ."""
    lows = [{code: estimate.low for code in TESTED if (estimate := run.estimate(code))} for run in runs]
    return sum(all(low[code] > delta[code] for code in TESTED) for low in lows) / len(runs)
