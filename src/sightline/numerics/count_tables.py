"""Sparse tables of counts by text, such as confusion matrices.

A table of C classes has C² cells, and a text adds to few of them: dense tables for each text would
be nearly all zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Array = np.ndarray


@dataclass(frozen=True)
class Counts:
    """How much each text adds to each cell of one table; entries that are not listed are 0.

    ``row`` is the index of the text, ascending; ``cell`` is an index into the flattened table of
    ``shape``.
    """

    row: Int[Array, " K"]
    cell: Int[Array, " K"]
    share: Float[Array, " K"]
    texts: int
    shape: tuple[int, ...]

    @property
    def cells(self) -> int:
        """The number of cells of the table."""
        return int(np.prod(self.shape, dtype=np.int64))

    def total(self) -> Float[Array, " *S"]:
        """Add up all texts."""
        return self.sums(
            np.zeros(self.texts, dtype=np.int64), range(1), np.arange(self.cells)
        ).reshape(self.shape)

    def sums(
        self, members: Int[Array, " N"], groups: range, cells: Int[Array, " U"]
    ) -> Float[Array, "G U"]:
        """Sum the counts of groups of texts in the given cells, which must ascend; ``members``
        gives each text's group.
        """
        out = np.zeros((len(groups), len(cells)))
        group, place = members[self.row] - groups.start, np.searchsorted(cells, self.cell)
        here = (group >= 0) & (group < len(groups)) & (place < len(cells))
        here[here] = cells[place[here]] == self.cell[here]
        np.add.at(out, (group[here], place[here]), self.share[here])
        return out


def stack_counts(several: Sequence[Counts]) -> Counts:
    """Stack tables of the same texts and shape into one table with a new first axis."""
    row, share = (
        np.concatenate([getattr(one, name) for one in several]) for name in ("row", "share")
    )
    cell = np.concatenate([one.cell + i * one.cells for i, one in enumerate(several)])
    order = np.argsort(row, kind="stable")
    return Counts(
        row[order], cell[order], share[order], several[0].texts, (len(several), *several[0].shape)
    )
