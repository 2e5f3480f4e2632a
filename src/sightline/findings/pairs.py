"""What highlighted words carry from text to text (SL-303): ratios of sums over pairs of a donor and a receiver."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.results import Measurement
from sightline.statistics.contrast import Contrast
from sightline.statistics.dyads import PairSums, of_pairs
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
    return Contrast(*(of_pairs(one, clusters, level) for one in pair_sums(taken, name, donors)))


def pair_sums(taken: Measurement, name: str, donors: Bool[Array, " N"]) -> tuple[PairSums, PairSums, PairSums]:
    """Give the sums that number, floor and effect of `carried` are ratios of, with texts by their rows."""
    values = {key: np.asarray(taken.values[key]) for key in ("weight", "partner", "whole")}
    moved, chance = (np.asarray(taken.values[f"{kind}.{name}"]) for kind in ("carried", "random"))
    weight = np.broadcast_to(values["weight"][:, None], moved.shape)
    known = (values["partner"] >= 0) & (weight > 0) & donors[:, None]
    known = known & ~(np.isnan(moved) | np.isnan(chance) | np.isnan(values["whole"]))
    rows, partners = np.nonzero(known)[0], values["partner"][known]
    w, whole, moved, chance = (array[known] for array in (weight, values["whole"], moved, chance))

    def over(top: Float[Array, " P"], bottom: Float[Array, " P"]) -> PairSums:
        return PairSums(w * top, w * bottom, rows, partners)

    return over(moved, whole), over(chance, whole), over(moved - chance, whole - chance)
