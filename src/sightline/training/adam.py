"""Adam by torch's own fused step, and without its optimiser, which loads a compiler that nothing here uses.

That compiler takes nearly as long to load as torch itself, in each process that trains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import nn
from torch.optim.adam import adam


@dataclass(frozen=True)
class Group:
    """Parameters that learn alike."""

    parameters: Sequence[nn.Parameter]
    learning_rate: float
    weight_decay: float


class Adam:
    """Kingma & Ba (2015), or AMSGrad (Reddi et al. 2018), with their β of .9 and .999; weight decay is an L2 penalty.

    Its ``averages`` are all it remembers: of each parameter by its number, from the first step in which it had a
    gradient.
    """

    def __init__(self, groups: Sequence[Group], amsgrad: bool) -> None:
        self.groups, self.amsgrad = tuple(groups), amsgrad
        self.averages = dict[int, dict[str, torch.Tensor]]()

    def step(self, skip: Float[torch.Tensor, ""] | None = None) -> None:
        """Move every parameter that has a gradient, those of a group in one pass; where ``skip`` is 1, leave them."""
        first = 0
        for group in self.groups:
            moved = [(n, p) for n, p in enumerate(group.parameters, first) if p.grad is not None]
            self._move(group, [n for n, _ in moved], [p for _, p in moved], skip)
            first += len(group.parameters)

    @torch.no_grad()
    def _move(self, group: Group, numbers: Sequence[int], moved: list[torch.Tensor], skip: torch.Tensor | None) -> None:
        known = [self._averages(*one) for one in zip(numbers, moved, strict=True)]
        adam(
            moved,
            [one.grad for one in moved if one.grad is not None],
            [one["exp_avg"] for one in known],
            [one["exp_avg_sq"] for one in known],
            [one["max_exp_avg_sq"] for one in known if self.amsgrad],
            [one["step"] for one in known],
            found_inf=skip,
            fused=True,  # the same update in one pass over the embedding table, several times faster on a CPU
            amsgrad=self.amsgrad,
            beta1=0.9,
            beta2=0.999,
            lr=group.learning_rate,
            weight_decay=group.weight_decay,
            eps=1e-8,
            maximize=False,
        )

    def _averages(self, number: int, parameter: torch.Tensor) -> dict[str, torch.Tensor]:
        """Give what is remembered of a parameter: nothing but zeros at first."""
        if number not in self.averages:
            names = ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if self.amsgrad else ()))
            zeros = {name: torch.zeros_like(parameter) for name in names}
            self.averages[number] = {"step": torch.zeros((), device=parameter.device), **zeros}
        return self.averages[number]
