"""An estimate follows the sizes it claims to follow, is near the truth, and leaves nothing
behind.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.audits.look_measures import COMPARED
from sightline.audits.measure_pass import measure
from sightline.audits.stop_limits import ignore
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core.example import Example
from sightline.core.protocols import Batch, Measure, Trace
from sightline.core.results import Measurement, NotRun, Outcome, Results
from sightline.core.seeds import Seeds
from sightline.data import load_dataset
from sightline.data.dataset import sample_test
from sightline.data.load_dataset import load, load_part
from sightline.data.vocabulary import Vocabulary
from sightline.experiments import forecast as module
from sightline.experiments import report_cost
from sightline.experiments.callbacks import Display
from sightline.experiments.cost_estimate import estimate
from sightline.experiments.forecast import (
    forecast,
    forecast_audit,
    middle_batch,
    quick_seconds,
    spread,
    strata,
)
from sightline.experiments.forecast_result import Forecast
from sightline.experiments.pipeline import Trained, audit_trained, train
from sightline.experiments.store import Summary
from tests.adapters.huggingface.toys import classifier, word_pieces
from tests.adapters.offering import Offering
from tests.texts import example, untrained


def spec(data: str = "planted:needle(n=400,length=8)", **changes: object) -> RunSpec:
    model, fit = build_specs("mlp(hidden=8)", epochs=4)
    return replace(RunSpec(parse_data(data), model, fit), **changes)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try for a moment only."""
    monkeypatch.setattr(module, "SECONDS", 0.4)


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which everything takes one second."""
    ticks = iter(range(100_000))
    monkeypatch.setattr(module, "perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr(module, "SECONDS", 5.0)


def test_training_is_epochs_of_batches_times_models(
    steady: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "forecast_audit", lambda *about, **named: Forecast(0.0, 0.0, 0, ""))
    run = spec()
    dataset = load(run.data, run.seed)
    alone = forecast(replace(run, companions=()))
    batches = module.BATCHES[0]  # a second each: no more are timed
    few = spread(dataset.train, batches * run.fit.batch_size)
    an_epoch = batches * len(dataset.train) / len(few) + len(dataset.validation) / min(
        len(few), len(dataset.validation)
    )
    assert alone.seconds_epoch == pytest.approx(an_epoch)
    assert alone.seconds_training == pytest.approx(an_epoch * 4)
    assert alone.epochs == (4, 4)
    assert forecast(run).seconds_epoch == pytest.approx(an_epoch * 2)
    assert forecast(replace(run, fit=replace(run.fit, epochs=30, patience=6))).epochs == (7, 30)


def test_a_training_whose_epoch_is_chosen_by_auc_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "forecast_audit", lambda *about, **named: Forecast(0.0, 0.0, 0, ""))
    model, fit = build_specs("mlp(hidden=4)", "jain2019", epochs=3)
    assert fit.keep == "auc"
    found = forecast(replace(spec("planted:needle(n=60,length=6)"), model=model, fit=fit))
    assert found.epochs == (3, 3)
    assert found.seconds_training > 0


def squares(texts: Sequence[Example]) -> int:
    return sum(len(text.tokens) ** 2 for text in texts)


@pytest.fixture(scope="module")
def trained() -> Trained:
    """A model whose audit is estimated, and never made."""
    return train(spec("planted:needle(n=200,length=8)", companions=()))


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock by which a batch takes half a second and each squared word a thousandth more, judging
    three, a page four.
    """
    now = [0.0]

    def taken(model: object, texts: Sequence[Example], *rest: object) -> dict[str, Outcome]:
        now[0] += 0.5 + squares(texts) / 1000
        return {}

    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    monkeypatch.setattr(module, "measure", taken)
    monkeypatch.setattr(module, "time_judging", lambda *about: (3.0, 4.0))


def test_an_audit_is_batches_and_the_square_of_the_lengths(
    exact: None, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = trained.dataset.test
    whole = 0.5 * len(test) / module.BATCH + squares(test) / 1000
    monkeypatch.setattr(module, "SECONDS", 5.0)
    result = forecast_audit(trained, 0)
    assert result.seconds_audit == pytest.approx(whole)
    assert (result.seconds_judging, result.seconds_page) == (3.0, 4.0)
    assert result.auditing == pytest.approx(whole + 7)
    assert forecast_audit(trained, 0, limit=10).seconds_audit == pytest.approx(
        whole * 10 / len(test)
    )


@pytest.mark.parametrize("a_square", [1.0, 0.04, 1e-5])
def test_a_quick_estimate_is_of_texts_of_all_lengths(
    trained: Trained, monkeypatch: pytest.MonkeyPatch, a_square: float
) -> None:
    """Few texts of a slow model are enough, two of a very slow one; of a fast one as many as are
    measured together.
    """
    now, calls = [0.0], list[int]()

    def taken(model: object, texts: Sequence[Example], *rest: object) -> dict[str, Outcome]:
        now[0] += a_square * squares(texts)
        calls.append(len(texts))
        return {}

    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    monkeypatch.setattr(module, "measure", taken)
    test = trained.dataset.test
    assert quick_seconds(trained, 0)[0] == pytest.approx(a_square * squares(test))
    few = min(module.QUICK_TEXTS, len(test) // module.SMALL)
    assert few > 2
    most = min(module.BATCH, len(test))
    expected = {1.0: [1, 2], 0.04: [1, few], 1e-5: [1, few, most]}
    assert calls == expected[a_square]
    calls.clear()
    kept = sample_test(trained.dataset, 3, 0).test
    assert quick_seconds(trained, 0, limit=3)[0] == pytest.approx(a_square * squares(kept))


def test_of_an_audit_that_stops_early_what_bears_on_the_verdict_is_timed(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[set[str]]()

    def taken(model: object, texts: object, measures: Sequence[Measure], *rest: object) -> dict:
        asked.append({one.code for one in measures})
        return {}

    monkeypatch.setattr(module, "measure", taken)
    quick_seconds(trained, 0, limit=2)
    quick_seconds(trained, 0, limit=2, bearing=True)
    assert asked[0] - asked[-1] >= {"mixing", "sufficiency", "signs"}
    assert {"outputs", "transplant", "erasure", "permutation"} <= asked[-1]


def test_what_comes_after_the_verdict_is_forecast_where_other_maps_are_compared_on_some_texts(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, others = [0.0], list[object]()

    def taken(model: object, texts: Sequence[Example], measures: Sequence[Measure], *rest: object):
        after = [one for one in measures if getattr(one, "others", None)]
        now[0] += 2.0 * squares(texts) if after else 1e-3 * squares(texts)
        others.extend(after)
        return {}

    monkeypatch.setattr(module, "perf_counter", lambda: now[0])
    monkeypatch.setattr(module, "measure", taken)
    assert quick_seconds(trained, 0, bearing=True)[1] == 0  # it knows all deletions at once
    assert not others
    alone = replace(trained, model=Offering(trained.model, "decode"))
    seconds, later = quick_seconds(alone, 0, bearing=True)
    some = trained.dataset.test[:COMPARED]
    assert later == pytest.approx(2.0 * squares(some))
    assert 0 < seconds < later
    assert {one.code for one in others} == {"transplant", "erasure"}


def test_half_of_the_texts_choose_a_reading_and_half_are_audited(
    exact: None, trained: Trained
) -> None:
    """Each text costs one of the two, which here take equally long; one that is named costs an
    audit of all.
    """
    pieces = word_pieces()
    bert = classifier("bert", tokenizer=pieces)
    choosing, named = (
        transformer(bert, pieces, **asked) for asked in ({"reading": "all"}, {"head": 0})
    )
    found = [forecast_audit(replace(trained, model=model), 0) for model in (choosing, named)]
    assert found[0].seconds_audit == pytest.approx(found[1].seconds_audit)
    assert ["of which choose the attention source" in one.basis for one in found] == [True, False]


def test_an_attribution_takes_its_time(
    exact: None, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def attributed(name: str, model: object, texts: Sequence[Example], *rest: object) -> None:
        made.append(name)
        module.measure(model, texts)  # as long again

    monkeypatch.setattr(module, "attributed", attributed)
    found = forecast_audit(trained, 0, attribution="captum:Saliency").seconds_audit
    assert set(made) == {"captum:Saliency"}
    assert found == pytest.approx(2 * forecast_audit(trained, 0).seconds_audit)


def test_of_texts_that_take_too_long_the_shortest_are_timed(
    exact: None, trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.01)
    result = forecast_audit(trained, 0)
    assert f"an audit of {module.LEAST_TEXTS} of" in result.basis
    assert result.seconds_audit > squares(trained.dataset.test) / 1000


def test_all_of_a_command_is_the_sum_of_its_parts_and_seeds_share_the_start() -> None:
    one = Forecast(8.0, 3.0, 0, "x", 2.0, (2, 4), 0.5, 6.0, 1.5, 0.25)
    assert one.training == (4.0, 8.0)
    assert one.auditing == 4.75
    three = one.times(3)
    assert (three.training, three.auditing) == ((12.0, 24.0), 13.75)
    assert (three.seconds_start, three.seconds_reading) == (6.0, 0.5)


def test_judging_is_timed_with_as_many_texts_as_are_audited_and_reckoned_above(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, seen = trained.dataset.test[:2], list[Results]()
    ticks = iter([0.0, 1.0, 3.0] * 2)
    monkeypatch.setattr(report_cost, "perf_counter", lambda: next(ticks))
    monkeypatch.setattr(report_cost, "render", seen.append)
    values = {
        "predicted": np.array([0, 0]),
        "label": np.array([0, 1]),
        "cluster": np.array([5, 5]),
        "finite": np.ones(2),
    }
    taken = {"outputs": Measurement("outputs", values), "marks": NotRun("marks", "no marks")}
    assert report_cost.time_judging(trained, few, taken, 7, 0) == (1.0, 2.0)
    found = seen[0].measurements["outputs"]
    assert isinstance(found, Measurement)
    assert found.values["predicted"].tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert "cluster" not in found.values
    monkeypatch.setattr(report_cost, "TEXTS", 4)
    assert report_cost.time_judging(trained, few, taken, 12, 0) == (3.0, 6.0)
    assert len(seen[1].texts) == 4


def test_strata_hold_all_texts_and_cost_alike() -> None:
    texts = [example(" ".join("a" * n), n) for n in range(1, 200)]
    cut = strata(texts, squares)
    assert [text for stratum in cut for text in stratum] == texts
    costs = [squares(stratum) for stratum in cut]
    assert max(costs) < 1.1 * min(costs)
    alone = strata(texts[:1], squares)
    assert [len(stratum) for stratum in alone] == [1]


@pytest.mark.parametrize(("units", "count"), [(0, 2), (50_000, 5), (1e9, 32)])
def test_few_texts_of_a_stratum_are_neighbours(units: float, count: int) -> None:
    stratum = [example(" ".join("a" * 100), n) for n in range(40)]
    few = middle_batch(stratum, units, squares)
    assert len(few) == count
    assert [text.index for text in few] == list(range(few[0].index, few[0].index + count))


def test_texts_are_taken_over_all_lengths() -> None:
    test = load(parse_data("planted:needle(n=400,length=30)"), 0).test
    lengths = sorted(len(e.tokens) for e in test)
    few = [len(e.tokens) for e in spread(test, 9)]
    assert few == sorted(few)
    assert (few[0], few[-1], len(few)) == (lengths[0], lengths[-1], 9)
    assert np.mean(few) == pytest.approx(np.mean(lengths), rel=0.05)
    assert len(spread(test, 1)) == 1
    assert len(spread(test, 10_000)) == len(test)


class WorkClock(TorchDispatchMode):
    """A clock by which each operation of torch takes ten microseconds, and each number that it
    makes ten nanoseconds: the same on every machine, however busy.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: object,
        args: Sequence[object] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        made = func(*args, **(kwargs or {}))
        made_here = made if isinstance(made, (tuple, list)) else [made]
        numbers = sum(one.numel() for one in made_here if isinstance(one, torch.Tensor))
        self.seconds += 1e-5 + 1e-8 * numbers
        return made


@pytest.mark.slow
def test_an_estimate_is_of_the_right_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the seconds of a real machine are met is measured in benchmarks/forecast.py."""
    run = spec("planted:needle(n=400,length=12)")
    with WorkClock() as clock:
        monkeypatch.setattr(module, "perf_counter", lambda: clock.seconds)
        monkeypatch.setattr(report_cost, "perf_counter", lambda: clock.seconds)
        guess = forecast(run)
        began = clock.seconds
        trained = train(run)
        training = clock.seconds - began
        began = clock.seconds
        audit_trained(trained, run.seed, Display())
        auditing = clock.seconds - began
    assert guess.seconds_training == pytest.approx(training, rel=0.2)
    assert guess.seconds_audit + guess.seconds_judging == pytest.approx(auditing, rel=0.2)
    assert 2**26 < guess.peak_bytes < 2**35
    assert "of 240 training texts, 2 models, 4 to 4 epochs" in guess.basis
    assert "of 100 test texts" in guess.basis


class Reading(Offering):
    """A model that runs each changed text by itself, and counts the words that it runs."""

    words = 0

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        self.words += batch.mask.numel()
        return super().trace(batch, embeddings)


def test_few_long_texts_among_short_ones_cost_the_words_that_are_run_of_them(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only some words of a long text are left out: by the square of its length, the estimate is
    several times too high.
    """
    model = Reading(trained.model, "decode")
    drawn = np.random.default_rng(0)
    known = trained.dataset.test[0].text.split()
    lengths = [10] * 60 + [300] * 3
    test = tuple(
        example(" ".join(drawn.choice(known, length)), 1000 + n, n % 2)
        for n, length in enumerate(lengths)
    )
    texts = replace(trained, model=model, dataset=replace(trained.dataset, test=test))
    monkeypatch.setattr(module, "perf_counter", lambda: model.words)
    monkeypatch.setattr(module, "SECONDS", 1.0)
    guess = forecast_audit(texts, 0, bearing=True).seconds_audit
    before, asked = model.words, module._asked(module.TOKENS_AT_ONCE, (), bearing=True)
    measure(model, test, asked, {}, Seeds(0), module.BATCH, ignore)
    assert 0.4 < guess / (model.words - before) < 2.5


def test_a_trained_model_needs_no_training_and_is_left_as_it_was() -> None:
    trained = train(spec("planted:needle(n=60,length=6)"))
    before = {name: value.clone() for name, value in trained.model.state_dict().items()}
    guess = forecast_audit(trained, 0, limit=5)
    assert guess.seconds_training == 0 < guess.seconds_audit
    assert "of 5 test texts" in guess.basis
    for name, value in trained.model.state_dict().items():
        assert value.equal(before[name])


def test_of_a_large_table_a_part_is_read_and_the_rest_is_reckoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows(
            [
                ("text", "label"),
                *((f"word{i} good a{i % 9} b{i % 7}", "ab"[i % 2]) for i in range(1000)),
            ]
        )
    monkeypatch.setattr(load_dataset, "PART", file.stat().st_size // 4)
    part = load_part(parse_data(str(file)), 0)
    read = sum(map(len, part.dataset.splits.values()))
    assert part.share == pytest.approx(1 / 4, rel=0.01)
    assert read == pytest.approx(250, rel=0.2)
    assert part.unread_bytes > 0
    labels = part.dataset.card["splits"]["train"]["labels"]
    assert labels["a"] == pytest.approx(
        labels["b"], rel=0.3
    )  # every fourth row would have been of one label
    known = Vocabulary.fit(part.dataset.train)
    assert (
        3 * len(known) < len(part.grown(known)) < 4.2 * len(known)
    )  # nearly each text has a word of its own
    result = forecast(spec(str(file), companions=()))
    assert "of the rows, drawn by chance" in result.basis
    assert "an audit of" in result.basis


def test_a_table_of_which_too_little_would_be_left_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"w{i} x,{'abc'[i % 3]}" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["text,label", *rows]))
    monkeypatch.setattr(load_dataset, "PART", 20)
    assert load_part(parse_data(str(tmp_path / "t.csv")), 0).share == 1


def test_cells_cost_what_others_of_their_data_and_model_took_and_the_rest_is_tried() -> None:
    one = spec("planted:needle(n=60,length=6)", companions=())
    other = replace(one, data=parse_data("planted:needle(n=80,length=6)"))
    done = [
        Summary("k", str(one.data), str(one.model), seed, "done", 2.0 + seed) for seed in (0, 1)
    ]
    known = estimate([replace(one, seed=3)] * 3, done)
    assert (known.least, known.most) == (7.5, 7.5)
    assert known.basis == "2 runs that are done, of 1 data and models"
    mixed = estimate([one, other], done)
    assert 2.5 < mixed.least <= mixed.most
    assert "a trial of 1 of 1" in mixed.basis


def test_texts_to_train_on_alone_cost_no_audit() -> None:
    data = replace(load(parse_data("planted:needle(n=30,length=6)"), 0), test=())
    found = forecast_audit(Trained(untrained("mlp(hidden=4)"), data, {}, {}), 0)
    assert (found.seconds_audit, found.basis) == (0.0, "no audit: there are no test texts")
    assert found.peak_bytes > 0
