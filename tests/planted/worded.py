"""A model made of a table of numbers for each word, and of one function that gives its map and its
logits.
"""

from collections.abc import Callable, Sequence

import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures

LABELS = ("alpha", "beta")
Ids = Callable[[Example], Sequence[int]]
"""The number of each word of a text, from 1; padding is 0."""


def ids_in(names: Sequence[str]) -> Ids:
    """Number words by their place among the names."""
    return lambda text: [names.index(word) + 1 for word in text.tokens]


def worded(table: torch.Tensor, ids_of: Ids, trace: Callable, **others: Callable) -> Auditable:
    """Make a model of two classes that reads the row of each word in a table; ``others`` are more
    of what `sightline.wrap` takes.
    """

    def collate(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        rows = [[*ids_of(text)] for text in texts]
        width = max(map(len, rows))
        there = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        return torch.tensor([row + [0] * (width - len(row)) for row in rows]), there > 0

    return sightline.wrap(
        torch.nn.Identity().eval(),
        link="sigmoid",
        labels=LABELS,
        embed=lambda batch: table[batch.ids],
        trace=trace,
        **{"collate": collate, **others},
    )


def judged_on(texts: Dataset, model: Auditable) -> Audit:
    """Audit a model by agreement, removal and transfer."""
    chosen = ("agreement", "erasure", "transplant")
    return sightline.audit(model, texts, measures=default_measures(chosen=chosen))


def rows(audit: Audit) -> set[int]:
    """Give the rows of the verdicts, over all texts and by class."""
    return {audit.verdict.row, *(one.row for one in audit.verdict.by_class.values())}
