"""A training that is stopped between two epochs, and taken up again, ends with the bits of one that never was."""

from typing import Literal

import pytest
import torch

from sightline.data.loading import fit_vocabulary, load
from sightline.models.classifier import AttentionClassifier, build
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec
from sightline.training.fit import FitRecord, fit
from sightline.training.states import Epoch, NoStates, State

DATA = parse_data("planted:needle(n=60,length=6)")
DATASET = load(DATA, 0)


class Memory(NoStates):
    """Keeps the last state as a disk would: copied."""

    def __init__(self) -> None:
        self.state: State | None = None

    def last(self) -> State | None:
        return self.state

    def keep(self, state: State) -> None:
        self.state = State(state.epochs, {name: value.clone() for name, value in state.tensors.items()})


def trained(
    model: str, states: NoStates, stop: int = 0, decay: Literal["coupled", "decoupled"] = "coupled"
) -> tuple[AttentionClassifier, FitRecord | None]:
    built = build(parse_model(model, embedding=8), fit_vocabulary(DATASET, DATA), DATASET.label_names, 0)

    def ended(epoch: Epoch) -> None:
        if epoch.number == stop:
            raise KeyboardInterrupt

    settings = FitSpec(epochs=5, patience=5, learning_rate=0.01, amsgrad=True, decay=decay)
    try:
        return built, fit(built, DATASET.train, DATASET.validation, settings, 0, ended, states=states)
    except KeyboardInterrupt:
        return built, None


@pytest.mark.parametrize("model", ["mlp(hidden=4)", "bilstm(hidden=4)+additive+gumbel", "bilstm(hidden=4)+mlm"])
@pytest.mark.parametrize("stop", [1, 3, 5])
@pytest.mark.parametrize("decay", ["coupled", "decoupled"])
def test_a_stopped_training_ends_with_the_bits_of_one_that_was_not(
    model: str, stop: int, decay: Literal["coupled", "decoupled"]
) -> None:
    whole, record = trained(model, NoStates(), decay=decay)
    memory = Memory()
    assert trained(model, memory, stop, decay)[1] is None
    again, resumed = trained(model, memory, decay=decay)
    assert resumed == record
    assert all(value.equal(again.state_dict()[name]) for name, value in whole.state_dict().items())


def test_what_was_done_is_not_done_again() -> None:
    memory, steps = Memory(), list[int]()
    trained("mlp(hidden=4)", memory, 3)
    built = build(parse_model("mlp(hidden=4)", embedding=8), fit_vocabulary(DATASET, DATA), DATASET.label_names, 0)
    told = lambda epoch, done, total: steps.append(epoch)  # noqa: E731
    settings = FitSpec(epochs=5, patience=5, learning_rate=0.01, amsgrad=True)
    fit(built, DATASET.train, DATASET.validation, settings, 0, on_batch=told, states=memory)
    assert sorted(set(steps)) == [4, 5]


def test_steps_are_told_batch_by_batch() -> None:
    built = build(parse_model("mlp(hidden=4)", embedding=8), fit_vocabulary(DATASET, DATA), DATASET.label_names, 0)
    told = list[tuple[int, int, int]]()
    fit(
        built,
        DATASET.train,
        DATASET.validation,
        FitSpec(epochs=1, batch_size=10),
        0,
        on_batch=lambda *at: told.append(at),
    )
    batches = -(-len(DATASET.train) // 10)
    assert told == [(1, done, batches) for done in range(1, batches + 1)]
    assert torch.is_grad_enabled()
