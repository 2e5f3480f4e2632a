"""Adam over groups of parameters, with embedding tables that update only the rows a batch reads."""

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
    """Parameters with the same update rule."""

    parameters: Sequence[nn.Parameter]
    learning_rate: float
    weight_decay: float


class Adam:
    """Updates groups of parameters by their rule, and ``tables`` row by row.

    ``averages`` is its whole state, by parameter index, from the first step in which the parameter
    had a gradient, or should have had one.
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
        """Update tables by rows; afterwards they equal tables that were updated whole in each step."""
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
        """Collect the row gradients where the step expects them; give the rows whose gradient no
        parameter holds.
        """
        return [one for rows in self._rows for one in rows.gather()]

    def spread(self) -> None:
        """Copy the row gradients to each table, for inspection only."""
        for rows in self._rows:
            rows.spread()

    def step(self, skip: torch.Tensor | None = None) -> None:
        """Update every parameter with a gradient, one pass for each group; nothing if ``skip`` is
        1.
        """
        self.gather()
        for group, rule in zip(self.groups, self.rules, strict=True):
            moved = [one for one in group.parameters if one.grad is not None]
            rule.move(moved, [self._known(one, rule) for one in moved], skip)
        for rows in self._rows:
            rows.step()

    def _known(self, parameter: torch.Tensor, rule: AdamStep) -> Averages:
        """Give the averages of a parameter, initially zeros."""
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
