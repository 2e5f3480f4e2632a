"""Let a model use the attention of a trained one, directly or as its mean."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.core.errors import ModelError
from sightline.core.protocols import Batch
from sightline.data.vocabulary import SPECIALS
from sightline.models.classifier import AttentionClassifier
from sightline.models.external_attention import BorrowedAttention
from sightline.numerics.tensors import to_numpy


def borrow_attention(model: AttentionClassifier, lender: AttentionClassifier) -> None:
    """Let a model use the attention of another one, which must read the same tokens."""
    source = model.source
    assert isinstance(source, BorrowedAttention)
    for what, own, other in (
        ("boundaries", model.spec.boundaries, lender.spec.boundaries),
        ("queries", model.reads_queries, lender.reads_queries),
    ):
        if own != other:
            message = (
                f"given(run={source.run}): expected a lender that reads {what} as this model "
                f"does, got {lender.name}"
            )
            raise ModelError(message, change=f"make both {'with' if other else 'without'} {what}")
    source.lender = lender.requires_grad_(False)
    numbers = [*range(SPECIALS), *lender.vocabulary.ids(model.vocabulary.words)]
    source.numbers = torch.tensor(numbers, device=model.device)


def attention_of(model: AttentionClassifier, batch: Batch) -> list[Float[np.ndarray, " _"]]:
    """Give the word weights of each text of a batch."""
    weights: torch.Tensor = model.trace(batch).attention
    there: Bool[torch.Tensor, "B T"] = batch.attendable
    return [to_numpy(row[mask]) for row, mask in zip(weights, there, strict=True)]
