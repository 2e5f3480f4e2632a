"""The values that flow through an audit, and what a model and a measure must offer.

Axis letters, used in every signature of the package:

    B texts of a batch      T tokens of a text      Q tokens of a query     E embedding
    H hidden units          P pooled units          C classes or candidates L logits (1 or C)
    R random draws          K shuffles or restarts

Masks are ``True`` on real tokens. Boundary tokens are real but not *attendable*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.results import Measurement, Ragged
from sightline.seeds import Seeds

Link = Literal["sigmoid", "softmax"]
Arrays = Mapping[str, np.ndarray | Ragged]
"""Raw numbers by quantity: ``N``, ``N R``, or one row of its own length for each text."""


@dataclass(frozen=True)
class Example:
    """One text as it was read: its words, where they stand in it, and what is known about it."""

    id: str
    index: int
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    label: int
    query: tuple[str, ...] | None = None
    candidates: tuple[int, ...] | None = None
    rationale: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class Batch:
    """Texts as padded tensors; ``word`` says which word of its text a token belongs to (−1: none).

    Texts with a query bring its tokens, padded likewise; ``candidates`` is True on the answers a text allows.
    """

    ids: Int[torch.Tensor, "B T"]
    mask: Bool[torch.Tensor, "B T"]
    attendable: Bool[torch.Tensor, "B T"]
    word: Int[torch.Tensor, "B T"]
    labels: Int[torch.Tensor, " B"]
    index: Int[torch.Tensor, " B"]
    query_ids: Int[torch.Tensor, "B Q"] | None = None
    query_mask: Bool[torch.Tensor, "B Q"] | None = None
    candidates: Bool[torch.Tensor, "B C"] | None = None

    def __len__(self) -> int:
        """Count the texts."""
        return self.ids.shape[0]

    def to(self, device: torch.device | str) -> Batch:
        """Move every tensor to a device."""
        return replace(self, **{name: tensor.to(device) for name, tensor in self._tensors()})

    def rows(self, index: Int[torch.Tensor, " N"]) -> Batch:
        """Take texts by row, a row as often as it is named."""
        return replace(self, **{name: tensor[index] for name, tensor in self._tensors()})

    def keep(self, kept: Bool[torch.Tensor, "B T"]) -> Batch:
        """Delete every token that is not kept: texts become shorter, padding closes up at the right; queries stay."""
        kept = kept & self.mask
        order = torch.argsort((~kept).to(torch.uint8), dim=1, stable=True)[:, : int(kept.sum(1).max())]
        mask = kept.gather(1, order)
        ids = self.ids.gather(1, order) * mask
        word = self.word.gather(1, order).masked_fill(~mask, -1)
        return replace(self, ids=ids, mask=mask, attendable=self.attendable.gather(1, order) & mask, word=word)

    def _tensors(self) -> list[tuple[str, torch.Tensor]]:
        return [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) is not None]


@dataclass(frozen=True)
class Trace:
    """Everything one forward pass knows; detached unless its embeddings asked for gradients."""

    batch: Batch
    embeddings: Float[torch.Tensor, "B T E"]
    states: Float[torch.Tensor, "B T H"]
    pooled: Float[torch.Tensor, "B T P"]
    scores: Float[torch.Tensor, "B T"]
    attention: Float[torch.Tensor, "B T"]
    logits: Float[torch.Tensor, "B L"]
    token_logits: Float[torch.Tensor, "B T L"] | None = None
    query: Float[torch.Tensor, "B H"] | None = None


@runtime_checkable
class Auditable(Protocol):
    """What an audit asks of a model; ``decode(trace, trace.attention)`` must give ``trace.logits``.

    ``offers`` is a subset of decode, token_logits, embedding_grad, state_grad, fast_deletion.
    """

    @property
    def name(self) -> str:
        """What the report calls the model."""
        ...

    @property
    def link(self) -> Link:
        """How logits become probabilities: one logit and a sigmoid, or C logits and a softmax."""
        ...

    @property
    def offers(self) -> frozenset[str]:
        """What the model can do beyond a trace."""
        ...

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch."""
        ...

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        ...

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model, from given embeddings where there are any (then gradients flow)."""
        ...

    def decode(self, trace: Trace, attention: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
        """Compute the logits under any attention."""
        ...


@dataclass(frozen=True)
class Companions:
    """Models an audit may need beside the one it judges; they read the same batches."""

    uniform: Auditable | None = None

    @property
    def offers(self) -> frozenset[str]:
        """Name the companions at hand, as measures name them in ``needs``."""
        return frozenset(f"companion.{f.name}" for f in fields(self) if getattr(self, f.name) is not None)


@runtime_checkable
class Measure(Protocol):
    """One question about a model: raw numbers for each text, observed and under their null."""

    @property
    def code(self) -> str:
        """A stable name: the anchor in the documentation and the key in an audit."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """What the model or its companions must offer."""
        ...

    @property
    def paper(self) -> str:
        """Where the question was asked first."""
        ...

    @property
    def split(self) -> Literal["test"]:
        """Which texts it is asked of."""
        ...

    def on_batch(self, model: Auditable, trace: Trace, seeds: Seeds) -> Arrays:
        """Measure the texts of one batch."""
        ...

    def finish(self, arrays: Arrays, seeds: Seeds) -> Measurement:
        """Take the texts of all batches, in the order of the split, and count what is undefined, with reasons."""
        ...
