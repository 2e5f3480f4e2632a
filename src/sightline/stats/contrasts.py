"""Observed against its floor and its ceiling: the effect, paired by text, and p-values where the
floor was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Estimate
from sightline.stats import bootstrap
from sightline.stats.intervals import LEVEL, UNIT, Bounds, known_rows
from sightline.stats.ratios import RatioSums, ratio
from sightline.stats.strata import Strata

Array = np.ndarray


Make = Callable[[], Estimate]


class Contrast:
    """A number, its floor, and the effect: how far the number gets from the floor to the ceiling.

    All three are over the texts where number, floor and ceiling are defined. Each is estimated when
    it is first asked for: of a predicted class nobody asks for more than the effect.
    """

    def __init__(self, number: Make, baseline: Make, score: Make) -> None:
        self._makes = number, baseline, score

    @cached_property
    def number(self) -> Estimate:
        """The number."""
        return self._makes[0]()

    @cached_property
    def baseline(self) -> Estimate:
        """Its floor."""
        return self._makes[1]()

    @cached_property
    def score(self) -> Estimate:
        """The effect."""
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
) -> Contrast:
    """Compare each text with its own floor (the mean over draws, where it was drawn) and its own
    ceiling (else 1).

    The effect is ``Σ (number − floor) / Σ (ceiling − floor)``: 0 at chance, 1 at the ceiling. It is
    a ratio of sums, so that texts on which nothing can be done neither count for nor against.
    ``bounds`` are those of the number and its floor; an effect has those of its scale. ``classes``
    count alike, however rare.
    """
    here, low, high = _known(observed, baseline, ceiling)
    gained = _gained(here, low, high, classes)
    return Contrast(
        partial(bootstrap.mean, here, seed, bounds, clusters, level, classes),
        partial(bootstrap.mean, low, seed, bounds, clusters, level, classes),
        partial(ratio, gained.top, gained.bottom, seed, clusters, level, classes=classes),
    )


def score(
    observed: Float[Array, " N"],
    baseline: Float[Array, " N"] | Float[Array, "N R"],
    ceiling: Float[Array, " N"] | None = None,
    classes: Int[Array, " N"] | None = None,
) -> RatioSums:
    """Give the sums that the effect of `paired` is the ratio of."""
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
    """Give number, floor and ceiling of the texts where all three are defined."""
    lower = _mean_of_known(baseline) if baseline.ndim == 2 else baseline
    upper = np.ones_like(lower) if ceiling is None else ceiling
    known = ~np.isnan(observed + lower + upper)
    here, low, high = (np.where(known, values, np.nan) for values in (observed, lower, upper))
    return here, low, high


def p_value(
    observed: Float[Array, " N"],
    draws: Float[Array, "N R"],
    classes: Int[Array, " N"] | None = None,
) -> float | None:
    """Chance of a mean at least as large under the drawn floor, one-sided: ``(1 + #{draw ≥
    observed}) / (R + 1)``.

    Phipson & Smyth (2010): never 0. ``classes`` count alike in both means. None where no text is
    defined.
    """
    rows = known_rows(observed, *draws.T)
    if len(rows) == 0:
        return None
    share = Strata.of(rows, classes).weight / len(rows)
    means = share @ draws[rows]
    # Rounding must not turn a draw equal to the observed value into a smaller one.
    return float((1 + (means >= share @ observed[rows] - 1e-12).sum()) / (1 + len(means)))


def benjamini_hochberg(p: Mapping[str, float]) -> dict[str, float]:
    """Adjust the p-values of one report for their number (Benjamini & Hochberg 1995)."""
    adjusted, most = dict[str, float](), 1.0
    for k, name in reversed([*enumerate(sorted(p, key=lambda name: p[name]), start=1)]):
        adjusted[name] = most = min(most, len(p) / k * p[name])
    return {name: adjusted[name] for name in p}


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Adjust p-values so that they all hold together, however they depend on each other (Holm
    1979).
    """
    adjusted, least = dict[str, float](), 0.0
    for k, name in enumerate(sorted(p, key=lambda name: p[name])):
        adjusted[name] = least = max(least, min(1.0, (len(p) - k) * p[name]))
    return {name: adjusted[name] for name in p}


def _mean_of_known(draws: Float[Array, "N R"]) -> Float[Array, " N"]:
    known = ~np.isnan(draws)
    total = np.where(known, draws, 0.0).sum(axis=1)
    out = np.full(len(draws), np.nan)
    return np.asarray(np.divide(total, known.sum(axis=1), out=out, where=known.any(axis=1)))
