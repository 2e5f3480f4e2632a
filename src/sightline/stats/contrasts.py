"""Compare an observed number with its chance level and its best achievable value: the score, paired
by text, and p-values where the chance level was sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Estimate
from sightline.numerics.known_values import mean_of_known
from sightline.stats import bootstrap
from sightline.stats.intervals import LEVEL, UNIT, Bounds, known_rows
from sightline.stats.ratios import RatioSums, ratio
from sightline.stats.strata import Strata

Array = np.ndarray


Make = Callable[[], Estimate]


class Contrast:
    """A number, its chance level, and its score: how far it gets from chance to the best possible.

    All three are over the texts where number, chance level and ceiling are all defined. Each is
    estimated on first use, because for a single predicted class only the score is used.
    """

    def __init__(self, number: Make, baseline: Make, score: Make) -> None:
        self._makes = number, baseline, score

    @cached_property
    def number(self) -> Estimate:
        """The observed number."""
        return self._makes[0]()

    @cached_property
    def baseline(self) -> Estimate:
        """Its chance level."""
        return self._makes[1]()

    @cached_property
    def score(self) -> Estimate:
        """Its score: 0 at chance, 1 at the best achievable."""
        return self._makes[2]()


def paired(
    observed: Float[Array, " N"],
    baseline: Float[Array, " N"] | Float[Array, "N R"],
    seed: int,
    ceiling: Float[Array, " N"] | None = None,
    clusters: Int[Array, " N"] | None = None,
    level: float = LEVEL,
    bounds: Bounds = UNIT,
    classes: Int[Array, " N"] | None = None,
    of_baseline: Bounds = UNIT,
) -> Contrast:
    """Compare each text with its own chance level and its own ceiling (by default 1).

    A sampled baseline, one column a draw, is averaged over its draws. The score is ``Σ (number −
    baseline) / Σ (ceiling − baseline)``: 0 at chance, 1 at the ceiling. As a ratio of sums, it
    ignores texts on which nothing can be gained. ``bounds`` are the bounds of the number, and
    ``of_baseline`` of its baseline; the score has the bounds of its own scale. All ``classes`` get
    equal weight, however rare.
    """
    here, low, high = _known(observed, baseline, ceiling)
    gained = _gained(here, low, high, classes)
    return Contrast(
        partial(bootstrap.mean, here, seed, bounds, clusters, level, classes),
        partial(bootstrap.mean, low, seed, of_baseline, clusters, level, classes),
        partial(ratio, gained.top, gained.bottom, seed, clusters, level, classes=classes),
    )


def score(
    observed: Float[Array, " N"],
    baseline: Float[Array, " N"] | Float[Array, "N R"],
    ceiling: Float[Array, " N"] | None = None,
    classes: Int[Array, " N"] | None = None,
) -> RatioSums:
    """Give the numerator and the denominator of the score of `paired`, text by text."""
    return _gained(*_known(observed, baseline, ceiling), classes)


def _gained(
    here: Float[Array, " N"],
    low: Float[Array, " N"],
    high: Float[Array, " N"],
    classes: Int[Array, " N"] | None,
) -> RatioSums:
    return RatioSums(here - low, high - low, classes)


def _known(
    observed: Float[Array, " N"],
    baseline: Float[Array, " N"] | Float[Array, "N R"],
    ceiling: Float[Array, " N"] | None,
) -> tuple[Float[Array, " N"], Float[Array, " N"], Float[Array, " N"]]:
    """Give number, baseline and ceiling, and NaN for texts where one of them is undefined."""
    lower = mean_of_known(baseline) if baseline.ndim == 2 else baseline
    upper = np.ones_like(lower) if ceiling is None else ceiling
    known = ~np.isnan(observed + lower + upper)
    here, low, high = (np.where(known, values, np.nan) for values in (observed, lower, upper))
    return here, low, high


def p_value(
    observed: Float[Array, " N"],
    draws: Float[Array, "N R"],
    classes: Int[Array, " N"] | None = None,
) -> float | None:
    """One-sided p-value of a mean under its baseline: ``(1 + #{draw ≥ observed}) / (R + 1)``.

    It is never 0 (Phipson & Smyth 2010). All ``classes`` get equal weight in both means. None where
    no text is defined.
    """
    rows = known_rows(observed, *draws.T)
    if len(rows) == 0:
        return None
    share = Strata.of(rows, classes).weight / len(rows)
    means = share @ draws[rows]
    # Rounding must not turn a draw equal to the observed value into a smaller one.
    return float((1 + (means >= share @ observed[rows] - 1e-12).sum()) / (1 + len(means)))


def benjamini_hochberg(p: Mapping[str, float]) -> dict[str, float]:
    """Adjust the p-values of one report for multiple testing (Benjamini & Hochberg 1995)."""
    adjusted, most = dict[str, float](), 1.0
    for k, name in reversed([*enumerate(sorted(p, key=lambda name: p[name]), start=1)]):
        adjusted[name] = most = min(most, len(p) / k * p[name])
    return {name: adjusted[name] for name in p}


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Adjust p-values to control the family-wise error rate under any dependence (Holm 1979)."""
    adjusted, least = dict[str, float](), 0.0
    for k, name in enumerate(sorted(p, key=lambda name: p[name])):
        adjusted[name] = least = max(least, min(1.0, (len(p) - k) * p[name]))
    return {name: adjusted[name] for name in p}
