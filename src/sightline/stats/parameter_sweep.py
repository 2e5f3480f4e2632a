"""A quantity along a swept setting, such as λ of a projection: its mean at each value, and its
correlation with the setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Estimate
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import mean
from sightline.stats.intervals import Bounds

Array = np.ndarray
WORDS: Bounds = (0.0, np.inf)
"""Bounds of the number of words with weight."""


@dataclass(frozen=True)
class SweepRun:
    """One run at one value of the setting: a number for each text, how many words have weight in
    it, and the clusters of the texts.
    """

    setting: float
    seed: int
    values: Float[Array, " N"]
    support: Float[Array, " N"]
    clusters: Int[Array, " N"] | None = None

    def mean(self, values: Float[Array, " N"], bounds: Bounds) -> Estimate:
        """Average a number of its texts."""
        return mean(values, self.seed, bounds, self.clusters)


@dataclass(frozen=True)
class Point:
    """The mean number and the mean support at one value of the setting, over one or more seeds."""

    setting: float
    value: Estimate
    support: Estimate
    seeds: int


def points(found: Sequence[SweepRun], bounds: Bounds = (-1.0, 1.0)) -> list[Point]:
    """Average at each value of the setting, in ascending order: over texts, or over seeds where
    there are several.
    """
    by_setting = {
        setting: [one for one in found if one.setting == setting] for setting in _settings(found)
    }
    return [
        Point(
            setting,
            across_seeds([one.mean(one.values, bounds) for one in runs], bounds),
            across_seeds([one.mean(one.support, WORDS) for one in runs], WORDS),
            len(runs),
        )
        for setting, runs in by_setting.items()
    ]


def mean_sweep_tau(found: Sequence[SweepRun]) -> Estimate:
    """Mean over texts of Kendall's τ-b between the setting and the number; over seeds where there
    are several.

    τ is computed within each text, so that long and short texts are not mixed (after Meister et al.
    2021, Table 2, who do not say how they aggregate). Below 0, the number falls as the setting
    grows. A seed counts if it has every setting, on the same texts. A text with an undefined number
    has no τ.
    """
    settings = np.array(_settings(found))
    taus = []
    for seed in sorted({one.seed for one in found}):
        runs = {one.setting: one for one in found if one.seed == seed}
        if len(runs) == len(settings) and len({len(one.values) for one in runs.values()}) == 1:
            ordered = [runs[setting] for setting in settings.tolist()]
            across = np.stack([one.values for one in ordered], axis=1)
            tau = _tau(np.broadcast_to(settings, across.shape), across)
            taus.append(ordered[0].mean(tau, (-1.0, 1.0)))
    return across_seeds(taus, (-1.0, 1.0))


def _settings(found: Sequence[SweepRun]) -> list[float]:
    return sorted({one.setting for one in found})


def _tau(settings: Float[Array, "N S"], values: Float[Array, "N S"]) -> Float[Array, " N"]:
    # Settings are replaced by their ranks: −30 and 0.9 are far apart, and the tolerance for ties
    # depends on the largest value.
    ranks = np.argsort(np.argsort(settings, axis=1), axis=1).astype(float)
    known = ~np.isnan(values).any(axis=1)
    tau = kendall_tau_b(ranks, np.nan_to_num(values), np.ones(values.shape, dtype=bool))
    return np.where(known, tau, np.nan)
