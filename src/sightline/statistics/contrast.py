"""Observed against its floor: the effect, paired by text, and p-values where the floor was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.stats import false_discovery_control

from sightline.results import Estimate
from sightline.statistics import bootstrap

Array = np.ndarray


@dataclass(frozen=True)
class Contrast:
    """A number, its floor, and their difference, over the texts where both are defined."""

    number: Estimate
    floor: Estimate
    effect: Estimate


def paired(
    observed: Float[Array, " N"], floor: Float[Array, " N"] | Float[Array, "N R"], seed: int, stage: str
) -> Contrast:
    """Compare each text with its own floor (the mean over draws, where it was drawn)."""
    level = _mean_of_known(floor) if floor.ndim == 2 else floor
    both = ~np.isnan(observed) & ~np.isnan(level)
    here, there = observed[both], level[both]
    return Contrast(
        bootstrap.mean(here, seed, f"{stage} number"),
        bootstrap.mean(there, seed, f"{stage} floor"),
        bootstrap.mean(here - there, seed, f"{stage} effect"),
    )


def p_value(observed: Float[Array, " N"], draws: Float[Array, "N R"]) -> float | None:
    """Chance of a mean at least as large under the drawn floor, one-sided: ``(1 + #{draw ≥ observed}) / (R + 1)``.

    Phipson & Smyth (2010): never 0. None where no text is defined.
    """
    known = ~np.isnan(observed) & ~np.isnan(draws).any(axis=1)
    if not known.any():
        return None
    means = draws[known].mean(axis=0)
    # Rounding must not turn a draw equal to the observed value into a smaller one.
    return float((1 + (means >= observed[known].mean() - 1e-12).sum()) / (1 + len(means)))


def benjamini_hochberg(p: Mapping[str, float]) -> dict[str, float]:
    """Adjust the p-values of one report for their number (Benjamini & Hochberg 1995)."""
    if not p:
        return {}
    return dict(zip(p, map(float, false_discovery_control(list(p.values()))), strict=True))


def _mean_of_known(draws: Float[Array, "N R"]) -> Float[Array, " N"]:
    known = ~np.isnan(draws)
    total = np.where(known, draws, 0.0).sum(axis=1)
    out = np.full(len(draws), np.nan)
    return np.asarray(np.divide(total, known.sum(axis=1), out=out, where=known.any(axis=1)))
