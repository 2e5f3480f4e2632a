"""Bounds on how far the log-odds of a text can fall: to those of texts with another prediction."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays
from sightline.core.results import Values
from sightline.measures.removal_curves import odds
from sightline.numerics.simplex import decision

Array = np.ndarray
LOST = "lost: "
"""Prefix of the log-odds lost by share, until all texts are known and give the bounds."""
LAST = "lost last: "
"""Prefix of the log-odds lost by the top words from a text without the next words."""
FARTHEST: float = MEASURES["erasure"].settings["farthest"]
"""Quantile of the log-odds of a class over the texts with another prediction: no text can fall
farther."""


def bounded(arrays: Arrays) -> dict[str, Values]:
    """Clip the log-odds that a text loses or gains at the distance to the texts with another
    prediction.

    A model can leave its usual range where words are missing, and then a few texts would decide a
    ratio of sums. The lowest log-odds of a class are read from the natural texts (`FARTHEST`).
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
        if name in ("odds", "chosen") or name.startswith(LAST):
            continue
        if not name.startswith(LOST):
            out[name] = value
            continue
        kind, _, of = name.removeprefix(LOST).partition(".")
        each_order = _within(value, room)
        each = each_order.mean(axis=-1) if of == "random" else each_order
        if kind == "top":  # of another map, of which only the top words were removed
            last = _within(arrays[f"{LAST}{of}"], room)
            out[f"top.{of}"] = np.fmax(np.abs(each[:, 0]), np.abs(last))
            continue
        out[f"{kind}.{of}"] = each.mean(axis=1)
        if kind == "deleted":
            out[f"curve.{of}"] = each
            moved = np.fmax(np.abs(each_order[:, 0]), np.abs(_within(arrays[f"{LAST}{of}"], room)))
            out[f"top.{of}"] = moved.mean(axis=-1) if of == "random" else moved
    tops = [
        value for name, value in out.items() if name.startswith("top.") and name != "top.random"
    ]
    if tops:
        out["top.most"] = np.fmax.reduce(np.stack([np.asarray(one) for one in tops]), axis=0)
    return out


def _within(lost: Values, room: Float[Array, " N"]) -> Float[Array, "N *R"]:
    """Clip the loss or gain of each text at its bound, where the bound is known."""
    values = np.asarray(lost)
    width = room.reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(np.where(np.isnan(width), values, np.clip(values, -width, width)))


def flipped(
    left: Float[Array, "M L"], chosen: Int[Array, " B"], row: Int[Array, " M"]
) -> Float[Array, " M"]:
    """Mark the shortened texts with another prediction; NaN where the output is not finite."""
    found = classes_of(left)
    return np.asarray(np.where(np.isnan(found), np.nan, found != chosen[row]))


def classes_of(left: Float[Array, "M L"]) -> Float[Array, " M"]:
    """Give the prediction of each shortened text; NaN where the output is not finite."""
    known = np.isfinite(
        left.max(axis=1)
    )  # the largest logit, because a class that a text does not allow has −∞
    return np.asarray(np.where(known, decision(np.where(known[:, None], left, 0.0)), np.nan))


def odds_of_all(logits: Float[Array, "B L"]) -> Float[Array, "B C"]:
    """Give the log-odds of every class; one logit stands for two classes."""
    classes = max(2, logits.shape[1])
    return np.stack([odds(logits, np.full(len(logits), one)) for one in range(classes)], axis=1)
