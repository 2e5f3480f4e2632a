"""The one way in which texts are run again with words deleted, removed or replaced, as their model
can do it best.
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
from sightline.measures.trace_arrays import to_numpy

LIGHTER = 4
"""How many times as many tokens fit where a model shares what variants have in common: no state of
a text is held."""


def run_variants(model: Auditable, batch: Batch) -> Trace:
    """Run texts that share most of their words: from what they share where the model can, else each
    by itself.
    """
    return (
        cast(SupportsVariants, model).trace_variants(batch)
        if "variants" in model.offers
        else model.trace(batch)
    )


def logits_of_variants(model: Auditable, batch: Batch) -> Float[torch.Tensor, "B L"]:
    """Run texts as `run_variants` does, where nothing but their logits is asked; one label of
    several takes those that another was audited by.
    """
    if isinstance(model, SupportsSharedLogits) and model.shared is not None:
        return model.shared(batch)
    if isinstance(model, SupportsLogits):
        return model.logits(batch)
    return run_variants(model, batch).logits


def at_once(model: Auditable, tokens: int) -> int:
    """Say how many tokens of variants may be run together in the memory of so many that are run by
    themselves.
    """
    return LIGHTER * tokens if "variants" in model.offers else tokens


def token_counts(batch: Batch) -> Int[np.ndarray, " B"]:
    """Count the tokens that each text takes to run: each brings its query, padded as it is."""
    lengths = to_numpy(batch.mask.sum(1))
    return lengths if batch.query_ids is None else lengths + batch.query_ids.shape[1]


def chunks(lengths: Int[np.ndarray, " N"], tokens: int) -> list[Int[np.ndarray, " _"]]:
    """Cut texts, as positions in order of length, into chunks of so many tokens with all padding,
    or of one text.
    """
    order = np.argsort(lengths, kind="stable")
    out: list[np.ndarray] = []
    while len(order):
        # Lengths rise, so what a chunk takes with its next text is the length of that text times
        # their number.
        taken = max(1, int((lengths[order] * np.arange(1, len(order) + 1) <= tokens).sum()))
        out.append(order[:taken])
        order = order[taken:]
    return out
