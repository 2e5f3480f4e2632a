"""A training between two steps: all that the next ones depend on, so that one that was stopped goes
on to the bit.

The order of texts follows from the seed and the number of the epoch; what is left are weights, the
optimiser's averages, how many batches have drawn noise, how many of the epoch are done, and what
their losses add up to.
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
    """What one epoch cost and reached."""

    number: int
    training_loss: float
    loss: float
    accuracy: float
    auc: float


@dataclass(frozen=True)
class State:
    """A training after some of its epochs, and some batches of the next."""

    epochs: tuple[Epoch, ...]
    tensors: Mapping[str, torch.Tensor]
    batches: int = 0
    total: float = 0.0
    """The losses of the texts in these batches, added in their order."""


class ResumePoint(Protocol):
    """Where a training leaves its state, and finds that of one which was stopped."""

    def last(self) -> State | None:
        """Give the last state that was kept; None where there is none."""
        ...

    def due(self) -> bool:
        """Tell whether a state would be kept now: asked after every step, before anything is
        gathered for it.
        """
        ...

    def keep(self, state: State) -> None:
        """Keep a state in the place of the one before; its tensors change as soon as this
        returns.
        """
        ...


class NoStates:
    """Keep nothing: a training begins at its first step."""

    def last(self) -> State | None:
        """Find none."""
        return None

    def due(self) -> bool:
        """Want none."""
        return False

    def keep(self, state: State) -> None:
        """Let it go."""


NO_STATES = NoStates()


def weights_of(model: nn.Module) -> Tensors:
    """Copy the weights of a model."""
    return {name: value.clone() for name, value in model.state_dict().items()}


def tensors_of(model: nn.Module, kept: Mapping[str, torch.Tensor], optimiser: Adam) -> Tensors:
    """Gather the tensors of a state; nothing is copied."""
    tensors = {f"{_MODEL}{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"{_KEPT}{name}": value for name, value in kept.items()}
    for number, averages in optimiser.averages.items():
        tensors |= {f"{_OPTIMISER}{number}.{name}": value for name, value in averages.items()}
    return tensors | {
        f"{_DRAWN}{name}": torch.tensor(count) for name, count in Draws(model).counted().items()
    }


def take_up(state: State, model: nn.Module, optimiser: Adam) -> Tensors:
    """Put a training into a state it had, and give the weights it had kept."""
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
    """A part whose noise follows from how many batches it has seen."""

    batches: int


class Draws:
    """How many batches each part of a model has drawn noise for."""

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
        """Let the parts draw what they drew after these counts."""
        for name, part in self._parts.items():
            part.batches = counts[name]
