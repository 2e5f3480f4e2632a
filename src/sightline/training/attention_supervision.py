"""Guided attention: training that draws attention to given words, however relevant they are.

Pruthi et al. 2020 (Learning to Deceive with Attention-Based Explanations, §3) add to the loss of
each text

    R = −λ log(1 − αᵀm)

with m = 1 on the words to avoid: ``away``. The other guides are its mirror, −λ log αᵀm, with m = 1
on the words to seek: ``onto`` given words, or the first or the last word of the text. The words are
named, as in the paper, or marked by human rationales.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.config.specs import FitSpec, Guide
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.data.dataset import Split, has_marks
from sightline.models.attention import by_word

BY_MARKS: tuple[Guide, ...] = ("onto", "away")
"""The guides to or from named words or rationales."""


def check_guidable(train: Split, spec: FitSpec) -> None:
    """Refuse a guide by rationales if no text has one, and a guide by words that occur in no text."""
    if spec.guide_words:
        if not any(set(spec.guide_words).intersection(text.tokens) for text in train):
            message = (
                f"none of {', '.join(spec.guide_words)} is in a training text; write words as the "
                "model reads them"
            )
            raise DataError(message, field="fit.guide_words")
    elif spec.guide in BY_MARKS and not has_marks(train):
        raise DataError(
            f"{spec.guide!r} needs rationales, and no training text has one",
            field="fit.guide",
        )


def guidance(
    attention: Float[torch.Tensor, "B T"], batch: Batch, texts: Sequence[Example], spec: FitSpec
) -> Float[torch.Tensor, " B"]:
    """Give the guide's loss for each text; 0 without a rationale if the guide uses rationales."""
    marked = _marked(batch, texts, spec)
    wanted = batch.attendable & ~marked if spec.guide == "away" else marked
    mass = (
        (attention * wanted).sum(1).clamp(min=torch.finfo(attention.dtype).tiny)
    )  # sparse weights can all be zero
    return -spec.guide_weight * mass.log() * marked.any(1)


def _marked(batch: Batch, texts: Sequence[Example], spec: FitSpec) -> Bool[torch.Tensor, "B T"]:
    there = batch.attendable
    if spec.guide in BY_MARKS:
        return (by_word([_marks(text, spec) for text in texts], batch) > 0) & there
    number = there.cumsum(1)
    return there & (
        number == {"first": torch.ones_like(number), "last": number[:, -1:]}[spec.guide]
    )


def _marks(text: Example, spec: FitSpec) -> Float[np.ndarray, " W"]:
    """Mark the named words of a text, or its rationale if no words are named."""
    if spec.guide_words:
        return np.isin(text.tokens, spec.guide_words).astype(float)
    return np.array(text.rationale or [False] * len(text.tokens), float)
