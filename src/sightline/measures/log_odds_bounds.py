"""How far the log-odds of a text can fall: no farther than to those of the texts that are predicted
otherwise.
"""

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
"""What stands before what the log-odds lose share by share, until all texts are known and say what
can be lost."""
LAST = "lost last: "
"""What stands before what the log-odds lose by the top words where the next ones are gone
already."""
FARTHEST: float = MEASURES["erasure"].settings["farthest"]
"""The quantile of the log-odds of a class over texts predicted otherwise: the farthest that a text
can fall."""


def bounded(arrays: Arrays) -> dict[str, Values]:
    """Let a text lose, or gain, no more log-odds than lie between it and the texts that are
    predicted otherwise.

    A model that leaves its scale where words are missing would decide a ratio of sums by a few
    texts. How far the log-odds of a class reach down is read off the texts as they are
    (`FARTHEST`).
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
        if kind == "top":  # of another map, whose top words alone were removed
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
    """Clip what each text loses or gains to its room, where that is known."""
    values = np.asarray(lost)
    width = room.reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(np.where(np.isnan(width), values, np.clip(values, -width, width)))


def flipped(
    left: Float[Array, "M L"], chosen: Int[Array, " B"], row: Int[Array, " M"]
) -> Float[Array, " M"]:
    """Mark the texts without words that are predicted otherwise; NaN where there is no finite
    answer.
    """
    known = np.isfinite(
        left.max(axis=1)
    )  # the logit that decides; a class that a text does not allow has −∞
    otherwise = decision(np.where(known[:, None], left, 0.0)) != chosen[row]
    return np.asarray(np.where(known, otherwise, np.nan))


def odds_of_all(logits: Float[Array, "B L"]) -> Float[Array, "B C"]:
    """Give the log-odds of every class; one logit stands for two."""
    classes = max(2, logits.shape[1])
    return np.stack([odds(logits, np.full(len(logits), one)) for one in range(classes)], axis=1)
