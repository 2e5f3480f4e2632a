"""An estimate follows the sizes it claims to follow, is near the truth, and leaves nothing behind."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest

from sightline.data.loading import load
from sightline.experiments import forecast as module
from sightline.experiments.forecast import forecast, forecast_audit, spread
from sightline.experiments.run import Display, audit_trained, train
from sightline.spec.presets import build_specs
from sightline.spec.texts import parse_data
from sightline.spec.values import RunSpec


def spec(data: str = "planted:needle(n=400,length=8)", **changes: object) -> RunSpec:
    model, fit = build_specs("mlp(hidden=8)", epochs=4)
    return replace(RunSpec(parse_data(data), model, fit), **changes)


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which everything takes one second."""
    ticks = iter(range(1000))
    monkeypatch.setattr(module, "perf_counter", lambda: float(next(ticks)))


def test_training_is_passes_times_epochs_times_models(steady):
    run = spec()
    train_texts = load(run.data, run.seed).train
    timed = spread(train_texts, module.TRAINING_BATCHES * run.fit.batch_size)
    share = sum(len(e.tokens) for e in train_texts) / sum(len(e.tokens) for e in timed)
    assert len(timed) < len(train_texts)
    assert forecast(run).seconds_training == pytest.approx(share * 4 * 2)
    assert forecast(replace(run, companions=())).seconds_training == pytest.approx(share * 4)
    assert forecast(replace(run, fit=replace(run.fit, epochs=8))).seconds_training == pytest.approx(share * 8 * 2)


def test_an_audit_costs_the_square_of_the_lengths(steady):
    run = spec()
    test = load(run.data, run.seed).test
    squares = [len(e.tokens) ** 2 for e in test]
    timed = [len(e.tokens) ** 2 for e in spread(test, module.AUDIT_TEXTS[1])]
    assert len(timed) < len(test)
    assert forecast(run).seconds_audit == pytest.approx(sum(squares) / sum(timed))
    assert forecast(replace(run, limit=10)).seconds_audit == pytest.approx(1.0)  # all ten are timed


def test_long_texts_are_timed_by_fewer(monkeypatch):
    taken = []
    measure = module.measure
    monkeypatch.setattr(
        module, "measure", lambda model, examples, *rest: taken.append(len(examples)) or measure(model, examples, *rest)
    )
    forecast(spec("planted:needle(n=60,length=8)"))
    monkeypatch.setattr(module, "AUDIT_TOKENS", 300)
    forecast(spec("planted:needle(n=60,length=8)"))
    assert taken == [1, 15, 1, 4]


def test_texts_are_taken_over_all_lengths():
    test = load(parse_data("planted:needle(n=400,length=30)"), 0).test
    lengths = sorted(len(e.tokens) for e in test)
    few = [len(e.tokens) for e in spread(test, 9)]
    assert few == sorted(few)
    assert (few[0], few[-1], len(few)) == (lengths[0], lengths[-1], 9)
    assert np.mean(few) == pytest.approx(np.mean(lengths), rel=0.05)
    assert len(spread(test, 1)) == 1
    assert len(spread(test, 10_000)) == len(test)


def test_an_estimate_is_of_the_right_size():
    run = spec("planted:needle(n=800,length=16)")
    guess = forecast(run)
    began = perf_counter()
    trained = train(run)
    training = perf_counter() - began
    began = perf_counter()
    audit_trained(trained, run.seed, Display())
    auditing = perf_counter() - began
    # A factor of four: the two are timed one after the other on a machine that others use.
    assert training / 4 < guess.seconds_training < training * 4
    assert auditing / 4 < guess.seconds_audit < auditing * 4
    assert 2**26 < guess.peak_bytes < 2**35
    assert "192 of 480 training texts, 4 epochs, 2 models" in guess.basis
    assert "64 of 200 test texts" in guess.basis


def test_a_trained_model_needs_no_training_and_is_left_as_it_was():
    trained = train(spec("planted:needle(n=60,length=6)"))
    before = {name: value.clone() for name, value in trained.model.state_dict().items()}
    guess = forecast_audit(trained, 0, limit=5)
    assert guess.seconds_training == 0 < guess.seconds_audit
    assert "5 of 5 test texts" in guess.basis
    for name, value in trained.model.state_dict().items():
        assert value.equal(before[name])
