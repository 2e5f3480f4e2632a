"""Whether an audit that stops when its verdict is settled needs more than one look: a small one
does not.

It goes by words and weights, never by a clock: the same command makes the same looks everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.models.classifier import AttentionClassifier

CHANGED = 300
"""About as many changed texts as the tests ask of each text, next to one for each of its words."""
FEW_WORDS = 600_000
"""Words of changed texts that a small model runs in about three seconds: one took 2 to 7 µs in full
audits of models of the calibration, of SST and of IMDB (docs/decisions/0122-one-look.md)."""
SMALL = 1_000_000
"""The most weights of a small model, embeddings not counted: a word of a changed text runs through
each."""
SHORT_BUDGET = 60.0
"""Seconds of a budget into which one look might not fit."""


def takes_one_look(
    model: Auditable, texts: Sequence[Example], planned: int, budget: float | None = None
) -> bool:
    """Tell whether all ``planned`` texts, of which ``texts`` are examples, are measured at once."""
    if not isinstance(model, AttentionClassifier):  # nothing is known of what a text costs
        return False
    if budget is not None and budget < SHORT_BUDGET:
        return False
    weights = sum(one.numel() for one in model.parameters()) - model.embedding.weight.numel()
    words = sum(len(text.tokens) * (len(text.tokens) + CHANGED) for text in texts)
    return weights <= SMALL and words * planned <= FEW_WORDS * len(texts)
