"""When two values of one text count as equal: one noise floor and one tolerance for every rank, top
word and constant map.

Rounding must not affect results. Words that a sparse attention leaves out have importances of 1e-8
in one batch and 0 in another, and two copies of a word differ in the last digit. Ranked without
tolerance, they move τ by a tenth (docs/decisions/0035).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray
NOISE = 1e-6
"""A value below this share of its text's largest counts as 0: float32 outputs differ by some steps
of 1.2e-7."""
TIE = 1e-7
"""Values closer than this share of the largest are equal: about one step of float32 (float64:
2.2e-16) at its size."""
FAINT = 0.05
"""A word with less than this share of its text's largest value is invisible in a heat map."""
VISIBLE = 0.05
"""Values closer than this share of their text's largest have indistinguishable shades in a heat
map."""
NOTHING = 1e-12
"""A text with no larger value counts as all zero: some thousand steps of float64 at the size of a
probability."""


def level_ties(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Float[Array, "*B T"]:
    """Give tied words of a text equal values: 0 below the noise floor, else the lowest value of the
    tie group.

    Words are tied if, in order of value, no step between them exceeds the tolerance. So no pair of
    equal values is separated by a boundary; a group of T words may span T tolerances. Masked
    entries are 0. A text with a NaN value has only NaN.
    """
    real = np.where(mask, values, 0.0)
    largest = np.abs(real).max(axis=-1, keepdims=True, initial=0.0)
    loud = np.where(np.abs(real) > np.maximum(NOISE * largest, NOTHING), real, 0.0)
    order = np.argsort(loud, axis=-1, kind="stable")
    rising = np.take_along_axis(loud, order, axis=-1)
    apart = np.diff(rising, axis=-1, prepend=-np.inf) > TIE * largest
    lowest = np.maximum.accumulate(np.where(apart, np.arange(loud.shape[-1]), 0), axis=-1)
    out = np.zeros(loud.shape)
    np.put_along_axis(out, order, np.take_along_axis(rising, lowest, axis=-1), axis=-1)
    return np.where(mask & ~np.isfinite(largest), np.nan, out)


def level_ties_and_fade(
    values: Float[Array, "*B T"], mask: Bool[Array, "*B T"], wider: Float[Array, "*B"]
) -> Float[Array, "*B T"]:
    """Give tied words equal values, and 0 to words too faint to see.

    A reader cannot see the order of weights of 1e-5 next to a weight of 0.999, and a model could
    hide its reasons there.
    """
    known = level_shades(values, mask, wider)
    largest = np.abs(known).max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.where(np.abs(known) < FAINT * largest, 0.0, known))


def level_shades(
    values: Float[Array, "*B T"], mask: Bool[Array, "*B T"], wider: Float[Array, "*B"]
) -> Float[Array, "*B T"]:
    """Give words with indistinguishable shades equal values, from the largest down.

    The largest word and all words within `VISIBLE` of it form one group with its value; the largest
    of the rest starts the next group, and so on. So no chain of small steps joins words that a
    reader sees as different, and a map without a visible range has no order, whatever its digits.
    ``wider``, drawn from 0 to 1 for each text, widens its groups by that part of a step: otherwise
    values on both sides of a boundary would have an order that no reader sees.
    """
    known = level_ties(values, mask)
    step = VISIBLE * np.abs(np.where(mask, known, 0.0)).max(axis=-1, initial=0.0)
    order = np.argsort(np.where(mask, -known, np.inf), axis=-1, kind="stable")
    falling = np.take_along_axis(known, order, axis=-1)
    head, width = np.full(step.shape, np.inf), step * (1 + wider)
    for place in range(falling.shape[-1]):
        here = falling[..., place]
        head = np.where(head - here <= width * (1 + TIE), head, here)
        falling[..., place] = head
    out = np.zeros(known.shape)
    np.put_along_axis(out, order, falling, axis=-1)
    return np.where(mask, out, np.where(np.isnan(known), np.nan, 0.0))


def is_flat(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Bool[Array, "*B"]:
    """Tell in which texts no word stands out to a reader."""
    known = level_shades(values, mask, np.zeros(values.shape[:-1]))
    return np.asarray(
        np.where(mask, known, -np.inf).max(-1) == np.where(mask, known, np.inf).min(-1)
    )


def constant(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Bool[Array, "*B"]:
    """Tell in which texts all words have the same value, so that there are no top words."""
    known = level_ties(values, mask)
    return np.asarray(
        np.where(mask, known, -np.inf).max(-1) == np.where(mask, known, np.inf).min(-1)
    )
