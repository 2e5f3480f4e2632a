"""What highlighted words carry from text to text (SL-303): ratios of sums over pairs of a donor and a receiver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.results import Estimate, Measurement
from sightline.statistics.contrast import Contrast
from sightline.statistics.dyads import dyads
from sightline.statistics.intervals import LEVEL

Array = np.ndarray


def carried(
    taken: Measurement,
    name: str,
    clusters: Int[Array, " N"],
    donors: Bool[Array, " N"],
    level: float = LEVEL,
) -> Contrast:
    """Compare what a map carries with what as many random positions carry, over the pairs of some donors.

    ``θ = Σ w·carried / Σ w·whole``, ``θ₀`` alike, and ``e = Σ w·(carried − random) / Σ w·(whole − random)``; ``w`` lets
    every decided class count alike. ``n`` counts donors.
    """
    values = {key: np.asarray(taken.values[key]) for key in ("weight", "partner", "whole")}
    moved, chance = (np.asarray(taken.values[f"{kind}.{name}"]) for kind in ("carried", "random"))
    weight = np.broadcast_to(values["weight"][:, None], moved.shape)
    known = (values["partner"] >= 0) & (weight > 0) & donors[:, None]
    known = known & ~(np.isnan(moved) | np.isnan(chance) | np.isnan(values["whole"]))
    rows = np.nonzero(known)[0]
    first, second = clusters[rows], clusters[values["partner"][known]]
    w, whole, moved, chance = (array[known] for array in (weight, values["whole"], moved, chance))

    def over(top: Float[Array, " P"], bottom: Float[Array, " P"]) -> Estimate:
        found = dyads(w * top, w * bottom, first, second, level=level)
        return replace(found, n=len(np.unique(rows)))

    return Contrast(over(moved, whole), over(chance, whole), over(moved - chance, whole - chance))
