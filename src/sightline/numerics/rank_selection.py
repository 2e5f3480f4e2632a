"""Rank the words of texts by attention, and choose the number of ranks and of clusters.

Texts are rows, padded; ``mask`` is True on real words. Wen et al. (2022) leave open how ties are
broken and which of two rules counts the ranks: each is an argument here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.text_clusters import COUNT_AS_ONE
from sightline.numerics.ties import level_ties

Array = np.ndarray
RankRule = Literal["both", "length", "weight"]
"""What limits the number of ranks: the length of texts, the weight at a rank, or both."""
FEWEST_RANKS: int = MEASURES["information"].settings["fewest_ranks"]
"""Two ranks have only two orders, so their τ is always 1 or −1."""
FEWEST_TEXTS: int = MEASURES["information"].settings["fewest_texts"]
"""Below this, the floor of the estimate is as large as the information measured."""

LENGTH_PERCENTILE = 10.0
"""The percentile of the lengths that limits the number of ranks."""
SHARE_OF_TEXTS = 0.8
"""The share of the texts with a rank that must have weight there."""
LEAST_WEIGHT = 1e-5
"""Weights up to this count as none."""
CLUSTERS_TRIED = range(50, 201, 10)
LEAST_POINTS = 2
"""The fewest points that each cluster must have."""


def by_weight(
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    among: Float[Array, "B T"] | None = None,
) -> Int[Array, "B T"]:
    """Give the positions of the words by decreasing weight; padding comes last.

    Tied words come in the order of ``among``, or of the text without it.
    """
    known = np.where(mask, level_ties(attention, mask), -np.inf)
    among = np.zeros(known.shape) if among is None else among
    return np.asarray(np.lexsort((among, -known), axis=-1))


def ties_decide(
    attention: Float[Array, "B T"], mask: Bool[Array, "B T"], ranks: int
) -> Bool[Array, " B"]:
    """Tell which texts have a tie within the first ranks, so that tie-breaking matters."""
    known = -np.sort(-np.where(mask, level_ties(attention, mask), -np.inf), axis=1)[:, : ranks + 1]
    real = known[:, 1:] > -np.inf
    return np.asarray(((known[:, 1:] == known[:, :-1]) & real).any(axis=1))


def texts_of_ranks(mask: Bool[Array, "B T"], ranks: int) -> Bool[Array, "B K"]:
    """Tell which texts have a word of each rank: short texts drop out by rank."""
    return np.asarray(mask.sum(1)[:, None] >= np.arange(1, ranks + 1))


def mean_weights(
    attention: Float[Array, "B T"], mask: Bool[Array, "B T"], kept: Bool[Array, "B K"]
) -> Float[Array, " K"]:
    """Give the mean weight of each rank over the texts that count for it; NaN if no text does."""
    falling = -np.sort(-np.where(mask, attention, -np.inf), axis=1)[:, : kept.shape[1]]
    total = np.where(kept, falling, 0.0).sum(0)
    return np.asarray(
        np.divide(total, kept.sum(0), out=np.full(total.shape, np.nan), where=kept.any(0))
    )


def rank_count(
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    *,
    rule: RankRule = "both",
) -> int:
    """Choose the number of ranks: up to a percentile of the lengths, while most texts still have
    weight there.

    Rules of Wen et al. (2022). *length*: the 10th percentile of the lengths, rounded down.
    *weight*: the largest number such that, for each rank up to it, 80 % of the texts that are long
    enough have a weight above 1e-5. The smaller of the two is used.
    """
    by_length = int(np.floor(np.percentile(mask.sum(1), LENGTH_PERCENTILE)))
    falling = -np.sort(-np.where(mask, attention, -np.inf), axis=1)
    long_enough = (falling > -np.inf).sum(0)
    fewest = np.maximum(SHARE_OF_TEXTS * long_enough - 1e-9, 1e-9)
    enough = (falling > LEAST_WEIGHT).sum(0) >= fewest
    by_share = int(np.argmin(np.append(enough, False)))
    return {"both": min(by_length, by_share), "length": by_length, "weight": by_share}[rule]


def too_little(texts: int, ranks: int, *, clustered: bool = False) -> str:
    """Explain why there are too few texts or ranks to test; empty if there are enough.

    ``clustered`` says that some texts count as one.
    """
    if ranks < FEWEST_RANKS:
        return (
            f"expected at least {FEWEST_RANKS} ranks, got {ranks}: take longer texts, or less "
            "peaked attention"
        )
    if texts < FEWEST_TEXTS:
        as_one = f" ({COUNT_AS_ONE})" if clustered else ""
        return (
            f"expected at least {FEWEST_TEXTS} texts that are long enough, got {texts}{as_one}: give "
            "more texts"
        )
    return ""


@dataclass(frozen=True)
class ClusterCount:
    """The number of clusters, and whether each cluster has the two points that the rule requires."""

    clusters: int
    kept: bool


def cluster_count(smallest: Callable[[int], int]) -> ClusterCount:
    """Choose the number of clusters: the first with at least two points in each; else the first of
    all, marked as breaking the rule.

    ``smallest`` clusters every rank and gives the size of the smallest cluster. All ranks share one
    number, because the bias of the estimate depends on it.
    """
    for clusters in CLUSTERS_TRIED:
        if smallest(clusters) >= LEAST_POINTS:
            return ClusterCount(clusters, kept=True)
    return ClusterCount(CLUSTERS_TRIED[0], kept=False)
