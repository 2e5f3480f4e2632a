"""How strongly words are shaded: by the size of their numbers, on one scale for every text and map.

A share or a change of probability has its deepest shade at 1. A change of log-odds has it at 4,
which takes even odds to 98 %. Shades follow the square root, so that 0.05 of the weight still looks
different from 0.01.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from jaxtyping import Float

from sightline.config.word_maps import WordMap
from sightline.report.html.token_highlights import STEPS

DEEPEST: Mapping[str, float] = {"share": 1.0, "probability": 1.0, "log-odds": 4.0}
"""The size of a number with the deepest shade, by its unit."""
LEAST = 0.001
"""Part of that size below which a word has no colour; a log-odds of 0.004 changes no probability by
more than 0.001."""
_PARTS = (0.01, 0.1, 0.3, 1.0)
"""Parts of that size whose shades a legend shows."""


def shades_of(values: Float[np.ndarray, " T"], kind: WordMap) -> list[str]:
    """Turn the values of one text into the classes of `tokens.shades`; ``s0`` is too small to
    matter.
    """
    return [_shade(float(value), kind) for value in values]


def none_of_size(values: Float[np.ndarray, " T"], kind: WordMap) -> str:
    """Say that a map has nothing to colour, if so; empty otherwise."""
    if np.isnan(values).all():
        return "This map has no number for any word of this text."
    if np.nanmax(np.abs(values)) >= LEAST * DEEPEST[kind.unit]:
        return ""
    what = (
        "gets more of the weight than"
        if kind.unit == "share"
        else "moves the prediction by more than"
    )
    return f"By this map no word {what} {LEAST:g}: nothing to colour."


def scale_of(kind: WordMap) -> Iterator[tuple[str, str]]:
    """Give the shades of a legend, each with its number."""
    sizes = [part * DEEPEST[kind.unit] for part in _PARTS]
    signed = [-size for size in reversed(sizes)] if kind.signed else []
    for value in (*signed, *sizes):
        yield _shade(value, kind), f"{value:g}".replace("-", "−")


def _shade(value: float, kind: WordMap) -> str:
    if math.isnan(value):
        return "na"
    part = min(abs(value) / DEEPEST[kind.unit], 1.0)
    if part < LEAST:
        return "s0"
    letter = "n" if kind.signed and value < 0 else "s"
    return f"{letter}{math.ceil(STEPS * math.sqrt(part) - 1e-6)}"
