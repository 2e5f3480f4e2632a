"""Tables of counts that texts add to, such as a confusion matrix, kept cell by cell.

A table of C classes has C² cells, and a text adds to one or a few of them: with a table for each
text, nearly all of it would be zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class Counts:
    """How much which text adds to which cell of one table; elsewhere it adds nothing.

    ``row`` numbers the text, and rises; ``cell`` is a place in the table, which is flattened and
    has a ``shape``.
    """

    row: Int[Array, " K"]
    cell: Int[Array, " K"]
    share: Float[Array, " K"]
    texts: int
    shape: tuple[int, ...]

    @property
    def cells(self) -> int:
        """How many cells the table has."""
        return int(np.prod(self.shape, dtype=np.int64))

    def total(self) -> Float[Array, " *S"]:
        """Add up all texts."""
        return self.sums(
            np.zeros(self.texts, dtype=np.int64), range(1), np.arange(self.cells)
        ).reshape(self.shape)

    def sums(
        self, members: Int[Array, " N"], groups: range, cells: Int[Array, " U"]
    ) -> Float[Array, "G U"]:
        """Add up, text by text, what some groups add to some cells, which rise; ``members`` names
        each text's group.
        """
        out = np.zeros((len(groups), len(cells)))
        group, place = members[self.row] - groups.start, np.searchsorted(cells, self.cell)
        here = (group >= 0) & (group < len(groups)) & (place < len(cells))
        here[here] = cells[place[here]] == self.cell[here]
        np.add.at(out, (group[here], place[here]), self.share[here])
        return out


def beside(several: Sequence[Counts]) -> Counts:
    """Put tables of the same texts and of one shape beside each other: one table with one more
    axis, its first.
    """
    row, share = (
        np.concatenate([getattr(one, name) for one in several]) for name in ("row", "share")
    )
    cell = np.concatenate([one.cell + i * one.cells for i, one in enumerate(several)])
    order = np.argsort(row, kind="stable")
    return Counts(
        row[order], cell[order], share[order], several[0].texts, (len(several), *several[0].shape)
    )
