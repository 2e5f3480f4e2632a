"""A small audit that may stop early takes all its texts in one look, at the usual level."""

import pytest

import sightline
from sightline.api.model_source import GivenModel, TrainedFirst
from sightline.api.run_options import AuditOptions, Stopping
from sightline.audits import one_look
from sightline.audits.one_look import CHANGED, FEW_WORDS, SHORT_BUDGET, takes_one_look
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core.results import NotRun
from sightline.experiments import forecast
from sightline.experiments.pipeline import Trained
from sightline.stats.intervals import LEVEL
from tests.texts import examples, untrained

MODEL = untrained("mlp(hidden=6)+additive")
LENGTH = 10
MOST = FEW_WORDS // (LENGTH * (LENGTH + CHANGED))
"""Texts of so many words that are still few."""


@pytest.mark.parametrize(("planned", "once"), [(1, True), (MOST, True), (MOST + 1, False)])
def test_it_goes_by_the_words_that_are_run(planned: int, once: bool) -> None:
    texts = examples((LENGTH,) * 3)
    assert takes_one_look(MODEL, texts, planned) == once


def test_longer_texts_and_larger_models_are_looked_at_more_than_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not takes_one_look(MODEL, examples((10 * LENGTH,) * 3), MOST)
    weights = sum(one.numel() for one in MODEL.parameters()) - MODEL.embedding.weight.numel()
    for most, once in ((weights, True), (weights - 1, False)):
        monkeypatch.setattr(one_look, "SMALL", most)
        assert takes_one_look(MODEL, examples((LENGTH,)), 1) == once


@pytest.mark.parametrize(("budget", "once"), [(SHORT_BUDGET, True), (SHORT_BUDGET - 1, False)])
def test_a_short_budget_keeps_its_looks(budget: float, once: bool) -> None:
    assert takes_one_look(MODEL, examples((LENGTH,)), 1, budget) == once


def test_of_a_model_from_elsewhere_it_is_not_known_what_a_text_costs() -> None:
    other = sightline.answers(lambda texts: [[0.5, 0.5]] * len(texts), labels=("a", "b"))
    assert not takes_one_look(other, examples((LENGTH,)), 1)


def test_one_look_has_the_texts_and_the_level_of_a_full_audit(needle) -> None:
    model, data = needle
    full = sightline.audit(model, data, limit=180, full=True)
    once = sightline.audit(model, data, max_texts=180)
    about = once.spec["sequential"]
    assert {one["texts"] for one in about["looks"]} == {180}
    assert (about["texts"], about["planned"], about["level"]) == (180, 180, LEVEL)
    assert once.verdict.level == full.verdict.level
    assert {of: one.level for of, one in once.verdict.by_class.items()} == {
        of: one.level for of, one in full.verdict.by_class.items()
    }
    assert isinstance(once.measurements["mixing"], NotRun)
    found = {one.code: one for one in full.findings}
    for one in once.findings:
        if one.score is not None and one.code != "SL-307":  # its ceiling is over all maps
            other = found[one.code].score
            assert (one.score.value, one.score.n) == (pytest.approx(other.value), other.n)


def test_more_texts_of_the_same_model_are_looked_at_in_growing_numbers(
    needle, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = needle
    monkeypatch.setattr(one_look, "FEW_WORDS", 0)
    about = sightline.audit(model, data, max_texts=180).spec["sequential"]
    assert about["looks"][0]["texts"] < 180
    assert about["level"] > LEVEL


@pytest.mark.parametrize("budget", [SHORT_BUDGET / 2, SHORT_BUDGET])
def test_a_dry_run_names_the_first_look_of_the_audit(
    needle, monkeypatch: pytest.MonkeyPatch, budget: float
) -> None:
    monkeypatch.setattr(forecast, "SECONDS", 0.1)
    model, data = needle
    stopping = Stopping(budget=budget, max_texts=180)
    about = sightline.audit(model, data, budget=budget, max_texts=180).spec["sequential"]
    held = Trained(model.model, data, {}, {})
    architecture, fit = build_specs("mlp(hidden=16)+additive", epochs=1)
    spec = RunSpec(parse_data("planted:needle(n=1200,length=10)"), architecture, fit, companions=())
    for source in (GivenModel(held, AuditOptions()), TrainedFirst(spec)):
        texts, _ = source.forecast("cpu", 4096, None, stopping).first_look
        assert texts == about["looks"][0]["texts"]
    assert (texts == about["planned"] == 180) == (budget >= SHORT_BUDGET)
