"""The built-in classifier: a chain of parts, any of whose attentions may be replaced at decoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import nn

from sightline.data.batching import collate
from sightline.data.vocabulary import PAD, Vocabulary
from sightline.models.attention import PROJECTIONS, SCORERS, SOURCES, Source
from sightline.models.decoders import Linear
from sightline.models.encoders import ENCODERS
from sightline.seeds import seed_for
from sightline.spec import ModelSpec, Part
from sightline.types import Batch, Example, Link, Trace


class AttentionClassifier(nn.Module):
    """Classify single texts by attention over encoded tokens; an `Auditable`.

    Where attention comes from is an argument (``source``), not a subclass: learned, uniform, random or given.
    """

    def __init__(self, spec: ModelSpec, vocabulary: Vocabulary, label_names: tuple[str, ...], source: Source) -> None:
        super().__init__()
        self.spec = spec
        self.vocabulary = vocabulary
        self.label_names = label_names
        self.source = source
        self.embedding = nn.Embedding(len(vocabulary), spec.embedding, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=spec.embedding_std)
        with torch.no_grad():
            self.embedding.weight[PAD] = 0
        self.encoder = ENCODERS[spec.encoder.name](spec.encoder, spec.embedding)
        self.scorer = SCORERS[spec.scorer.name](spec.scorer, self.encoder.size)
        self.decoder = Linear(self.encoder.size, len(label_names))

    @property
    def name(self) -> str:
        """The spec text of the model."""
        return str(self.spec)

    @property
    def link(self) -> Link:
        """A sigmoid for two classes, a softmax for more."""
        return "sigmoid" if len(self.label_names) == 2 else "softmax"

    @property
    def offers(self) -> frozenset[str]:
        """Everything an affine decoder allows; deletion goes the plain way."""
        return frozenset({"decode", "token_logits", "embedding_grad", "state_grad"})

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.embedding.weight.device

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch on the model's device."""
        return collate(examples, self.vocabulary, self.spec.boundaries).to(self.device)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        vectors: torch.Tensor = self.embedding(batch.ids)
        return vectors

    def forward(self, batch: Batch) -> Float[torch.Tensor, "B L"]:
        """Compute the logits, with gradients to every parameter: for training."""
        return self._run(batch, self.embed(batch)).logits

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model; detached, unless embeddings are given to take gradients of."""
        if embeddings is not None:
            return self._explained(self._run(batch, embeddings))
        with torch.no_grad():
            return self._explained(self._run(batch, self.embed(batch)))

    def decode(self, trace: Trace, attention: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
        """Pool under any attention and decode."""
        return self._pool(trace.pooled, attention)

    def _pool(
        self, pooled: Float[torch.Tensor, "B T P"], attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        logits: torch.Tensor = self.decoder(torch.einsum("bt,btp->bp", attention, pooled))
        return logits

    def _run(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"]) -> Trace:
        states = self.encoder(embeddings, batch.mask)
        scores = self.scorer(states)
        attention = self.source(scores, batch)
        return Trace(batch, embeddings, states, states, scores, attention, self._pool(states, attention))

    def _explained(self, trace: Trace) -> Trace:
        return replace(trace, token_logits=self.decoder(trace.pooled))


def build(spec: ModelSpec, vocabulary: Vocabulary, label_names: tuple[str, ...], seed: int) -> AttentionClassifier:
    """Make an untrained classifier whose weights depend on the seed alone, not on what was drawn before."""
    source = SOURCES[spec.source.name](spec.source, PROJECTIONS[spec.projection.name], seed)
    spec.projection.only()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(seed, "weights"))
        return AttentionClassifier(spec, vocabulary, label_names, source).eval()


def with_uniform_attention(spec: ModelSpec) -> ModelSpec:
    """Describe the same model with every word weighted alike: the companion that shows whether choosing pays."""
    return replace(spec, source=Part("uniform"))
