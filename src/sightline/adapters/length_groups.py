"""Texts of one length at a time, for modules in which padding is not inert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float, Int

from sightline.core.errors import ModelError
from sightline.core.protocols import Batch

Places = Int[torch.Tensor, " N"]


def by_length(batch: Batch) -> Iterator[tuple[Places, Batch]]:
    """Give the texts of each length, with their places in the batch and without padding."""
    lengths = batch.mask.sum(1)
    for length in sorted(set(lengths.tolist())):
        places = (lengths == length).nonzero()[:, 0]
        texts = batch.rows(places).keep(batch.mask[places])
        if not torch.equal(texts.ids, batch.ids[places, : texts.ids.shape[1]] * texts.mask):
            raise ModelError(
                "one_length: expected padding at the right of each row, got it elsewhere",
                change="let collate pad at the right",
            )
        yield places, texts


def in_order(
    parts: Sequence[Float[torch.Tensor, "_ ..."]],
    places: Sequence[Int[torch.Tensor, " _"]],  # as many of each length as there are, not N of all
    width: int = 0,
) -> Float[torch.Tensor, "B ..."]:
    """Join the outputs of all lengths in the order of the batch; rows with fewer columns than
    ``width`` are padded with 0.
    """
    return torch.cat([_widened(part, width) for part in parts])[torch.cat(list(places)).argsort()]


def _widened(part: Float[torch.Tensor, "N W ..."], width: int) -> Float[torch.Tensor, "N V ..."]:
    behind = [0, 0] * (part.dim() - 2)
    return torch.nn.functional.pad(part, [*behind, 0, max(0, width - part.shape[1])])
