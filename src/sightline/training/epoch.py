"""The steps of an epoch, watched: a training stops at the first whose loss is not finite, and says
where that began.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sightline.config.specs import FitSpec
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier
from sightline.training.adam import Adam
from sightline.training.nan_origin import first_broken, first_weight
from sightline.training.objective import Objective
from sightline.training.resume_state import Draws

LOOK = 64
"""How many steps pass on an accelerator between two looks at their losses: each look waits for the
device."""


@dataclass(frozen=True)
class _Step:
    """A step nobody has looked at: its texts, what was drawn before it, its loss and, where
    clipped, its norm.
    """

    texts: Sequence[Example]
    drawn: dict[str, int]
    losses: tuple[Float[torch.Tensor, ""], ...]


class EpochSteps:
    """Makes the steps of one epoch, and adds up their losses in their order.

    On a processor each loss is looked at before the weights move. An accelerator is not waited for:
    there the step of a loss that is not finite is skipped, and so is every later one, so that the
    weights are still those of that step when its loss is looked at.
    """

    def __init__(
        self,
        model: AttentionClassifier,
        objective: Objective,
        optimiser: Adam,
        spec: FitSpec,
        look: int | None = None,
    ) -> None:
        self.model, self.objective, self.optimiser, self.spec = model, objective, optimiser, spec
        self.look_after = look or (1 if model.device.type == "cpu" else LOOK)
        self._skip = None if self.look_after == 1 else torch.zeros((), device=model.device)
        self._draws = Draws(model)
        self.begin(1, 0)

    def begin(self, epoch: int, of: int, done: int = 0, total: float = 0.0) -> None:
        """Begin an epoch of so many steps, or go on with one in which some are done."""
        self.epoch, self.of, self.done, self.total = epoch, of, done, total
        self._unseen = list[_Step]()

    def make(self, texts: Sequence[Example]) -> None:
        """Make one step."""
        drawn = self._draws.counted()
        losses = self.objective.losses(self.model, texts)
        self._backward(losses)
        losses_of_step = (losses.detach().sum(), *self._clipped())
        self._unseen.append(_Step(texts, drawn, losses_of_step))
        if self._skip is None:
            self.look()
        else:
            torch.maximum(
                self._skip,
                (~torch.stack(losses_of_step).isfinite().all()).to(self._skip),
                out=self._skip,
            )
        self.optimiser.step(self._skip)
        if len(self._unseen) == self.look_after or self.done + len(self._unseen) == self.of:
            # at the end of an epoch before anybody is told, so that what is timed is done
            self.look()

    def look(self) -> None:
        """Add up the losses nobody has looked at; the first that is not finite ends the
        training.
        """
        losses = [value for step in self._unseen for value in step.losses]
        numbers = iter(
            torch.stack(losses).tolist() if len(losses) > 1 else map(float, losses)
        )  # waits once, not for each
        for step in self._unseen:
            found = [next(numbers) for _ in step.losses]
            if not all(map(math.isfinite, found)):
                raise self._diverged(step, found[0])
            self.total += found[0]
            self.done += 1
        self._unseen.clear()

    def end(self) -> float:
        """End the epoch, and give what its losses add up to; a weight that is not finite ends the
        training.
        """
        if weight := first_weight(self.model):
            raise self._stopped(self.done, f"the loss is finite, and {weight} is not any more")
        return self.total

    def _backward(self, losses: Float[torch.Tensor, " B"]) -> None:
        loss = losses.sum() if self.spec.reduction == "sum" else losses.mean()
        self.model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]

    def _clipped(self) -> list[torch.Tensor]:
        """Scale all gradients down together, and give the norm they had, where there is a limit to
        it.
        """
        limit, rows = self.spec.gradient_clipping, self.optimiser.gather()
        return (
            [torch.nn.utils.clip_grad_norm_([*self.model.parameters(), *rows], limit)]
            if limit
            else []
        )

    def _diverged(self, step: _Step, loss: float) -> ModelError:
        def again() -> Float[torch.Tensor, " B"]:
            self._draws.restore(step.drawn)
            losses = self.objective.losses(self.model, step.texts)
            self._backward(losses)
            self.optimiser.spread()
            return losses.detach()

        self._draws.restore(step.drawn)
        what = first_broken(self.model, step.texts, again)
        return self._stopped(
            self.done + 1, f"the loss is {loss:g}, and the first that is not finite is {what}"
        )

    def _stopped(self, step: int, why: str) -> ModelError:
        message = f"training diverged in epoch {self.epoch}, step {step} of {self.of}: {why}"
        clip = (
            ""
            if self.spec.gradient_clipping
            else ", or clip gradients (fit.gradient_clipping in a study)"
        )
        return ModelError(
            message, change=f"lower the learning rate ({self.spec.learning_rate:g}){clip}"
        )
