"""Tables of embeddings that learn by the rows a batch reads, and not as a whole in each step.

A batch reads some hundred rows of a table of ten thousand, and its gradient is taken of these
alone. Where an L2 penalty is part of the gradient, every row moves in each step all the same
(`Spread`). Without one, the steps that Adam makes in a row after its last gradient follow from its
averages, and are put off until the row is read (`DeferredUpdates`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from jaxtyping import Float, Int
from torch.nn.functional import embedding

from sightline.models.embedding_table import EmbeddingTable
from sightline.training.adam_step import BETA1, BETA2, EPSILON, AdamStep, Averages

SETTLED = 40_000
"""The step from which on Adam's corrections of its start are 1 in double precision: .999^40,000 <
10⁻¹⁷."""
AT_ONCE = 4096
"""Rows whose steps are made at once at the end of an epoch, so that a large table is not copied."""
STRONGEST = 0.01
"""The largest share of a weight that a step may let decay for steps to be put off: a sum over them
must converge."""


class EmbeddingRows:
    """Looks up the rows of a batch as a tensor of their own, which has their gradient."""

    def __init__(self, table: EmbeddingTable) -> None:
        self.table = table
        self.read = list[tuple[torch.Tensor, Averages]]()

    def __call__(self, ids: Int[torch.Tensor, "*B T"]) -> Float[torch.Tensor, "*B T E"]:
        """Look up the embeddings of ids."""
        rows, places = torch.unique(ids, return_inverse=True)
        copies = self.copies(rows)
        if torch.is_grad_enabled():
            copies["weight"].requires_grad_()
            self.read.append((rows, copies))
        padded = (
            int(rows[0]) == self.table.padding_idx
        )  # rows are sorted, and padding has the least number
        return embedding(places, copies["weight"], padding_idx=0 if padded else None)

    def copies(self, rows: Int[torch.Tensor, " R"]) -> Averages:
        """Copy the weight of these rows as it is now, and what moves with it."""
        return {"weight": self.table.weight.detach().index_select(0, rows)}

    def begin(self) -> None:
        """Look words up from now on."""
        if by_rows(self.table):
            self.table.reader = self

    def end(self) -> None:
        """Leave the table whole."""

    def gather(self) -> list[torch.Tensor]:
        """Put gradients where they are looked for; give the rows that no parameter has the gradient
        of.
        """
        raise NotImplementedError

    def spread(self) -> None:
        """Give the table the gradient that its rows have, for whoever looks for it there."""
        for rows, copies in self.read:
            if (found := copies["weight"].grad) is not None:
                whole = torch.zeros_like(self.table.weight, requires_grad=False)
                self.table.weight.grad = whole.index_add_(0, rows, found)

    def step(self) -> None:
        """End a step of the optimiser."""
        self.read.clear()


class Spread(EmbeddingRows):
    """Gives the table its gradient: zeros but in the rows of a batch, in memory that is made
    once.
    """

    def __init__(self, table: EmbeddingTable) -> None:
        super().__init__(table)
        self.gradient: torch.Tensor | None = None

    def gather(self) -> list[torch.Tensor]:
        """Add what rows have to the gradient of the table."""
        for rows, copies in self.read:
            if (found := copies["weight"].grad) is not None:
                if self.gradient is None:
                    self.gradient = torch.zeros_like(self.table.weight, requires_grad=False)
                self.table.weight.grad = self.gradient.index_add_(0, rows, found)
                copies["weight"].grad = None
        return []

    def step(self) -> None:
        """Make the gradient zero again."""
        if self.gradient is not None:
            for rows, _ in self.read:
                self.gradient.index_fill_(0, rows, 0)
            self.table.weight.grad = None
        super().step()


class DeferredUpdates(EmbeddingRows):
    """Moves the rows of a batch alone; the steps of the others are put off until they are read, and
    made at once.

    The averages remember of each row its last step (``rows``). The learning rate must stay.
    """

    def __init__(
        self, table: EmbeddingTable, rule: AdamStep, known: Callable[[], Averages]
    ) -> None:
        super().__init__(table)
        self.rule, self._known = rule, known

    def known(self) -> Averages:
        """Give the averages of the table, with the last step of each row."""
        known = self._known()
        if "rows" not in known:
            known["rows"] = known["step"].long().repeat(len(self.table.weight))
        return known

    def copies(self, rows: Int[torch.Tensor, " R"]) -> Averages:
        """Copy the weight and the averages of these rows, and make their steps that were put
        off.
        """
        known, like = self.known(), self.table.weight
        copies = {
            name: value.index_select(0, rows)
            for name, value in known.items()
            if value.shape == like.shape
        }
        copies |= super().copies(rows)
        make_up(copies, known["rows"][rows], int(known["step"]), self.rule)
        return copies

    def begin(self) -> None:
        """Look words up from now on; where the table is to be moved as a whole, no row of it may be
        behind.
        """
        super().begin()
        if self.table.reader is None and "rows" in self._known():
            self._settle()
            del self._known()["rows"]

    def end(self) -> None:
        """Make the steps of all rows that were put off."""
        if self.table.reader is self:
            self._settle()

    def gather(self) -> list[torch.Tensor]:
        """Give the rows of a batch, each once."""
        if self.table.reader is self:
            assert (
                self.table.weight.grad is None
            )  # what reads the table itself reads rows that are behind
        self.read = [
            (rows, copies) for rows, copies in self.read if copies["weight"].grad is not None
        ]
        if len(self.read) > 1:
            self.read = [self._joined()]
        return [copies["weight"] for _, copies in self.read]

    def step(self) -> None:
        """Move the rows of a batch."""
        for rows, copies in self.read:
            self.rule.move([copies["weight"]], [copies | {"step": self.known()["step"]}])
            self._write(rows, copies)
        super().step()

    def _joined(self) -> tuple[torch.Tensor, Averages]:
        """Make one of several lookups in a step: a row in two of them has the sum of their
        gradients.
        """
        rows, places = torch.unique(torch.cat([rows for rows, _ in self.read]), return_inverse=True)
        copies = self.copies(rows)
        found = [grad for _, one in self.read if (grad := one["weight"].grad) is not None]
        copies["weight"].grad = torch.zeros_like(copies["weight"]).index_add_(
            0, places, torch.cat(found)
        )
        return rows, copies

    def _settle(self) -> None:
        for rows in torch.split(
            torch.arange(len(self.table.weight), device=self.table.weight.device), AT_ONCE
        ):
            self._write(rows, self.copies(rows))

    @torch.no_grad()
    def _write(self, rows: Int[torch.Tensor, " R"], copies: Averages) -> None:
        known = self.known()
        for name, value in copies.items():
            (self.table.weight if name == "weight" else known[name]).index_copy_(
                0, rows, value.detach()
            )
        known["rows"].index_fill_(0, rows, int(known["step"]))


def by_rows(table: EmbeddingTable) -> bool:
    """Tell whether a table learns by rows; a GPU moves it as a whole before it could say which rows
    there are.
    """
    return table.weight.device.type == "cpu"


def can_be_put_off(rule: AdamStep) -> bool:
    """Tell whether a row without a gradient moves by its averages alone, and its weight fades
    slowly enough.
    """
    fades = rule.learning_rate * rule.weight_decay
    return rule.weight_decay == 0 or (rule.decoupled and fades <= STRONGEST)


def make_up(known: Averages, since: Int[torch.Tensor, " R"], now: int, rule: AdamStep) -> None:
    """Make the steps of rows up to ``now``, in which they had no gradient, at once:
    docs/decisions/0058.
    """

    def column(factors: torch.Tensor) -> torch.Tensor:
        return factors[:, None].to(known["weight"])

    missed = (now - since).double()
    stays = 1 - rule.learning_rate * rule.weight_decay
    ratio = BETA1 / stays / (1 if rule.amsgrad else BETA2**0.5)
    tails = _tails(ratio).to(since.device)
    reach = tails[since.clamp(max=SETTLED)] - ratio**missed * tails[min(now, SETTLED)]
    small = EPSILON * (1 - BETA2 ** (since + 1.0)).sqrt()
    sizes = known["max_exp_avg_sq" if rule.amsgrad else "exp_avg_sq"].sqrt().add_(column(small))
    moves = known["exp_avg"].mul(column(rule.learning_rate * reach)).div_(sizes)
    known["weight"].sub_(moves).mul_(column(stays**missed))
    known["exp_avg"].mul_(column(BETA1**missed))
    known["exp_avg_sq"].mul_(column(BETA2**missed))


@cache
def _tails(ratio: float) -> Float[torch.Tensor, " S"]:
    """Sum ``ratio**j · c(t + j)`` over j from 1, for each step t, where c are Adam's corrections of
    its start.
    """
    steps = torch.arange(1, SETTLED + 1, dtype=torch.float64)
    corrections: list[float] = ((1 - BETA2**steps).sqrt() / (1 - BETA1**steps)).tolist()
    tails = [ratio / (1 - ratio)]  # from where on the corrections are 1
    for correction in reversed(corrections):
        tails.append(ratio * (correction + tails[-1]))
    return torch.tensor(tails[::-1], dtype=torch.float64)
