"""A number along a setting that was swept, such as λ of a projection: its mean at each, and whether
it goes with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from sightline.core.results import Estimate
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import mean
from sightline.stats.intervals import Bounds

Array = np.ndarray
WORDS: Bounds = (0.0, np.inf)
"""How many words may have weight."""


@dataclass(frozen=True)
class At:
    """What one run at one value of the setting gave: a number a text, and how many words had weight
    in each.
    """

    setting: float
    seed: int
    values: Float[Array, " N"]
    support: Float[Array, " N"]


@dataclass(frozen=True)
class Point:
    """The mean number and the mean support at a value of the setting, over seeds where there are
    several.
    """

    setting: float
    value: Estimate
    support: Estimate
    seeds: int


def points(found: Sequence[At], bounds: Bounds = (-1.0, 1.0)) -> list[Point]:
    """Average at each value of the setting, in its order: over texts, and where there are several
    seeds over these.
    """
    by_setting = {
        setting: [one for one in found if one.setting == setting] for setting in _settings(found)
    }
    return [
        Point(
            setting,
            across_seeds([mean(one.values, one.seed, bounds) for one in runs], bounds),
            across_seeds([mean(one.support, one.seed, WORDS) for one in runs], WORDS),
            len(runs),
        )
        for setting, runs in by_setting.items()
    ]


def goes_with(found: Sequence[At]) -> Estimate:
    """Give Kendall's τ-b of the setting and the number, text by text, in the mean over texts; over
    seeds where several.

    A text's own τ asks whether *its* number rises with the setting, so that long texts and short
    ones are not mixed (after Meister et al. 2021, Table 2, who do not say over what theirs is
    taken). Below 0 the number falls as the setting grows. A seed counts where it has every setting,
    on the same texts; a text with an undefined number has no τ.
    """
    settings = np.array(_settings(found))
    taus = []
    for seed in sorted({one.seed for one in found}):
        runs = {one.setting: one.values for one in found if one.seed == seed}
        if len(runs) == len(settings) and len({len(values) for values in runs.values()}) == 1:
            across = np.stack([runs[setting] for setting in settings.tolist()], axis=1)
            taus.append(
                mean(_tau(np.broadcast_to(settings, across.shape), across), seed, (-1.0, 1.0))
            )
    return across_seeds(taus, (-1.0, 1.0))


def _settings(found: Sequence[At]) -> list[float]:
    return sorted({one.setting for one in found})


def _tau(settings: Float[Array, "N S"], values: Float[Array, "N S"]) -> Float[Array, " N"]:
    # Ranks stand for settings: −30 and 0.9 are far apart, and what is tied is told by the size of
    # the largest.
    ranks = np.argsort(np.argsort(settings, axis=1), axis=1).astype(float)
    known = ~np.isnan(values).any(axis=1)
    tau = kendall_tau_b(ranks, np.nan_to_num(values), np.ones(values.shape, dtype=bool))
    return np.where(known, tau, np.nan)
