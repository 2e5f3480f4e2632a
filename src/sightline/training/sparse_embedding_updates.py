"""Embedding tables that update only the rows that a batch reads.

A batch reads some hundred rows of a table of ten thousand, and gets the gradient of these rows
only. With an L2 penalty in the gradient, every row changes in each step anyway (`Spread`). Without
one, Adam's updates of a row after its last gradient follow from its averages, and are deferred
until the row is read (`DeferredUpdates`).
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
"""The step from which Adam's bias corrections are 1 in double precision: 0.999^40,000 < 10⁻¹⁷."""
AT_ONCE = 4096
"""Number of rows updated at once at the end of an epoch, to avoid copying a large table."""
STRONGEST = 0.01
"""The largest weight decay per step that allows deferred updates: a sum over the steps must
converge."""


class EmbeddingRows:
    """Looks up the rows of a batch as a separate tensor, which receives their gradient."""

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
        )  # rows are sorted, and padding has the lowest id
        return embedding(places, copies["weight"], padding_idx=0 if padded else None)

    def copies(self, rows: Int[torch.Tensor, " R"]) -> Averages:
        """Copy the current weights of these rows, and their averages."""
        return {"weight": self.table.weight.detach().index_select(0, rows)}

    def begin(self) -> None:
        """Take over the lookup of the table."""
        if by_rows(self.table):
            self.table.reader = self

    def end(self) -> None:
        """Return the lookup to the table, with all rows up to date."""

    def gather(self) -> list[torch.Tensor]:
        """Collect the gradients where the step expects them; give the rows whose gradient no
        parameter holds.
        """
        raise NotImplementedError

    def spread(self) -> None:
        """Copy the row gradients to the table, for inspection."""
        for rows, copies in self.read:
            if (found := copies["weight"].grad) is not None:
                whole = torch.zeros_like(self.table.weight, requires_grad=False)
                self.table.weight.grad = whole.index_add_(0, rows, found)

    def step(self) -> None:
        """Finish an optimiser step."""
        self.read.clear()


class Spread(EmbeddingRows):
    """Gives the table a full gradient, zero outside the batch's rows, in a reused buffer."""

    def __init__(self, table: EmbeddingTable) -> None:
        super().__init__(table)
        self.gradient: torch.Tensor | None = None

    def gather(self) -> list[torch.Tensor]:
        """Add the row gradients to the table's gradient."""
        for rows, copies in self.read:
            if (found := copies["weight"].grad) is not None:
                if self.gradient is None:
                    self.gradient = torch.zeros_like(self.table.weight, requires_grad=False)
                self.table.weight.grad = self.gradient.index_add_(0, rows, found)
                copies["weight"].grad = None
        return []

    def step(self) -> None:
        """Reset the gradient to zero."""
        if self.gradient is not None:
            for rows, _ in self.read:
                self.gradient.index_fill_(0, rows, 0)
            self.table.weight.grad = None
        super().step()


class DeferredUpdates(EmbeddingRows):
    """Updates only the rows of a batch; updates of other rows are deferred until they are read, and
    then applied at once.

    The averages record the last step of each row (``rows``). The learning rate must be constant.
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
        """Copy the weights and averages of these rows, and apply their deferred updates."""
        known, like = self.known(), self.table.weight
        copies = {
            name: value.index_select(0, rows)
            for name, value in known.items()
            if value.shape == like.shape
        }
        copies |= super().copies(rows)
        catch_up(copies, known["rows"][rows], int(known["step"]), self.rule)
        return copies

    def begin(self) -> None:
        """Take over the lookup. If the table was updated as a whole, no row may have deferred
        updates.
        """
        super().begin()
        if self.table.reader is None and "rows" in self._known():
            self._settle()
            del self._known()["rows"]

    def end(self) -> None:
        """Apply all deferred updates."""
        if self.table.reader is self:
            self._settle()

    def gather(self) -> list[torch.Tensor]:
        """Give the rows of a batch, each once."""
        if self.table.reader is self:
            assert (
                self.table.weight.grad is None
            )  # code that reads the table directly would see outdated rows
        self.read = [
            (rows, copies) for rows, copies in self.read if copies["weight"].grad is not None
        ]
        if len(self.read) > 1:
            self.read = [self._joined()]
        return [copies["weight"] for _, copies in self.read]

    def step(self) -> None:
        """Update the rows of a batch."""
        for rows, copies in self.read:
            self.rule.move([copies["weight"]], [copies | {"step": self.known()["step"]}])
            self._write(rows, copies)
        super().step()

    def _joined(self) -> tuple[torch.Tensor, Averages]:
        """Merge several lookups of one step; a row in two of them gets the sum of its gradients."""
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
    """Tell whether a table is updated by rows; on a GPU, updating the whole table is faster than
    finding the rows.
    """
    return table.weight.device.type == "cpu"


def can_be_put_off(rule: AdamStep) -> bool:
    """Tell whether updates can be deferred: a row without gradient changes by its averages only,
    and decays slowly enough.
    """
    fades = rule.learning_rate * rule.weight_decay
    return rule.weight_decay == 0 or (rule.decoupled and fades <= STRONGEST)


def catch_up(known: Averages, since: Int[torch.Tensor, " R"], now: int, rule: AdamStep) -> None:
    """Apply the updates of rows without gradient up to step ``now`` at once (docs/decisions/0058)."""

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
    """Sum ``ratio**j · c(t + j)`` over j from 1, for each step t, where c are Adam's bias
    corrections.
    """
    steps = torch.arange(1, SETTLED + 1, dtype=torch.float64)
    corrections: list[float] = ((1 - BETA2**steps).sqrt() / (1 - BETA1**steps)).tolist()
    tails = [ratio / (1 - ratio)]  # from the step where the corrections are 1
    for correction in reversed(corrections):
        tails.append(ratio * (correction + tails[-1]))
    return torch.tensor(tails[::-1], dtype=torch.float64)
