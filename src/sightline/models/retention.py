"""Word retention (Tutek & Šnajder 2020, §3.1): keeps the input in the hidden states, by the pooled
vectors or by the loss.

A retention makes the pooled vectors (``pool``), and may add a loss to the training loss
(``penalty``). It applies to the encoder of the text, never to the encoder of a query.

What every retention guarantees (``tests/contract/test_parts.py``): a pooled vector depends on the
state and the embedding of its own token only, and has the width given by the model's spec.
``embedded`` names the columns where the embedding is added; other columns do not depend on it. A
penalty is one finite number from 0 upwards, or None; padding and texts without tokens add nothing
to it, and its gradient is finite. Randomness depends on the seed and the number of batches so far.
Inputs are not modified.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import nn
from torch.nn.functional import cross_entropy

from sightline.config.specs import ModelSpec
from sightline.core.seeds import seed_for
from sightline.data.vocabulary import SPECIALS, UNK
from sightline.models.classifier_trace import ClassifierTrace
from sightline.models.encoder_protocol import Encoder


@dataclass(frozen=True)
class Setting:
    """The context of a retention: the embeddings, the encoder, and the seed of the run."""

    spec: ModelSpec
    embedding: nn.Embedding
    encoder: Encoder
    seed: int


class NoRetention(nn.Module):
    """No retention: attention pools the states of the encoder."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give the vectors that attention sums."""
        return states

    def embedded(self, states: int) -> slice | None:
        """Give the columns of the pooled vectors that contain the embedding; a state has ``states``
        columns.
        """
        return None

    def penalty(
        self, trace: ClassifierTrace, embedding: nn.Embedding, encoder: Encoder
    ) -> Float[torch.Tensor, ""] | None:
        """Give the loss to add for a batch, or None, from the model's trace and its parts."""
        return None


class Concat(NoRetention):
    """``[h_t ; e_t]`` (eq. 2): state and embedding concatenated."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give the vectors that attention sums."""
        return torch.cat([states, embeddings], dim=2)

    def embedded(self, states: int) -> slice:
        """The columns after the state."""
        return slice(states, None)


class Residual(NoRetention):
    """``e_t + h_t`` (eq. 3)."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give the vectors that attention sums."""
        return embeddings + states

    def embedded(self, states: int) -> slice:
        """All columns."""
        return slice(None)


class Tying(NoRetention):
    """``δ / T · Σ_t ‖h_t − e_t‖²`` (eq. 4), averaged over all real tokens of a batch, including
    boundaries.
    """

    def __init__(self, setting: Setting, delta: float) -> None:
        super().__init__(setting)
        self.delta = delta

    def penalty(
        self, trace: ClassifierTrace, embedding: nn.Embedding, encoder: Encoder
    ) -> Float[torch.Tensor, ""]:
        """Give the loss to add."""
        apart = (trace.states - trace.embeddings).square().sum(2)
        return self.delta * apart[trace.batch.mask].mean()


class MaskedLanguageModel(NoRetention):
    """``η`` times the mean loss of predicting masked words with the frozen embeddings as decoder
    (eq. 5).

    Each word is chosen with probability p; of these, 80 % are masked, 10 % become a random word and
    10 % stay (Devlin et al. 2019). The vector of the unknown word is the mask, so there is no new
    parameter.
    """

    def __init__(self, setting: Setting, eta: float, p: float) -> None:
        super().__init__(setting)
        setting.embedding.weight.requires_grad_(False)
        self.eta, self.p, self.seed, self.batches = eta, p, setting.seed, 0

    def penalty(
        self, trace: ClassifierTrace, embedding: nn.Embedding, encoder: Encoder
    ) -> Float[torch.Tensor, ""]:
        """Give the loss to add; 0 if no word was chosen."""
        batch = trace.batch
        # Drawn on the CPU: another device draws other numbers from the same seed.
        generator = torch.Generator().manual_seed(seed_for(self.seed, "mlm", self.batches))
        self.batches += 1
        hidden, chosen = masked(
            batch.ids, batch.attendable, self.p, embedding.num_embeddings, generator
        )
        states = encoder(embedding(hidden), batch.mask)[chosen]
        losses = cross_entropy(states @ embedding.weight.T, batch.ids[chosen], reduction="sum")
        return self.eta * losses / chosen.sum().clamp(min=1)


def masked(
    ids: Int[torch.Tensor, "B T"],
    words: Bool[torch.Tensor, "B T"],
    p: float,
    vocabulary: int,
    generator: torch.Generator,
) -> tuple[Int[torch.Tensor, "B T"], Bool[torch.Tensor, "B T"]]:
    """Choose words with probability p; replace 80 % of them by the mask and 10 % by a random word,
    and keep 10 %.
    """

    def drawn() -> torch.Tensor:
        return torch.rand(ids.shape, generator=generator).to(ids.device)

    chosen = words & (drawn() < p)
    fate = drawn()
    others = torch.randint(SPECIALS, vocabulary, ids.shape, generator=generator).to(ids.device)
    hidden = torch.where(chosen & (fate < 0.8), torch.full_like(ids, UNK), ids)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, hidden), chosen


Retention = NoRetention
