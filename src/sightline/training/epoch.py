"""The steps of an epoch. Training stops at the first non-finite loss, and the error names its
origin.
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
"""Number of steps between two checks of the losses on an accelerator, since each check waits for
the device."""


@dataclass(frozen=True)
class _Step:
    """A step whose loss is not yet checked: its texts, the noise counters before it, its loss, and
    its gradient norm if clipped.
    """

    texts: Sequence[Example]
    drawn: dict[str, int]
    losses: tuple[Float[torch.Tensor, ""], ...]


class EpochSteps:
    """Runs the steps of one epoch, and sums their losses in order.

    On a CPU each loss is checked before the weights change. On an accelerator, a step with a
    non-finite loss and all later steps are skipped on the device. So the weights are still those of
    that step when its loss is checked.
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
        """Begin an epoch of ``of`` steps, or resume one in which ``done`` steps are complete."""
        self.epoch, self.of, self.done, self.total = epoch, of, done, total
        self._unseen = list[_Step]()

    def make(self, texts: Sequence[Example]) -> None:
        """Run one step."""
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
            # at the end of an epoch before progress is reported, so that the timed work is done
            self.look()

    def look(self) -> None:
        """Check and sum the pending losses; the first non-finite one ends the training."""
        losses = [value for step in self._unseen for value in step.losses]
        numbers = iter(
            torch.stack(losses).tolist() if len(losses) > 1 else map(float, losses)
        )  # waits once for all
        for step in self._unseen:
            found = [next(numbers) for _ in step.losses]
            if not all(map(math.isfinite, found)):
                raise self._diverged(step, found[0])
            self.total += found[0]
            self.done += 1
        self._unseen.clear()

    def end(self) -> float:
        """End the epoch and give the sum of its losses; a non-finite weight ends the training."""
        if weight := first_weight(self.model):
            raise self._stopped(self.done, f"the loss is finite, and {weight} is not any more")
        return self.total

    def _backward(self, losses: Float[torch.Tensor, " B"]) -> None:
        loss = losses.sum() if self.spec.reduction == "sum" else losses.mean()
        self.model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]

    def _clipped(self) -> list[torch.Tensor]:
        """Clip the gradient norm if there is a limit, and give the norm before clipping."""
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
