"""Summaries of a curve over ranks, curves of resampled texts, and curves of scores exchanged within
texts.

``scores`` has one row for each text and one column for each rank; its mean over texts is the curve
V.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Num

from sightline.core.errors import SpecError

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
    scores: Num[Array, "N K"], draws: int, generator: np.random.Generator
) -> Float[Array, "R K"]:
    """Give the curves of bootstrap samples of the texts; labels and counts are refused.

    Each score belongs to one text and was computed without it, so texts may be resampled. A plug-in
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
    texts = len(scores)
    times = generator.multinomial(texts, np.full(texts, 1 / texts), size=draws)
    return np.asarray(times @ scores / texts)


def ends(drawn: Float[Array, " R"], level: float = 0.95) -> tuple[float, float]:
    """Give the percentiles that enclose a share ``level`` of the draws.

    For a rank correlation this is only a range of stability: noise only moves τ towards 0, so its
    percentiles do not cover the τ of all texts.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def exchanged(
    scores: Float[Array, "N K"], generator: np.random.Generator, permutations: int = 999
) -> Float[Array, "R K"]:
    """Give the curves after permuting the scores among the ranks of each text: the null hypothesis
    that ranks mean nothing.
    """
    return np.stack([generator.permuted(scores, axis=1).mean(0) for _ in range(permutations)])


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
