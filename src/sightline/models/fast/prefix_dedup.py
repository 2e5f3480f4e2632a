"""Texts that share most of their words: what of their states is distinct, so that each vector is
computed once.

Deletions, removals and transplants ask for thousands of texts that differ in a few words. What a
vector of an encoder depends on, a token, its neighbours or all tokens before it, is the same in
many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class Types:
    """The distinct tokens of some texts: their embeddings, zeros the first, which is padding; and
    which is where.
    """

    embeddings: Float[torch.Tensor, "V E"]
    number: Int[torch.Tensor, "B T"]
    mask: Bool[torch.Tensor, "B T"]


@dataclass(frozen=True)
class Distinct:
    """Vectors that are part of a state, each distinct one once: at which token it stands, and where
    which one is.
    """

    vectors: Float[torch.Tensor, "M U"]
    token: Int[torch.Tensor, " M"]
    at: Int[torch.Tensor, "B T"]


@runtime_checkable
class SharesPrefixes(Protocol):
    """An encoder that knows what of its states is distinct.

    Side by side, the parts are the states that the encoder gives of the same texts, at every real
    token. A text without tokens spoils no other. Each vector stands at the token that ``token``
    names.
    """

    @property
    def shares(self) -> bool:
        """Tell whether it does at these sizes."""
        ...

    def distinct(self, types: Types) -> tuple[Distinct, ...]:
        """Give the parts of the states of some texts, each distinct vector once."""
        ...


@dataclass(frozen=True)
class Beginnings:
    """The distinct beginnings of some texts, in order of length: the last token of each, and the
    beginning before it.

    ``ends`` counts those of up to 0, 1, 2, … tokens; ``at`` says which beginning ends at a place.
    """

    last: Int[torch.Tensor, " M"]
    before: Int[torch.Tensor, " M"]
    ends: tuple[int, ...]
    at: Int[torch.Tensor, "B T"]


def beginnings(number: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Beginnings:
    """Find the distinct beginnings: sorted, texts that begin alike lie together, and the first of
    them stands for all.

    >>> found = beginnings(torch.tensor([[1, 2], [1, 3]]), torch.tensor([[True, True], [True, True]]))
    >>> found.last.tolist(), found.before.tolist(), found.at.tolist()
    ([1, 2, 3], [0, 0, 0], [[0, 1], [0, 2]])
    """
    numbers, real = number.cpu().numpy().astype(np.int32), mask.cpu().numpy()
    order = sorted_rows(numbers)
    numbers, real = numbers[order], real[order]
    fresh = np.ones(numbers.shape, dtype=bool)
    fresh[1:] = np.logical_or.accumulate(numbers[1:] != numbers[:-1], axis=1)
    fresh &= real
    ends = np.concatenate([[0], np.cumsum(fresh.sum(0))])
    here = np.where(real, ends[:-1] + np.cumsum(fresh, axis=0) - 1, 0)
    place, row = np.nonzero(fresh.T)
    before = np.where(place > 0, here[row, place - 1], 0)
    at = np.empty_like(here)
    at[order] = here
    found = (
        torch.from_numpy(one.astype(np.int64)).to(number.device)
        for one in (numbers[row, place], before, at)
    )
    last, previous, places = found
    return Beginnings(last, previous, tuple(ends.tolist()), places)


def distinct_rows(rows: Int[Array, "N K"]) -> tuple[Int[Array, "M K"], Int[Array, " N"]]:
    """Give each distinct row once, and say which of them each row is."""
    order = sorted_rows(rows)
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[order][1:] != rows[order][:-1]).any(axis=1)
    which = np.empty(len(rows), dtype=np.int64)
    which[order] = np.cumsum(fresh) - 1
    return rows[order][fresh], which


def sorted_rows(rows: Int[Array, "N K"]) -> Int[Array, " N"]:
    """Order rows so that those with the same beginning lie together: byte by byte, since any order
    does.
    """
    flat = np.ascontiguousarray(rows)
    return np.argsort(
        flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1])))[:, 0], kind="stable"
    )
