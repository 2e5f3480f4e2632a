"""Deduplicate the vectors of texts that share most of their words, so that each is computed once.

Deletions, removals and transfers produce thousands of texts that differ in a few words. A vector of
an encoder depends on a token, its neighbours or all tokens before it, and these repeat in many
texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class TokenTypes:
    """The distinct tokens of some texts: their embeddings (row 0 is padding, zeros), and the number
    of each token.
    """

    embeddings: Float[torch.Tensor, "V E"]
    number: Int[torch.Tensor, "B T"]
    mask: Bool[torch.Tensor, "B T"]


@dataclass(frozen=True)
class DistinctVectors:
    """Distinct vectors that form a part of the states, the token of each, and which vector each
    position uses.
    """

    vectors: Float[torch.Tensor, "M U"]
    token: Int[torch.Tensor, " M"]
    at: Int[torch.Tensor, "B T"]


@runtime_checkable
class SharesPrefixes(Protocol):
    """An encoder that can compute distinct vectors once.

    Concatenated, the parts equal the encoder's states of the same texts at every real token. A text
    without tokens does not affect others. ``token`` names the token of each vector.
    """

    @property
    def shares(self) -> bool:
        """Tell whether this works at the current sizes."""
        ...

    def distinct(self, types: TokenTypes) -> tuple[DistinctVectors, ...]:
        """Compute the parts of the states, each distinct vector once."""
        ...


@dataclass(frozen=True)
class DistinctPrefixes:
    """The distinct prefixes of some texts, in order of length: the last token of each, and its
    parent prefix.

    ``ends`` counts the prefixes of up to 0, 1, 2, … tokens; ``at`` gives the prefix that ends at
    each position.
    """

    last: Int[torch.Tensor, " M"]
    before: Int[torch.Tensor, " M"]
    ends: tuple[int, ...]
    at: Int[torch.Tensor, "B T"]


def beginnings(
    number: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
) -> DistinctPrefixes:
    """Find the distinct prefixes: after sorting, texts with equal prefixes are adjacent, and the
    first represents all.

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
    return DistinctPrefixes(last, previous, tuple(ends.tolist()), places)


def distinct_rows(rows: Int[Array, "N K"]) -> tuple[Int[Array, "M K"], Int[Array, " N"]]:
    """Give the distinct rows, and the index of each row among them."""
    order = sorted_rows(rows)
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[order][1:] != rows[order][:-1]).any(axis=1)
    which = np.empty(len(rows), dtype=np.int64)
    which[order] = np.cumsum(fresh) - 1
    return rows[order][fresh], which


def sorted_rows(rows: Int[Array, "N K"]) -> Int[Array, " N"]:
    """Sort rows so that equal prefixes are adjacent, byte by byte, since any order will do."""
    flat = np.ascontiguousarray(rows)
    return np.argsort(
        flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1])))[:, 0], kind="stable"
    )
