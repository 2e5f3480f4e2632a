"""Adam over groups of parameters, with tables of embeddings that learn by the rows a batch
reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from sightline.models.embedding_table import EmbeddingTable
from sightline.training.adam_step import AdamStep, Averages
from sightline.training.sparse_embedding_updates import (
    DeferredUpdates,
    EmbeddingRows,
    Spread,
    can_be_put_off,
)


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters that learn alike."""

    parameters: Sequence[nn.Parameter]
    learning_rate: float
    weight_decay: float


class Adam:
    """Moves groups of parameters by their rule, and ``tables`` by rows.

    Its ``averages`` are all it remembers: of each parameter by its number, from the first step in
    which it had a gradient, or was to have one.
    """

    def __init__(
        self,
        groups: Sequence[ParameterGroup],
        amsgrad: bool,
        decoupled: bool = False,
        tables: Sequence[EmbeddingTable] = (),
    ) -> None:
        self.groups = tuple(groups)
        self.rules = tuple(
            AdamStep(one.learning_rate, one.weight_decay, amsgrad, decoupled) for one in groups
        )
        self.averages = dict[int, Averages]()
        self._numbers = {
            id(one): n for n, one in enumerate(one for group in groups for one in group.parameters)
        }
        self._rows = [self._rows_of(table) for table in tables if table.weight.requires_grad]

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let tables learn by rows; at the end they are what they would be if each step had moved
        all of them.
        """
        try:
            for rows in self._rows:
                rows.begin()
            yield
            for rows in self._rows:
                rows.end()
        finally:
            for rows in self._rows:
                rows.table.reader = None

    def gather(self) -> list[torch.Tensor]:
        """Put the gradients of rows where they are looked for; give the rows that no parameter has
        the gradient of.
        """
        return [one for rows in self._rows for one in rows.gather()]

    def spread(self) -> None:
        """Give every table the gradient that its rows have; it is not to be moved by it."""
        for rows in self._rows:
            rows.spread()

    def step(self, skip: torch.Tensor | None = None) -> None:
        """Move every parameter that has a gradient, those of a group in one pass; none where
        ``skip`` is 1.
        """
        self.gather()
        for group, rule in zip(self.groups, self.rules, strict=True):
            moved = [one for one in group.parameters if one.grad is not None]
            rule.move(moved, [self._known(one, rule) for one in moved], skip)
        for rows in self._rows:
            rows.step()

    def _known(self, parameter: torch.Tensor, rule: AdamStep) -> Averages:
        """Give what is remembered of a parameter: nothing but zeros at first."""
        number = self._numbers[id(parameter)]
        if number not in self.averages:
            self.averages[number] = rule.start(parameter)
        return self.averages[number]

    def _rows_of(self, table: EmbeddingTable) -> EmbeddingRows:
        groups = zip(self.groups, self.rules, strict=True)
        rule = next(
            rule for group, rule in groups if any(one is table.weight for one in group.parameters)
        )
        known = partial(self._known, table.weight, rule)
        return DeferredUpdates(table, rule, known) if can_be_put_off(rule) else Spread(table)
