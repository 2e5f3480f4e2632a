"""The state of a training between two steps, from which a stopped training resumes bit for bit.

The order of texts follows from the seed and the epoch number. The state adds the weights, the
optimiser's averages, the counters of noise draws, the batches done in the epoch, and the sum of
their losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn

from sightline.training.adam import Adam

Tensors = dict[str, torch.Tensor]
_MODEL, _KEPT, _OPTIMISER, _DRAWN = "model.", "kept.", "optimiser.", "drawn."


@dataclass(frozen=True)
class Epoch:
    """The scores of one epoch."""

    number: int
    training_loss: float
    loss: float
    accuracy: float
    auc: float


@dataclass(frozen=True)
class State:
    """A training after some epochs and some batches of the next."""

    epochs: tuple[Epoch, ...]
    tensors: Mapping[str, torch.Tensor]
    batches: int = 0
    total: float = 0.0
    """The losses of the texts in these batches, summed in order."""


class ResumePoint(Protocol):
    """Where a training saves its state, and finds the state of a stopped training."""

    def last(self) -> State | None:
        """Give the last saved state, or None."""
        ...

    def due(self) -> bool:
        """Tell whether a state is due now; called after every step, before anything is gathered."""
        ...

    def keep(self, state: State) -> None:
        """Save a state, replacing the last one; its tensors may change as soon as this returns."""
        ...


class NoStates:
    """Save nothing: every training begins at its first step."""

    def last(self) -> State | None:
        """Give None."""
        return None

    def due(self) -> bool:
        """Give False."""
        return False

    def keep(self, state: State) -> None:
        """Discard the state."""


NO_STATES = NoStates()


def weights_of(model: nn.Module) -> Tensors:
    """Copy the weights of a model."""
    return {name: value.clone() for name, value in model.state_dict().items()}


def tensors_of(model: nn.Module, kept: Mapping[str, torch.Tensor], optimiser: Adam) -> Tensors:
    """Gather the tensors of a state without copying."""
    tensors = {f"{_MODEL}{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"{_KEPT}{name}": value for name, value in kept.items()}
    for number, averages in optimiser.averages.items():
        tensors |= {f"{_OPTIMISER}{number}.{name}": value for name, value in averages.items()}
    return tensors | {
        f"{_DRAWN}{name}": torch.tensor(count) for name, count in Draws(model).counted().items()
    }


def restore_training(state: State, model: nn.Module, optimiser: Adam) -> Tensors:
    """Restore a training from a state, and give the weights that it had kept."""
    device = next(model.parameters()).device
    model.load_state_dict(_named(state, _MODEL))
    for name, value in _named(state, _OPTIMISER).items():
        number, _, what = name.partition(".")
        optimiser.averages.setdefault(int(number), {})[what] = value.to(device)
    Draws(model).restore({name: int(count) for name, count in _named(state, _DRAWN).items()})
    return {name: value.to(device) for name, value in _named(state, _KEPT).items()}


def _named(state: State, beginning: str) -> Tensors:
    return {
        name.removeprefix(beginning): value
        for name, value in state.tensors.items()
        if name.startswith(beginning)
    }


class _Drawing(Protocol):
    """A part whose noise depends on the number of batches it has seen."""

    batches: int


class Draws:
    """Counts the batches that each part of a model has drawn noise for."""

    def __init__(self, model: nn.Module) -> None:
        self._parts: dict[str, _Drawing] = {
            name: part
            for name, part in model.named_modules()
            if isinstance(vars(part).get("batches"), int)
        }

    def counted(self) -> dict[str, int]:
        """Give the counts by part."""
        return {name: part.batches for name, part in self._parts.items()}

    def restore(self, counts: Mapping[str, int]) -> None:
        """Set the counts, so that the parts continue their noise from there."""
        for name, part in self._parts.items():
            part.batches = counts[name]
