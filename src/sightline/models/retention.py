"""What keeps the input in the hidden states (Tutek & Šnajder 2020, §3.1): by what attention pools,
or by the loss.

A retention makes the pooled vectors (``pool``), and may add a loss to that of training
(``penalty``). Only the encoder of the text is concerned, never that of a query.

What every retention promises (``tests/contract/test_parts.py``): a pooled vector depends on the
state and the embedding of its own token alone, and is as wide as the spec of the model says. Where
``embedded`` names columns, the embedding is added there; elsewhere the vector does not depend on
it. A penalty is one finite number from 0 upwards, or none; padding and texts without tokens add
nothing to it, and its gradient is finite. What it draws comes from the seed and from how many
batches there were. Inputs are left as they were.
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
    """What a retention is built into: the embeddings it reads, the encoder it tames, and the seed
    of the run.
    """

    spec: ModelSpec
    embedding: nn.Embedding
    encoder: Encoder
    seed: int


class Nothing(nn.Module):
    """No retention: attention pools the states of the encoder."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give what attention sums."""
        return states

    def embedded(self, states: int) -> slice | None:
        """Say in which columns of what attention sums the embedding is, beside or within ``states``
        of a state.
        """
        return None

    def penalty(
        self, trace: ClassifierTrace, embedding: nn.Embedding, encoder: Encoder
    ) -> Float[torch.Tensor, ""] | None:
        """Give the loss to add to that of a batch, if there is any, from what the model made of it
        and is made of.
        """
        return None


class Concat(Nothing):
    """``[h_t ; e_t]`` (eq. 2): the embedding beside the state."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give what attention sums."""
        return torch.cat([states, embeddings], dim=2)

    def embedded(self, states: int) -> slice:
        """Say that it stands after the state."""
        return slice(states, None)


class Residual(Nothing):
    """``e_t + h_t`` (eq. 3)."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)

    def pool(
        self, states: Float[torch.Tensor, "B T H"], embeddings: Float[torch.Tensor, "B T E"]
    ) -> Float[torch.Tensor, "B T P"]:
        """Give what attention sums."""
        return embeddings + states

    def embedded(self, states: int) -> slice:
        """Say that it is added to the whole state."""
        return slice(None)


class Tying(Nothing):
    """``δ / T · Σ_t ‖h_t − e_t‖²`` (eq. 4), averaged over all real tokens of a batch, boundaries
    among them.
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


class MaskedLanguageModel(Nothing):
    """``η`` times the mean loss of guessing masked words, decoded with the embeddings, which are
    frozen (eq. 5).

    Each word is chosen with probability p; of the chosen 80 % are masked, 10 % become a random word
    and 10 % stay (Devlin et al. 2019). The vector of the unknown word is the mask, so that there is
    no new parameter.
    """

    def __init__(self, setting: Setting, eta: float, p: float) -> None:
        super().__init__(setting)
        setting.embedding.weight.requires_grad_(False)
        self.eta, self.p, self.seed, self.batches = eta, p, setting.seed, 0

    def penalty(
        self, trace: ClassifierTrace, embedding: nn.Embedding, encoder: Encoder
    ) -> Float[torch.Tensor, ""]:
        """Give the loss to add; without a chosen word it is 0."""
        batch = trace.batch
        generator = torch.Generator(batch.ids.device).manual_seed(
            seed_for(self.seed, "mlm", self.batches)
        )
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
    """Choose words with probability p; hide 80 % behind the mask, 10 % behind a random word, and 10
    % not at all.
    """

    def drawn() -> torch.Tensor:
        return torch.rand(ids.shape, generator=generator, device=ids.device)

    chosen = words & (drawn() < p)
    fate = drawn()
    others = torch.randint(SPECIALS, vocabulary, ids.shape, generator=generator, device=ids.device)
    hidden = torch.where(chosen & (fate < 0.8), torch.full_like(ids, UNK), ids)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, hidden), chosen


Retention = Nothing
