"""Adam's update by torch's fused step, without torch's optimiser class: the class loads a compiler
that nothing here uses.

Loading that compiler takes nearly as long as loading torch, in each training process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch.optim.adam import adam
from torch.optim.adamw import adamw

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
Averages = dict[str, torch.Tensor]
"""Adam's state of a parameter: its averages by name, and the number of its last ``step``."""


@dataclass(frozen=True)
class AdamStep:
    """Kingma & Ba (2015), or AMSGrad (Reddi et al. 2018), with β of 0.9 and 0.999.

    Weight decay is an L2 penalty in the gradient, or ``decoupled`` from it (Loshchilov & Hutter
    2019, alg. 2).
    """

    learning_rate: float
    weight_decay: float
    amsgrad: bool
    decoupled: bool

    def start(self, parameter: torch.Tensor) -> Averages:
        """Give the averages of a parameter before its first step: zeros."""
        names = ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if self.amsgrad else ()))
        zeros = {name: torch.zeros_like(parameter, requires_grad=False) for name in names}
        return {"step": torch.zeros((), device=parameter.device), **zeros}

    @torch.no_grad()
    def move(
        self,
        moved: Sequence[torch.Tensor],
        known: Sequence[Mapping[str, torch.Tensor]],
        skip: torch.Tensor | None = None,
    ) -> None:
        """Update parameters with a gradient, and their averages, in one pass; nothing if ``skip``
        is 1.
        """
        step = adamw if self.decoupled else adam
        step(
            [*moved],
            [one.grad for one in moved if one.grad is not None],
            [one["exp_avg"] for one in known],
            [one["exp_avg_sq"] for one in known],
            [one["max_exp_avg_sq"] for one in known if self.amsgrad],
            [one["step"] for one in known],
            found_inf=skip,
            fused=True,  # the same update in one pass, several times faster on a CPU
            amsgrad=self.amsgrad,
            beta1=BETA1,
            beta2=BETA2,
            lr=self.learning_rate,
            weight_decay=self.weight_decay,
            eps=EPSILON,
            maximize=False,
        )
