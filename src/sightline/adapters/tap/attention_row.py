"""Chooses one row of attention by part, head and row, reads it, and puts it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change, Weights
from sightline.numerics.projections import renormalise

Row = Literal["first", "last", "all"] | int
"""The row that is read: of the first token, of the last without padding, the mean of all, or by
number."""


def last_place(mask: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, " B"]:
    """The last place of each text that is marked; the first of all if none is."""
    return (torch.arange(mask.shape[1], device=mask.device) * mask).argmax(1)


@dataclass(frozen=True)
class AttentionRow:
    """The weights at one site, of one head or of all (None), in one row or in all.

    Several rows are shown as their mean, and an attention that is put back goes into each of them.
    ``by_token`` says whether there is a row for each token, so that a mean leaves out padding.
    """

    site: Site
    head: int | None
    row: Row
    by_token: bool

    @property
    def one(self) -> bool:
        """Whether it is a single row of a single head, which is shown as it is."""
        return self.head is not None and self.row != "all"

    def __str__(self) -> str:
        """Describe the row in words."""
        heads = "mean of all heads" if self.head is None else f"head {self.head}"
        return (
            f"{self.site}, {heads}, {'mean of all rows' if self.row == 'all' else self._describe}"
        )

    @property
    def _describe(self) -> str:
        return f"row {self.row}" if isinstance(self.row, int) else f"row of the {self.row} token"

    def read(
        self, weights: Float[torch.Tensor, "B N Q S"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T"]:
        """Take the row; a module that cuts off padding has weights for fewer tokens."""
        cut = mask[:, : weights.shape[-1]]
        of_heads = weights.mean(1) if self.head is None else weights[:, self.head]
        if self.row == "all":
            real = (cut if self.by_token else torch.ones_like(of_heads[..., 0])).to(of_heads.dtype)[
                :, :, None
            ]
            row = (of_heads * real).sum(1) / real.sum(1)
        else:
            row = of_heads[torch.arange(len(mask), device=mask.device), self._place(mask)]
        return torch.nn.functional.pad(row, (0, mask.shape[1] - cut.shape[1]))

    def rows(
        self, weights: Float[torch.Tensor, "B N Q S"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "*N B T"]:
        """Take all rows that are put back at once: the row of each head, or every row; for a single
        row of one head, that row.
        """
        return self.widened(weights[self._at(mask)].movedim(0, -2), mask.shape[1])

    def widened(
        self, rows: Float[torch.Tensor, "*N B S"], tokens: int
    ) -> Float[torch.Tensor, "*N B T"]:
        """Pad rows to ``tokens`` tokens; if there is a row for each token, add rows as well."""
        beyond = (0, tokens - rows.shape[-1])
        every = self.row == "all" and self.by_token
        return torch.nn.functional.pad(rows, (*beyond, 0, 0, *beyond) if every else beyond)

    def put(self, rows: Float[torch.Tensor, "*N B T"], mask: Bool[torch.Tensor, "B T"]) -> Change:
        """Make the change that replaces the module's rows."""

        def change(weights: Weights) -> Weights:
            changed, new = weights.clone(), rows.movedim(-2, 0)[..., : weights.shape[-1]]
            at = self._at(mask)
            changed[at] = (new[..., : weights.shape[2], :] if self.row == "all" else new).to(
                weights.dtype
            )
            return changed

        return change

    def replaced(
        self,
        own: Float[torch.Tensor, "*N B T"],
        attention: Float[torch.Tensor, "*K B T"],
        words: Bool[torch.Tensor, "B T"],
    ) -> Float[torch.Tensor, "*N B T"]:
        """Distribute each row's weight on words as ``attention`` says; tokens that are no word keep
        their weight.

        ``attention`` is one map for all rows, or one for each. A row may not see every word: a
        decoder's rows end at their own token, and a window ends before. Words that a row cannot see
        stay at zero, and the others share its weight.
        """
        given, seen = attention.to(own.dtype), words & (own != 0)
        if self.row == "all" or bool((seen != words).any()):
            given = renormalise(given.expand_as(own), seen)
        return torch.where(words, given * (own * words).sum(-1, keepdim=True), own)

    def in_sight(
        self, own: Float[torch.Tensor, "*N B T"], words: Bool[torch.Tensor, "B T"]
    ) -> Bool[torch.Tensor, "B T"] | None:
        """Mark the words that a single row sees in some head; None if it sees all, or if all rows
        are read, which together see every word. A row that sees no word has no weight to share.

        A word out of sight has a weight of exactly 0, as a softmax gives it for a mask.
        """
        if self.row == "all":
            return None
        seen = words & (own != 0 if self.head is not None else (own != 0).any(0))
        seen = seen | (words & ~seen.any(1, keepdim=True))
        return None if torch.equal(seen, words) else seen

    def _at(self, mask: Bool[torch.Tensor, "B T"]) -> tuple[Any, ...]:
        """The index of the rows in weights, ``B N Q S``."""
        heads = slice(None) if self.head is None else self.head
        texts = torch.arange(len(mask), device=mask.device)
        return (slice(None), heads) if self.row == "all" else (texts, heads, self._place(mask))

    def _place(self, mask: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, " B"]:
        if self.row == "last":
            return last_place(mask)
        return torch.full_like(
            mask[:, 0], 0 if self.row == "first" else int(self.row), dtype=torch.long
        )
