"""A training that is stopped between two steps, and taken up again, ends with the bits of one that
never was.
"""

from dataclasses import replace
from typing import Literal

import pytest
import torch

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.data.load_dataset import fit_vocabulary, load
from sightline.models.classifier import AttentionClassifier, build
from sightline.training import loop as fitting
from sightline.training.loop import FitRecord, fit
from sightline.training.resume_state import NO_STATES, Epoch, NoStates, State

DATA = parse_data("planted:needle(n=60,length=6)")
DATASET = load(DATA, 0)
FIT = FitSpec(
    epochs=5, patience=5, batch_size=8, learning_rate=0.01, amsgrad=True, gradient_clipping=0.3
)
BATCHES = -(-len(DATASET.train) // FIT.batch_size)
WAYS = ["mlp(hidden=4)", "bilstm(hidden=4)+additive+gumbel", "bilstm(hidden=4)+mlm"]


class Memory(NoStates):
    """Keeps the last state as a disk would: copied."""

    def __init__(self) -> None:
        self.state: State | None = None

    def last(self) -> State | None:
        return self.state

    def due(self) -> bool:
        return True

    def keep(self, state: State) -> None:
        self.state = replace(
            state, tensors={name: value.clone() for name, value in state.tensors.items()}
        )


def built(model: str) -> AttentionClassifier:
    return build(
        parse_model(model, embedding=8), fit_vocabulary(DATASET, DATA), DATASET.label_names, 0
    )


def trained(
    model: str, states: NoStates, stop: tuple[int, int] = (0, 0), settings: FitSpec = FIT
) -> tuple[AttentionClassifier, FitRecord]:
    """Train, up to a batch of an epoch, or to the end of an epoch as its batch 0."""
    made = built(model)

    def at(epoch: int, done: int) -> None:
        if (epoch, done) == stop:
            raise KeyboardInterrupt

    def ended(epoch: Epoch) -> None:
        at(epoch.number, 0)

    def step(epoch: int, done: int, total: int) -> None:
        at(epoch, done)

    return made, fit(made, DATASET.train, DATASET.validation, settings, 0, ended, step, states)


@pytest.mark.parametrize("model", WAYS)
@pytest.mark.parametrize("stop", [(1, 1), (1, 0), (2, 3), (3, BATCHES), (5, 2), (5, 0)])
@pytest.mark.parametrize("decay", ["coupled", "decoupled"])
def test_a_stopped_training_ends_with_the_bits_of_one_that_was_not(
    model: str, stop: tuple[int, int], decay: Literal["coupled", "decoupled"]
) -> None:
    settings = replace(FIT, decay=decay)
    whole, record = trained(model, NO_STATES, settings=settings)
    memory = Memory()
    with pytest.raises(KeyboardInterrupt):
        trained(model, memory, stop, settings)
    again, resumed = trained(model, memory, settings=settings)
    assert resumed == record  # the sums of the losses, too, to the bit
    assert all(value.equal(again.state_dict()[name]) for name, value in whole.state_dict().items())


def test_what_was_done_is_not_done_again() -> None:
    memory, steps = Memory(), list[tuple[int, int]]()
    with pytest.raises(KeyboardInterrupt):
        trained("mlp(hidden=4)", memory, (3, 2))
    message = lambda epoch, done, total: steps.append((epoch, done))  # noqa: E731
    fit(
        built("mlp(hidden=4)"),
        DATASET.train,
        DATASET.validation,
        FIT,
        0,
        on_batch=message,
        states=memory,
    )
    assert steps == [(epoch, done) for epoch in (3, 4, 5) for done in range(1, BATCHES + 1)][2:]


def test_nothing_is_gathered_unless_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "tensors_of", lambda *parts: pytest.fail("gathered"))
    trained("mlp(hidden=4)", NO_STATES)


def test_steps_are_told_batch_by_batch() -> None:
    result = list[tuple[int, int, int]]()
    one = replace(FIT, epochs=1)
    fit(
        built("mlp(hidden=4)"),
        DATASET.train,
        DATASET.validation,
        one,
        0,
        on_batch=lambda *at: result.append(at),
    )
    assert result == [(1, done, BATCHES) for done in range(1, BATCHES + 1)]
    assert torch.is_grad_enabled()
