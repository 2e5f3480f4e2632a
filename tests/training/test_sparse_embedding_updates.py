"""Tables that learn by rows learn what whole tables learn, and what is put off is made up for."""

from contextlib import nullcontext

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.config.specs import FitSpec
from sightline.models.embedding_table import EmbeddingTable
from sightline.training import sparse_embedding_updates as module
from sightline.training.adam import Adam, ParameterGroup
from sightline.training.adam_step import AdamStep
from sightline.training.loop import fit
from sightline.training.sparse_embedding_updates import (
    DeferredUpdates,
    Spread,
    can_be_put_off,
    catch_up,
)
from tests.reference.rows import steps_without_gradient
from tests.texts import examples, untrained

ROWS, WIDE = 7, 3
BATCHES = st.lists(
    st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=4), min_size=1, max_size=30
)
"""The ids that each step reads; 0 is padding."""


def table(seed: int = 0, kind: torch.dtype = torch.float64) -> EmbeddingTable:
    made = EmbeddingTable(ROWS, WIDE, padding_idx=0, dtype=kind)
    with torch.no_grad():
        made.weight.copy_(torch.randn(ROWS, WIDE, generator=torch.Generator().manual_seed(seed)))
        made.weight[0] = 0
    return made


def learn(
    made: EmbeddingTable,
    optimiser: Adam | torch.optim.Optimizer,
    batches: list[list[int]],
    scale: float = 1.0,
) -> None:
    """Make a step for each batch, whose gradients differ from step to step and from place to
    place.
    """
    for step, ids in enumerate(batches, start=1):
        weights = torch.sin(
            torch.arange(1.0, len(ids) * WIDE + 1, dtype=torch.float64) * step
        ).view(len(ids), WIDE)
        made.weight.grad = None
        (scale * weights * made(torch.tensor(ids))).sum().backward()
        optimiser.step()


def ours(made: EmbeddingTable, decay: float = 0.05, amsgrad: bool = False) -> Adam:
    return Adam(
        [ParameterGroup([made.weight], 0.05, decay)], amsgrad, decoupled=True, tables=[made]
    )


def torchs(made: EmbeddingTable, decay: float = 0.05, amsgrad: bool = False) -> torch.optim.AdamW:
    """Moves the whole table in each step."""
    return torch.optim.AdamW(
        [made.weight], lr=0.05, weight_decay=decay, amsgrad=amsgrad, foreach=False
    )


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.1])
@settings(max_examples=40, deadline=None)
@given(batches=BATCHES)
def test_steps_that_are_put_off_are_those_of_torch(
    amsgrad: bool, decay: float, batches: list[list[int]]
) -> None:
    """Gradients are near 1, so that ε = 10⁻⁸ hardly counts: of it speaks the next test."""
    found, whole = table(), table()
    mine, theirs = ours(found, decay, amsgrad), torchs(whole, decay, amsgrad)
    with mine.reading():
        learn(found, mine, batches)
    learn(whole, theirs, batches)
    torch.testing.assert_close(found.weight, whole.weight, rtol=0, atol=1e-7)
    for name, value in theirs.state_dict()["state"][0].items():
        torch.testing.assert_close(
            mine.averages[0][name], value.to(mine.averages[0][name]), rtol=1e-9, atol=1e-15
        )


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize(("epsilon", "within"), [(0.0, 1e-12), (1e-8, 1e-4), (1e-5, 0.05)])
@pytest.mark.parametrize("since", [1, 30, 5000, 50_000])
@pytest.mark.parametrize("missed", [1, 2, 40, 3000])
def test_the_sum_is_that_of_the_steps(
    monkeypatch: pytest.MonkeyPatch,
    amsgrad: bool,
    epsilon: float,
    within: float,
    since: int,
    missed: int,
) -> None:
    """As a share of the way: to rounding without ε; ε is taken as in the first of the steps, here
    next to averages of 10⁻⁵.
    """
    monkeypatch.setattr(module, "EPSILON", epsilon)
    rule = AdamStep(0.01, 0.1, amsgrad, decoupled=True)
    names = ("weight", "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if amsgrad else []))
    start = {"weight": 0.7, "exp_avg": -0.002, "exp_avg_sq": 1e-10, "max_exp_avg_sq": 4e-10}
    known = {name: torch.full((1, 1), start[name], dtype=torch.float64) for name in names}
    catch_up(known, torch.tensor([since]), since + missed, rule)
    expected = steps_without_gradient(start, since, missed, rule, epsilon)
    way = abs(expected["weight"] - start["weight"])
    assert known["weight"].item() == pytest.approx(expected["weight"], abs=within * way)
    for name in names[1:]:
        assert known[name].item() == pytest.approx(expected[name], rel=1e-11, abs=1e-300)


def test_what_two_lookups_of_a_step_read_is_joined() -> None:
    """A row in both has the sum of its gradients; one that is read without a gradient changes
    nothing.
    """
    found, whole = table(), table()
    mine, theirs = ours(found), torchs(whole)

    def step(made: EmbeddingTable, optimiser: Adam | torch.optim.AdamW, factor: float) -> None:
        made.weight.grad = None
        with torch.no_grad():
            made(torch.tensor([4, 6]))
        (
            made(torch.tensor([[1, 2], [2, 0]])).sum()
            + factor * made(torch.tensor([5, 2])).square().sum()
        ).backward()
        made(torch.tensor([3]))
        optimiser.step()

    with mine.reading():
        for number in range(4):
            step(found, mine, float(number))
    for number in range(4):
        step(whole, theirs, float(number))
    torch.testing.assert_close(found.weight, whole.weight, rtol=0, atol=1e-7)


def test_a_row_is_read_with_the_steps_it_is_behind_and_reading_leaves_no_trace() -> None:
    batches = [[1, 2], [3], [2, 4], [5]]
    found, looked, whole = table(), table(), table()
    mine, other, theirs = ours(found), ours(looked), torchs(whole)
    with mine.reading(), other.reading():
        learn(found, mine, batches)
        for batch in batches:
            learn(looked, other, [batch])
            learn(whole, theirs, [batch])
            with torch.no_grad():
                torch.testing.assert_close(
                    looked(torch.arange(ROWS)), whole.weight.detach(), rtol=0, atol=1e-7
                )
        assert (looked.weight - whole.weight).abs().amax() > 0.01
    # `learn` counts the steps from 1 each time, so all of them once more, without looking.
    again = table()
    last = ours(again)
    with last.reading():
        for batch in batches:
            learn(again, last, [batch])
    assert again.weight.equal(looked.weight)
    assert looked.reader is None


def test_a_state_within_an_epoch_goes_on_to_the_bit() -> None:
    """Its rows are behind, and their last steps are among the averages: nothing has to be made up
    for it.
    """
    batches, whole, half = [[1, 2], [3], [2, 4], [5], [1]], table(), table()
    first = ours(whole)
    with first.reading():
        learn(whole, first, batches)
        learn(whole, first, batches)
    second = ours(half)
    with second.reading():
        learn(half, second, batches)
        kept = {name: value.clone() for name, value in second.averages[0].items()}
        weight = half.weight.detach().clone()
    again = table(seed=1)
    again.load_state_dict({"weight": weight})
    third = ours(again)
    third.averages[0] = kept
    with third.reading():
        learn(again, third, batches)
    assert again.weight.equal(whole.weight)


def test_a_table_that_is_moved_as_a_whole_is_behind_in_no_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A state within an epoch, of a processor, that goes on where tables do not learn by rows: on a
    GPU.
    """
    batches, found, whole = [[1, 2], [3], [2, 4], [5], [1]], table(), table()
    mine, theirs = ours(found), torchs(whole)

    def stopped() -> None:
        with mine.reading():
            learn(found, mine, batches)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    monkeypatch.setattr(module, "by_rows", lambda table: False)
    for _ in range(2):
        with mine.reading():
            assert found.reader is None
            learn(found, mine, batches)
    for _ in range(3):
        learn(whole, theirs, batches)
    torch.testing.assert_close(found.weight, whole.weight, rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", [DeferredUpdates, Spread])
@pytest.mark.parametrize(
    "model", ["cnn(channels=4)", "mlp(hidden=8)+tying", "bilstm(hidden=4)+additive"]
)
def test_gradients_of_rows_are_those_of_the_table_to_the_bit(kind: type, model: str) -> None:
    def gradient(by_rows: bool) -> tuple[torch.Tensor, list[torch.Tensor]]:
        one = untrained(model).train()
        optimiser = Adam(
            [ParameterGroup([*one.parameters()], 0.1, 0.05)],
            False,
            kind is DeferredUpdates,
            one.embeddings,
        )
        with optimiser.reading() if by_rows else nullcontext():
            trace = one.run(one.collate(examples()))
            beside = one.auxiliary_loss(trace)
            (trace.logits.square().sum() + (0 if beside is None else beside)).backward()
            gathered = optimiser.gather() if by_rows else []
            if gathered:
                return optimiser._rows[0].read[0][0], gathered
        assert one.embedding.weight.grad is not None
        return one.embedding.weight.grad, gathered

    whole, _ = gradient(by_rows=False)
    found, gathered = gradient(by_rows=True)
    if kind is Spread:
        assert found.equal(whole)
    else:
        assert gathered[0].grad is not None
        assert gathered[0].grad.equal(whole[found])
        assert len(found) == (whole != 0).any(1).sum() + 1  # padding is read, too


@pytest.mark.parametrize("model", ["mlp(hidden=6)", "cnn(channels=4)"])
@pytest.mark.parametrize("clipping", [0.0, 0.1])
def test_a_coupled_training_has_the_bits_it_had(
    monkeypatch: pytest.MonkeyPatch, model: str, clipping: float
) -> None:
    texts = tuple(examples((5, 3, 9, 1) * 12))
    spec = FitSpec(
        epochs=3, batch_size=10, amsgrad=True, learning_rate=0.01, gradient_clipping=clipping
    )
    found, whole = untrained(model), untrained(model)
    fit(found, texts, texts, spec, 0)
    monkeypatch.setattr(module, "by_rows", lambda table: False)
    fit(whole, texts, texts, spec, 0)
    assert all(one.equal(whole.state_dict()[name]) for name, one in found.state_dict().items())


@pytest.mark.parametrize("clipping", [0.0, 0.1])
def test_a_decoupled_training_is_that_of_whole_tables(
    monkeypatch: pytest.MonkeyPatch, clipping: float
) -> None:
    """With clipping, all gradients together have the norm: those of rows count."""
    texts = tuple(examples((5, 3, 9, 1) * 12))
    spec = FitSpec(
        epochs=3, batch_size=10, decay="decoupled", learning_rate=0.01, gradient_clipping=clipping
    )
    found, whole = untrained("mlp(hidden=6)").double(), untrained("mlp(hidden=6)").double()
    fit(found, texts, texts, spec, 0)
    monkeypatch.setattr(module, "by_rows", lambda table: False)
    fit(whole, texts, texts, spec, 0)
    for name, one in found.state_dict().items():
        torch.testing.assert_close(one, whole.state_dict()[name], rtol=0, atol=1e-6)


def test_steps_are_put_off_where_rows_move_by_their_averages_alone() -> None:
    def put_off(decay: float, decoupled: bool) -> bool:
        return can_be_put_off(AdamStep(0.5, decay, amsgrad=False, decoupled=decoupled))

    assert put_off(0.0, decoupled=False)
    assert put_off(0.02, decoupled=True)
    assert not put_off(1e-5, decoupled=False)  # an L2 penalty is a gradient
    assert not put_off(0.0201, decoupled=True)
