"""A model that offers less than it could: what an audit makes of a classifier that nobody has
opened.
"""

from dataclasses import replace

import torch

from sightline.core.protocols import Batch, Capability, Trace
from sightline.models.classifier import AttentionClassifier


class Offering:
    """A built-in model behind the offers that are named; what it does not offer breaks, and is not
    in its traces.
    """

    origin, labels = "elsewhere", None

    def __init__(self, model: AttentionClassifier, *offers: Capability) -> None:
        self.model, self.name, self.link = model, model.name, model.link
        self.offers = frozenset(offers)
        self.collate, self.embed = model.collate, model.embed

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        assert embeddings is None or "embedding_grad" in self.offers
        own = self.model.trace(batch, embeddings)
        shown = own.token_logits if "token_logits" in self.offers else None
        return Trace(batch, own.embeddings, own.attention, own.logits, shown, inside=own)

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        assert "decode" in self.offers
        return self.model.decode(replace(trace.inside, batch=trace.batch), attention)
