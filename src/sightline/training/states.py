"""A training between two epochs: all that the next ones depend on, so that one that was stopped goes on to the bit.

The order of texts follows from the seed and the number of the epoch; what is left are weights, the optimiser's
averages, and how many batches have drawn noise.
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
    """A training after some of its epochs."""

    epochs: tuple[Epoch, ...]
    tensors: Mapping[str, torch.Tensor]


class States(Protocol):
    """Where a training leaves its state after each epoch, and finds that of one which was stopped."""

    def last(self) -> State | None:
        """Give the last state that was kept; None where there is none."""
        ...

    def keep(self, state: State) -> None:
        """Keep a state in the place of the one before; its tensors change as soon as this returns."""
        ...


class NoStates:
    """Keep nothing: a training begins at its first epoch."""

    def last(self) -> State | None:
        """Find none."""
        return None

    def keep(self, state: State) -> None:
        """Let it go."""


NO_STATES = NoStates()


def weights_of(model: nn.Module) -> Tensors:
    """Copy the weights of a model."""
    return {name: value.clone() for name, value in model.state_dict().items()}


def state_of(epochs: tuple[Epoch, ...], model: nn.Module, kept: Mapping[str, torch.Tensor], optimiser: Adam) -> State:
    """Gather the state of a training; nothing is copied."""
    tensors = {f"{_MODEL}{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"{_KEPT}{name}": value for name, value in kept.items()}
    for number, averages in optimiser.averages.items():
        tensors |= {f"{_OPTIMISER}{number}.{name}": value for name, value in averages.items()}
    drawn = {f"{_DRAWN}{name}": torch.tensor(part.batches) for name, part in _drawing(model).items()}
    return State(epochs, tensors | drawn)


def take_up(state: State, model: nn.Module, optimiser: Adam) -> Tensors:
    """Put a training into a state it had, and give the weights it had kept."""
    device = next(model.parameters()).device
    model.load_state_dict(_named(state, _MODEL))
    for name, value in _named(state, _OPTIMISER).items():
        number, _, what = name.partition(".")
        optimiser.averages.setdefault(int(number), {})[what] = value.to(device)
    for name, part in _drawing(model).items():
        part.batches = int(state.tensors[f"{_DRAWN}{name}"])
    return {name: value.to(device) for name, value in _named(state, _KEPT).items()}


def _named(state: State, beginning: str) -> Tensors:
    return {name.removeprefix(beginning): value for name, value in state.tensors.items() if name.startswith(beginning)}


class _Drawing(Protocol):
    """A part whose noise follows from how many batches it has seen."""

    batches: int


def _drawing(model: nn.Module) -> dict[str, _Drawing]:
    return {name: part for name, part in model.named_modules() if isinstance(vars(part).get("batches"), int)}
