"""One row of attention among all that a module makes: which part, which head, which row; read, and put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.tap.mode import Site
from sightline.adapters.tap.tap import Change, Weights

Row = Literal["first", "last", "all"] | int
"""The row that reads the text: of its first token, of its last that is no padding, the mean of all, or by number."""


@dataclass(frozen=True)
class Choice:
    """The weights at one site, of one head or the mean of all (None), in one row or the mean of all.

    ``by_token`` says whether there is a row for each token, so that those of padding are left out of a mean.
    """

    site: Site
    head: int | None
    row: Row
    by_token: bool

    @property
    def one(self) -> bool:
        """Whether it is one row of one head: a mean cannot be put back in one way."""
        return self.head is not None and self.row != "all"

    def __str__(self) -> str:
        """Say what it is in words."""
        heads = "mean of all heads" if self.head is None else f"head {self.head}"
        return f"{self.site}, {heads}, {'mean of all rows' if self.row == 'all' else self._told}"

    @property
    def _told(self) -> str:
        return f"row {self.row}" if isinstance(self.row, int) else f"row of the {self.row} token"

    def read(
        self, weights: Float[torch.Tensor, "B N Q S"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T"]:
        """Take the row; a module that cuts padding off has weights for fewer tokens."""
        cut = mask[:, : weights.shape[-1]]
        of_heads = weights.mean(1) if self.head is None else weights[:, self.head]
        if self.row == "all":
            real = (cut if self.by_token else torch.ones_like(of_heads[..., 0])).to(of_heads.dtype)[:, :, None]
            row = (of_heads * real).sum(1) / real.sum(1)
        else:
            row = of_heads[torch.arange(len(mask), device=mask.device), self._place(mask)]
        return torch.nn.functional.pad(row, (0, mask.shape[1] - cut.shape[1]))

    def put(self, row: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Change:
        """Give what puts a row in the place of the module's own."""

        def change(weights: Weights) -> Weights:
            changed = weights.clone()
            changed[torch.arange(len(mask), device=mask.device), self.head, self._place(mask)] = row[
                :, : weights.shape[-1]
            ].to(weights.dtype)
            return changed

        return change

    def _place(self, mask: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, " B"]:
        if self.row == "last":
            return mask.sum(1) - 1
        return torch.full_like(mask[:, 0], 0 if self.row == "first" else int(self.row), dtype=torch.long)
