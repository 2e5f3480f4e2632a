"""Summaries of a curve over ranks, curves of resampled texts, and curves of scores exchanged within
texts.

``scores`` has one row for each text and one column for each rank; its mean over texts is the curve
V. ``clusters`` numbers the clusters of the texts from 0 (`text_clusters.numbered`): copies, and
texts of one group. They are resampled and exchanged together.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int, Num

from sightline.core.errors import SpecError
from sightline.numerics.text_clusters import group_sums

Array = np.ndarray


def contrast(curve: Float[Array, "*R K"]) -> Float[Array, "*R"]:
    """``D = V_1 − mean of V_2 ... V_k``: the lead of the word with the largest weight over the
    others.
    """
    return np.asarray(curve[..., 0] - curve[..., 1:].mean(-1))


def slope(curve: Float[Array, "*R K"], weights: Float[Array, " K"]) -> Float[Array, "*R"]:
    """``B``: the least-squares slope of a curve on the logarithm of the mean weights; NaN if the
    weights are all equal.
    """
    logs = np.log(weights)
    off = logs - logs.mean()
    spread = (off**2).sum()
    if not spread > np.finfo(float).eps * len(logs):
        return np.full(curve.shape[:-1], np.nan)
    return np.asarray((curve * off).sum(-1) / spread)


def span(curve: Float[Array, "*R K"]) -> Float[Array, "*R"]:
    """``R = max V − min V``."""
    return np.asarray(curve.max(-1) - curve.min(-1))


def resampled(
    scores: Num[Array, "N K"],
    draws: int,
    generator: np.random.Generator,
    clusters: Int[Array, " N"],
) -> Float[Array, "R K"]:
    """Give the curves of bootstrap samples of the clusters; labels and counts are refused.

    Each score belongs to one text and was computed without it, so it may be resampled. A plug-in
    estimate may not: the sample is biased upwards already, and each resample adds the same bias
    again.
    """
    if not np.issubdtype(scores.dtype, np.floating):
        raise SpecError(
            "expected scores of texts, got whole numbers (labels, or a table of counts). "
            "Mutual information counted from a table must not be bootstrapped: the estimate "
            "is biased upwards, and a resample adds the same bias a second time, so that the "
            "interval may miss the truth and the estimate too. Resample held-out scores"
        )
    sums, sizes = group_sums(scores, clusters), np.bincount(clusters)
    times = generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=draws)
    return np.asarray(times @ sums / (times @ sizes)[:, None])


def ends(drawn: Float[Array, " R"], level: float = 0.95) -> tuple[float, float]:
    """Give the percentiles that enclose a share ``level`` of the draws.

    For a rank correlation this is only a range of stability: noise only moves τ towards 0, so its
    percentiles do not cover the τ of all texts.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def exchanged(
    scores: Float[Array, "N K"],
    generator: np.random.Generator,
    clusters: Int[Array, " N"],
    permutations: int = 999,
) -> Float[Array, "R K"]:
    """Give the curves after permuting the scores among the ranks, the same in all texts of a cluster:
    the null hypothesis that ranks mean nothing.
    """
    sums = group_sums(scores, clusters)
    drawn = [generator.permuted(sums, axis=1).sum(0) for _ in range(permutations)]
    return np.stack(drawn) / len(scores)


def error_of_contrast(scores: Float[Array, "N K"], clusters: Int[Array, " N"]) -> float:
    """Standard error of the contrast of a curve, over clusters."""
    each = contrast(scores)
    sums, sizes = group_sums(each, clusters), np.bincount(clusters)
    weight = len(sums) / len(each)
    apart = sums * weight - each.mean() * (sizes * weight - 1)
    return float(apart.std(ddof=1) / np.sqrt(len(sums)))


def rarity(own: float, drawn: Float[Array, " R"]) -> float:
    """Give ``p = (1 + #{D* ≥ D}) / (R + 1)`` of a summary among the drawn ones; NaN if the summary
    is undefined.
    """
    if np.isnan(own):
        return float("nan")
    slack = 1e-12 * max(
        1.0, abs(own)
    )  # tolerance: the same sum in another order may round differently
    return float((1 + (drawn >= own - slack).sum()) / (len(drawn) + 1))
