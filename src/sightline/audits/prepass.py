"""The texts that a measure learns from before it measures; they are not measured themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
from jaxtyping import Bool

from sightline.core.example import Example
from sightline.core.protocols import Measure, SupportsSampling, SupportsSurvey, Survey
from sightline.core.seeds import Seeds, seed_for


def learns_from_all(one: Measure) -> bool:
    """Whether a measure looks at every audited text before it measures them."""
    return isinstance(one, SupportsSurvey) and one.surveys == "audited"


def texts_of(
    one: SupportsSurvey,
    examples: Sequence[Example],
    others: Mapping[str, Sequence[Example]],
    seeds: Seeds,
) -> Sequence[Example]:
    """Give the texts that a measure learns from before all others: those of another split, or half
    of the audited texts.

    A measure may take some of them (`SupportsSampling`).
    """
    if one.surveys not in get_args(Survey):
        raise ValueError(
            f"surveys: {one.surveys!r} is not known; known: {', '.join(get_args(Survey))}"
        )
    chosen: Sequence[Example] = others.get(one.surveys, ())
    if one.surveys == "half":
        chosen = [
            text for text, taken in zip(examples, half(examples, seeds), strict=True) if taken
        ]
    if not chosen:
        raise ValueError(f"there is no text of {one.surveys!r} to learn from")
    return one.sample(chosen, seeds) if isinstance(one, SupportsSampling) else chosen


def half(examples: Sequence[Example], seeds: Seeds) -> Bool[np.ndarray, " N"]:
    """Mark a random half of the texts, rounded down, by seed and text: the order of texts does not
    matter.
    """
    drawn = [seed_for(seeds.seed, "half", example.index) for example in examples]
    out = np.zeros(len(examples), dtype=bool)
    out[np.argsort(drawn, kind="stable")[: len(examples) // 2]] = True
    return out
