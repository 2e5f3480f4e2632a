"""Run variants of texts from shared vectors: each position gets a score and token logits, without
full states. A scorer of several labels gives one score for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.core.protocols import Batch, Trace
from sightline.models.encoder_protocol import Encoder
from sightline.models.fast.prefix_dedup import DistinctVectors, SharesPrefixes, TokenTypes
from sightline.models.retention import Retention
from sightline.models.scorers import Scorer

AT_ONCE = 4096
"""Number of positions scored together, so that their data fit the processor's cache."""


@dataclass(frozen=True)
class VariantTrace(Trace):
    """The trace of a variant: token logits only, without embeddings or states."""


@dataclass(frozen=True)
class Chain:
    """The parts of a classifier between tokens and pooling."""

    embedding: nn.Embedding
    encoder: Encoder
    retention: Retention
    scorer: Scorer
    affine: nn.Linear

    def read(
        self, batch: Batch
    ) -> tuple[Float[torch.Tensor, "B T *R"], Float[torch.Tensor, "B T L"]]:
        """Give the score and the token logits of every position; zeros on padding."""
        assert isinstance(self.encoder, SharesPrefixes)
        types = types_of(batch, self.embedding)
        parts = self.encoder.distinct(types)
        rows = list(self._through_first_layers(parts, types.embeddings))
        if len(parts) == 1:  # each position has one vector: score the vectors, then place them
            found, at = (
                self._scored(rows, [torch.arange(len(rows[0]), device=batch.ids.device)]),
                parts[0].at,
            )
            there = batch.mask[:, :, None]
            scores = found[0][at] * (batch.mask if found[0].ndim == 1 else there)
            return scores, found[1][at] * there
        scores, logits = self._scored(rows, [part.at[batch.mask] for part in parts])
        laid = (
            scores.new_zeros(*batch.mask.shape, *scores.shape[1:]),
            logits.new_zeros(*batch.mask.shape, logits.shape[1]),
        )
        laid[0][batch.mask], laid[1][batch.mask] = scores, logits
        return laid

    def _through_first_layers(
        self, parts: Sequence[DistinctVectors], embeddings: Float[torch.Tensor, "V E"]
    ) -> Iterator[Float[torch.Tensor, "_ K"]]:
        """Give the contribution of each distinct vector to the scorer's first layer and, in further
        columns, to the token logits.
        """
        weight = torch.cat([self.scorer.first.weight, self.affine.weight]).T
        bias = torch.cat([_bias(self.scorer.first), _bias(self.affine)])
        start, embedded = 0, self.retention.embedded(sum(part.vectors.shape[1] for part in parts))
        for part in parts:
            end = start + part.vectors.shape[1]
            rows = part.vectors @ weight[start:end]
            if not start:
                constant = (
                    bias if embedded is None else (embeddings @ weight[embedded] + bias)[part.token]
                )
                rows += constant
            yield rows
            start = end

    def _scored(
        self, rows: Sequence[Float[torch.Tensor, "_ K"]], at: Sequence[Int[torch.Tensor, " N"]]
    ) -> tuple[Float[torch.Tensor, "N *R"], Float[torch.Tensor, "N L"]]:
        """Sum the contributions at each position, and score them."""
        width = self.scorer.first.out_features
        scores, logits = [], []
        for some in zip(*(torch.split(one, AT_ONCE) for one in at), strict=True):
            summed = rows[0].index_select(0, some[0])
            for others, places in zip(rows[1:], some[1:], strict=True):
                summed += others.index_select(0, places)
            scores.append(self.scorer.rest(summed[:, :width]))
            logits.append(summed[:, width:].clone())
        return torch.cat(scores), torch.cat(logits)


def types_of(batch: Batch, embedding: nn.Embedding) -> TokenTypes:
    """Number the distinct tokens of a batch from 1, in the order of their ids; 0 is padding, with
    embedding 0.
    """
    ids = (batch.ids + 1) * batch.mask
    seen = torch.zeros(int(ids.max()) + 1, dtype=torch.bool, device=ids.device)
    seen[ids] = True
    seen[0] = True
    embeddings = embedding((torch.nonzero(seen)[:, 0] - 1).clamp(min=0))
    embeddings[0] = 0
    return TokenTypes(embeddings, (seen.cumsum(0) - 1)[ids], batch.mask)


def _bias(layer: nn.Linear) -> Float[torch.Tensor, " K"]:
    bias: torch.Tensor | None = layer.bias  # torch's own annotation leaves None out
    return layer.weight.new_zeros(layer.out_features) if bias is None else bias
