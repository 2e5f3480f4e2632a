"""Pair the texts of the transfer test: halves of the texts, equally many donors from every
predicted class, and receivers of similar length.

Every draw depends on a seed and on the texts that it is about, so the order and the batches of
texts do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.seeds import Seeds, seed_for

Array = np.ndarray


@dataclass(frozen=True)
class DonorTexts:
    """What pairs are drawn from, one row a text: index, number of words, predicted class, and
    whether it can be used.
    """

    index: Int[Array, " N"]
    words: Int[Array, " N"]
    decided: Int[Array, " N"]
    usable: Bool[Array, " N"]


def halves(cluster: Int[Array, " N"], seeds: Seeds) -> Bool[Array, " N"]:
    """Mark about half of the texts, cluster by cluster, so that no cluster is in both halves."""
    names, sizes = np.unique(cluster, return_counts=True)
    order = np.argsort([seed_for(seeds.seed, "halves", int(name)) for name in names], kind="stable")
    chosen = names[order][np.cumsum(sizes[order]) <= len(cluster) / 2]
    return np.asarray(np.isin(cluster, chosen))


def receivers(texts: DonorTexts, half: Bool[Array, " N"], row: int) -> Int[Array, " _"]:
    """Find the possible receivers of a text: in its half, with another prediction."""
    return np.flatnonzero(
        texts.usable & (texts.decided != texts.decided[row]) & (half == half[row])
    )


def possible_donors(texts: DonorTexts, half: Bool[Array, " N"]) -> Bool[Array, " N"]:
    """Mark the texts that can be donors: their half has a text with another prediction."""
    out = np.zeros(len(half), dtype=bool)
    for one in (True, False):
        here = texts.usable & (half == one)
        out |= here & (len(np.unique(texts.decided[here])) > 1)
    return out


def donors(
    texts: DonorTexts, able: Bool[Array, " N"], of_each: int, seeds: Seeds
) -> Float[Array, " N"]:
    """Draw equally many donors from every predicted class, weighted so that all classes have equal
    weight; the mean weight is 1.
    """
    weight = np.zeros(len(able))
    for chosen in np.unique(texts.decided[able]):
        rows = np.flatnonzero(able & (texts.decided == chosen))
        drawn = np.argsort([seed_for(seeds.seed, "donor", int(texts.index[row])) for row in rows])[
            :of_each
        ]
        weight[rows[drawn]] = 1 / len(drawn)
    return np.asarray(weight * np.count_nonzero(weight) / max(weight.sum(), 1))


def partners(
    texts: DonorTexts, half: Bool[Array, " N"], weight: Float[Array, " N"], count: int, seeds: Seeds
) -> Int[Array, "N K"]:
    """Give each donor the receivers nearest in length, ties at random; −1 if there are too few."""
    out = np.full((len(weight), count), -1)
    for row in np.flatnonzero(weight):
        found = receivers(texts, half, int(row))
        away = np.abs(texts.words[found] - texts.words[row])
        near = away <= np.sort(away)[min(count, len(away)) - 1]
        stage = f"partner of {texts.index[row]}"
        ties = [seed_for(seeds.seed, stage, int(texts.index[other])) for other in found[near]]
        nearest = found[near][np.lexsort((ties, away[near]))][:count]
        out[row, : len(nearest)] = nearest
    return out
