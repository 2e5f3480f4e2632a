"""When two values of one text are equal: one noise floor and one tolerance, for every rank, top
word and constant map.

Rounding is no finding. Words that a sparse attention leaves out have importances of 1e-8 in one
batch and 0 in another, and two copies of a word differ in the last digit; ranked as they are, they
move τ by a tenth (docs/decisions/0035).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray
NOISE = 1e-6
"""A value below this share of the largest of its text is 0: float32 answers differ by some steps of
1.2e-7."""
TIE = 1e-7
"""Values nearer than this share of the largest are equal: about one step of float32 (float64:
2.2e-16) at its size."""
FAINT = 0.05
"""A word with less than this share of the largest value of its text cannot be seen: its shade is
next to none."""
VISIBLE = 0.05
"""Values nearer than this share of the largest of their text have shades that no reader can tell
apart."""
NOTHING = 1e-12
"""A text without a larger value has none: some thousand steps of float64 at the size of a
probability."""


def settled(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Float[Array, "*B T"]:
    """Give equal words of a text equal values: 0 below the noise floor, else the lowest of those
    that are tied.

    Words are tied where, in order of value, no step between them is larger than the tolerance, so
    that no pair of equals falls on two sides of a line; T words may lose T tolerances. What is
    masked is 0. A text with a value that is no number has none.
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


def faded(
    values: Float[Array, "*B T"], mask: Bool[Array, "*B T"], wider: Float[Array, "*B"]
) -> Float[Array, "*B T"]:
    """Give equal words equal values, and 0 to those too faint to be seen.

    Nobody is shown the order of weights of 1e-5 beside one of .999, and a model can hide its
    reasons there.
    """
    known = apart(values, mask, wider)
    largest = np.abs(known).max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.where(np.abs(known) < FAINT * largest, 0.0, known))


def apart(
    values: Float[Array, "*B T"], mask: Bool[Array, "*B T"], wider: Float[Array, "*B"]
) -> Float[Array, "*B T"]:
    """Give words whose shades cannot be told apart equal values, from the largest down.

    The largest word and all within `VISIBLE` of it are one group and have its value, the largest of
    the others is the head of the next, and so on. So no chain of small steps joins what a reader
    sees apart, and a map without a visible range has no order, however its digits differ.
    ``wider``, drawn from 0 to 1 for each text, is the part of a step by which its groups are wider:
    else values just on both sides of a border would have an order that no reader sees.
    """
    known = settled(values, mask)
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


def flat(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Bool[Array, "*B"]:
    """Tell where no word of a text stands out to a reader."""
    known = apart(values, mask, np.zeros(values.shape[:-1]))
    return np.asarray(
        np.where(mask, known, -np.inf).max(-1) == np.where(mask, known, np.inf).min(-1)
    )


def constant(values: Float[Array, "*B T"], mask: Bool[Array, "*B T"]) -> Bool[Array, "*B"]:
    """Tell where all words of a text have one value, so that none is on top."""
    known = settled(values, mask)
    return np.asarray(
        np.where(mask, known, -np.inf).max(-1) == np.where(mask, known, np.inf).min(-1)
    )
