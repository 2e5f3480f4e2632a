"""A model that shows weights it does not use: what an audit must see through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float

from sightline.maths.projections import softmax
from sightline.models.attention import Random
from sightline.types import Auditable, Batch, Example, Link, Trace


class Displayed:
    """A model with drawn weights displayed as its attention, which it uses nowhere; an `Auditable`."""

    def __init__(self, model: Auditable, seed: int) -> None:
        self.model = model
        self.shown = Random(softmax, seed, 1.0)
        self.name = f"{model.name}, random weights displayed"
        self.link: Link = model.link
        self.labels = model.labels
        self.origin = model.origin
        self.offers = model.offers

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Collate as the model does."""
        return self.model.collate(examples)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Embed as the model does."""
        return self.model.embed(batch)

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model, and display other weights."""
        trace = self.model.trace(batch, embeddings)
        return replace(trace, attention=self.shown(trace.attention, batch).detach())

    def decode(self, trace: Trace, attention: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
        """Decode with the model's own weights, whatever the attention."""
        with torch.no_grad():
            own = self.model.trace(trace.batch, trace.embeddings).attention
        return self.model.decode(trace, own)
