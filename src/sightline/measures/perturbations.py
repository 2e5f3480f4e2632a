"""Run texts again with words deleted, removed or replaced, in the cheapest way that the model
offers.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.core.protocols import (
    Auditable,
    Batch,
    SupportsLogits,
    SupportsSharedLogits,
    SupportsVariants,
    Trace,
)
from sightline.numerics.tensors import to_numpy

LIGHTER = 4
"""Factor on the tokens that fit if a model shares the common part of variants, because it holds no
hidden states."""


def run_variants(model: Auditable, batch: Batch) -> Trace:
    """Run texts that share most of their words: from the common part if the model can, otherwise
    one by one.
    """
    return (
        cast(SupportsVariants, model).trace_variants(batch)
        if "variants" in model.offers
        else model.trace(batch)
    )


def logits_of_variants(model: Auditable, batch: Batch) -> Float[torch.Tensor, "B L"]:
    """Run texts like `run_variants`, for their logits alone. When several labels are audited, a
    label reuses the logits of another.
    """
    if isinstance(model, SupportsSharedLogits) and model.shared is not None:
        return model.shared(batch)
    if isinstance(model, SupportsLogits):
        return model.logits(batch)
    return run_variants(model, batch).logits


def at_once(model: Auditable, tokens: int) -> int:
    """Number of tokens of variants that fit in the memory of ``tokens`` separate ones."""
    return LIGHTER * tokens if "variants" in model.offers else tokens


def token_counts(batch: Batch) -> Int[np.ndarray, " B"]:
    """Count the tokens that each text takes to run, with its padded query."""
    lengths = to_numpy(batch.mask.sum(1))
    return lengths if batch.query_ids is None else lengths + batch.query_ids.shape[1]


def chunks(lengths: Int[np.ndarray, " N"], tokens: int) -> list[Int[np.ndarray, " _"]]:
    """Cut texts, as positions ordered by length, into chunks of at most ``tokens`` with padding, or
    of one text.
    """
    order = np.argsort(lengths, kind="stable")
    out: list[np.ndarray] = []
    while len(order):
        # Lengths ascend, so a chunk that takes one more text is as long as that text times the
        # number of texts.
        taken = max(1, int((lengths[order] * np.arange(1, len(order) + 1) <= tokens).sum()))
        out.append(order[:taken])
        order = order[taken:]
    return out
