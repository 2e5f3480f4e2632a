"""How far the log-odds of a text can fall: no farther than to those of the texts that are predicted otherwise."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.maths.simplex import decision
from sightline.measures.removing import odds
from sightline.results import Values
from sightline.settings import SETTINGS
from sightline.types import Arrays

Array = np.ndarray
LOST = "lost: "
"""What stands before what the log-odds lose share by share, until all texts are known and say what can be lost."""
FARTHEST: float = SETTINGS["erasure"]["farthest"]
"""The quantile of the log-odds of a class over texts predicted otherwise: the farthest that a text can fall."""


def bounded(arrays: Arrays) -> dict[str, Values]:
    """Let a text lose, or gain, no more log-odds than lie between it and the texts that are predicted otherwise.

    A model that leaves its scale where words are missing would decide a ratio of sums by a few texts. How far the
    log-odds of a class reach down is read off the texts as they are (`FARTHEST`).
    """
    odds, chosen = np.asarray(arrays["odds"]), np.asarray(arrays["chosen"])
    room = np.full(len(chosen), np.nan)
    for one in np.unique(chosen[~np.isnan(chosen)]).astype(int):
        known = np.isfinite(odds[:, one])  # a class that a text does not allow has none
        others, rows = known & (chosen != one), known & (chosen == one)
        if others.any():
            room[rows] = np.maximum(0.0, odds[rows, one] - np.quantile(odds[others, one], FARTHEST))
    out: dict[str, Values] = {}
    for name, value in arrays.items():
        if name in ("odds", "chosen"):
            continue
        if not name.startswith(LOST):
            out[name] = value
            continue
        kind, _, of = name.removeprefix(LOST).partition(".")
        lost = np.asarray(value)
        width = room.reshape(-1, *[1] * (lost.ndim - 1))
        within = np.where(np.isnan(width), lost, np.clip(lost, -width, width))
        each = within.mean(axis=-1) if of == "random" else within
        out[f"{kind}.{of}"] = each.mean(axis=1)
        if kind == "deleted":
            out[f"curve.{of}"] = each
            out[f"top.{of}"] = np.abs(within[:, 0]).mean(axis=-1) if of == "random" else np.abs(each[:, 0])
    tops = [value for name, value in out.items() if name.startswith("top.") and name != "top.random"]
    if tops:
        out["top.most"] = np.fmax.reduce(np.stack([np.asarray(one) for one in tops]), axis=0)
    return out


def flipped(left: Float[Array, "M L"], chosen: Int[Array, " B"], row: Int[Array, " M"]) -> Float[Array, " M"]:
    """Mark the texts without words that are predicted otherwise; NaN where there is no finite answer."""
    known = np.isfinite(left.max(axis=1))  # the logit that decides; a class that a text does not allow has −∞
    otherwise = decision(np.where(known[:, None], left, 0.0)) != chosen[row]
    return np.asarray(np.where(known, otherwise, np.nan))


def odds_of_all(logits: Float[Array, "B L"]) -> Float[Array, "B C"]:
    """Give the log-odds of every class; one logit stands for two."""
    classes = max(2, logits.shape[1])
    return np.stack([odds(logits, np.full(len(logits), one)) for one in range(classes)], axis=1)
