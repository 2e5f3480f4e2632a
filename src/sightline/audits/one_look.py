"""Whether an audit measures all its texts at once, because it is too small to gain from several
looks.

The decision depends on words and weights, never on a clock: the same command makes the same looks
everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.audits.look_plan import few_of, first_look
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.measures.attribution_maps import shares_texts
from sightline.models.classifier import AttentionClassifier

CHANGED = 300
"""About how many changed texts the tests run for each text, in addition to one for each of its
words."""
FEW_WORDS = 600_000
"""Words of changed texts that a small model runs in about three seconds: one took 2 to 7 µs in full
audits of models of the calibration, of SST and of IMDB (docs/decisions/0122-one-look.md)."""
SMALL = 1_000_000
"""The most weights of a small model, without embeddings: every word of a changed text runs through
each."""
SHORT_BUDGET = 60.0
"""A budget of fewer seconds may be too short for a single look."""


def takes_one_look(
    model: Auditable, texts: Sequence[Example], planned: int, budget: float | None = None
) -> bool:
    """Whether all ``planned`` texts are measured at once; ``texts`` are examples of them."""
    if not isinstance(model, AttentionClassifier):  # the cost of a text is unknown
        return False
    if budget is not None and budget < SHORT_BUDGET:
        return False
    weights = sum(one.numel() for one in model.parameters()) - model.embedding.weight.numel()
    words = sum(len(text.tokens) * (len(text.tokens) + CHANGED) for text in texts)
    return weights <= SMALL and words * planned <= FEW_WORDS * len(texts)


def few_before(model: Auditable, first: int, fewest: int) -> int:
    """The number of texts that are measured before the others of a first look, if a budget may end
    before it; 0 for a model that finds deletions from what texts share, which is fast.
    """
    return 0 if shares_texts(model) else few_of(first, fewest)


def size_of_first_look(
    model: Auditable, texts: Sequence[Example], planned: int, budget: float | None = None
) -> int:
    """The number of texts at the first look, if every prediction equals the label."""
    once = takes_one_look(model, texts, planned, budget)
    return planned if once else first_look(texts, planned)
