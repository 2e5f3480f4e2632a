"""An audit that looks at growing numbers of texts: what it measures, when it stops, and that it
resumes.
"""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sightline
from sightline.adapters.precision import to_float64
from sightline.audits import look_measures, look_storage, measure_pass, one_look, run, sequential
from sightline.audits.audit_result import Audit
from sightline.audits.determinism import DeterminismCheck
from sightline.audits.look_budget import BudgetClock, BudgetSpentError
from sightline.audits.look_measures import COMPARED, most_compared, settings_of, stage_of
from sightline.audits.look_plan import LookPlan, few_of, first_look, planned, sizes
from sightline.audits.look_storage import FILE, KeptLooks, Position
from sightline.audits.look_summary import JudgedTexts, still_open, texts_to_settle
from sightline.audits.measure_pass import TextPass
from sightline.core.errors import ModelError, SpecError
from sightline.core.example import Example
from sightline.core.protocols import MeasureContext
from sightline.core.results import (
    BY_ABSENCE,
    CANNOT_TELL,
    Bracket,
    Estimate,
    Finding,
    Measurement,
    NotRun,
    Ragged,
    Verdict,
)
from sightline.core.seeds import Seeds
from sightline.measures import removal
from sightline.measures.agreement import NOT_REPORTED
from sightline.measures.default_measures import default_measures
from sightline.measures.transfer import transfer
from sightline.models.alterations import alter
from sightline.report.alternative_maps import comparison_method
from sightline.report.html.audit_page import render
from sightline.report.number_format import score_span
from sightline.report.sequential_note import settled_after
from sightline.report.text.audit_summary import lines
from sightline.stats.intervals import LEVEL
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.judge import Judgement
from sightline.verdict.settled import OTHER_MAPS, Settled
from sightline.verdict.thresholds import Thresholds
from tests.adapters.offering import Offering
from tests.texts import evened, examples, untrained

MODEL = to_float64(untrained("mlp(hidden=6)+additive"))
TEXTS = examples(tuple(3 + n % 7 for n in range(40)))


@pytest.fixture(autouse=True, scope="module")
def several_looks() -> Iterator[None]:
    """Let small audits look more than once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_look, "FEW_WORDS", 0)
        yield


@pytest.fixture(scope="module")
def early(needle, several_looks: None) -> Audit:
    """An audit without a budget: at its last look, one test of one class is still open."""
    model, data = needle
    return sightline.audit(model, data, max_texts=300)


def passed(texts: list, **more: bool) -> TextPass:
    subject = MeasureContext(MODEL, {}, audited=tuple(texts))
    return TextPass(subject, default_measures(), Seeds(0), 8, {}, **more)


def same(one: object, other: object) -> bool:
    if isinstance(one, Ragged):
        return same(one.flat, other.flat) and same(one.lengths, other.lengths)
    if isinstance(one, Bracket):
        return same(one.low, other.low) and same(one.high, other.high)
    return np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_texts_that_come_in_parts_are_measured_as_all_at_once() -> None:
    whole, parts = passed(TEXTS), passed(TEXTS, growing=True)
    whole.advance(whole.names, len(TEXTS))
    for upto in (13, 26, len(TEXTS)):
        for name in parts.names:
            parts.advance([name], upto)
    once, found = whole.outcomes(len(TEXTS)), parts.outcomes(len(TEXTS))
    assert once.keys() == found.keys()
    taken = [name for name, one in once.items() if isinstance(one, Measurement)]
    assert {"transplant", "erasure", "agreement", "need", "marks"} <= {*taken}
    for name in taken:
        assert once[name].values.keys() == found[name].values.keys()
        for quantity, value in once[name].values.items():
            assert same(value, found[name].values[quantity]), (name, quantity)


def test_a_measure_with_fewer_texts_has_no_outcome_yet() -> None:
    some = passed(TEXTS, growing=True)
    some.advance(["outputs"], 10)
    assert some.outcome("outputs", 11) is None
    assert some.outcome("erasure", 10) is None
    assert len(some.outcome("outputs", 4).values["predicted"]) == 4


@pytest.mark.parametrize(
    ("first", "texts", "looks"),
    [
        (112, 800, (112, 224, 448, 800)),
        (112, 150, (150,)),
        (112, 112, (112,)),
        (30, 100, (30, 60, 100)),
    ],
)
def test_looks_double_and_the_last_is_at_all(first, texts, looks) -> None:
    assert sizes(first, texts) == looks


def test_every_predicted_class_has_its_texts_at_the_first_look() -> None:
    texts = examples(tuple(3 for _ in range(300)))
    predicted = np.array([0] * 260 + [1] * 40)
    plan = planned(texts, predicted, 0, 50)
    first = predicted[list(plan.order[: plan.sizes[0]])]
    assert (first == 1).sum() == 40
    assert (first == 0).sum() == 57
    assert sorted(plan.order) == list(range(300))
    errors = [1 - plan.level(size) for size in plan.sizes]
    assert sum(errors) == pytest.approx(1 - LEVEL)
    assert errors[-1] == pytest.approx((1 - LEVEL) / 2)
    assert planned(texts, predicted, 1, 50).order != plan.order


def test_few_texts_have_one_of_every_predicted_class() -> None:
    texts, predicted = examples((3,) * 430), np.array([0] * 400 + [1] * 30)
    for seed in (100, 132, 199, 210):  # at random, a class has none
        plan = planned(texts, predicted, seed, 50)
        few = predicted[list(plan.order[: few_of(87, 50)])]
        assert [(few == kind).sum() for kind in (0, 1)] == [56, 1]
        assert sorted(plan.order) == list(range(430))
        assert plan.sizes[0] == 87
        assert sorted(predicted[list(plan.order[:87])].tolist()) == [0] * 57 + [1] * 30
    several = np.array([0] * 400 + [1, 2, 3, 4, 5, 6] * 10)
    for seed in range(60):  # a class that is put in front pushes no other out
        order = planned(examples((3,) * 460), several, seed, 50).order
        assert {*several[list(order[: few_of(87, 50)])]} == {*range(7)}


def test_required_tests_come_first() -> None:
    assert [stage_of(code) for code in ("outputs", "transplant", "erasure", "need")] == [0, 1, 2, 2]
    assert [stage_of(code) for code in ("agreement", "types", "permutation")] == [2, 2, 3]
    assert (stage_of("mixing"), stage_of("searched"), stage_of("mine")) == (None, 5, 5)


def test_what_is_measured_next_is_said_before_its_first_text(needle) -> None:
    model, data = needle
    heard: list[tuple[str, ...]] = []
    measured: dict[tuple[str, ...], set[int]] = {}
    made = run.audit(
        to_float64(model.model),
        data,
        max_texts=300,
        on_measures=lambda codes: heard.append(tuple(codes)),
        on_progress=lambda done, total: measured.setdefault(heard[-1], set()).add(total),
    )
    assert heard[0] == ("outputs",)
    assert 300 in measured[("outputs",)]  # predictions of all planned texts come first
    assert next(codes for codes in heard if codes != ("outputs",)) == ("transplant",)
    kept = {name for name, one in made.measurements.items() if isinstance(one, Measurement)}
    assert kept <= {code for codes in heard for code in codes}


def test_it_stops_at_the_first_look_that_settles_the_verdict(several_looks: None) -> None:
    data = sightline.load("planted:vote(n=1200,length=10)")
    model = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8)
    shown = to_float64(alter("random", model.model, data, 0))
    found, full = run.audit(shown, data, max_texts=300), run.audit(shown, data, full=True)
    about = found.spec["sequential"]
    assert (about["settled"], about["stopped"]) == (True, "settled")
    assert about["texts"] == len(found.texts) < about["planned"] == 300
    (look,) = about["looks"]
    assert (look["texts"], look["whole"], {*look["by_class"].values()}) == (114, True, {True})
    assert found.verdict.level == full.verdict.level == "must not be shown"
    levels = {of: one.level for of, one in full.verdict.by_class.items()}
    assert {of: one.level for of, one in found.verdict.by_class.items()} == levels


def test_it_looks_again_while_the_verdict_is_open_and_texts_are_left(needle, early: Audit) -> None:
    model, data = needle
    full = sightline.audit(model, data, full=True)
    about = early.spec["sequential"]
    assert about["texts"] == len(early.texts) == about["planned"] == 300
    assert [one["texts"] for one in about["looks"]] == [114, 300]
    first, last = about["looks"]
    assert first["open_of"]  # so it looks again
    assert (last["whole"], last["by_class"]) == (True, {"alpha": False, "beta": True})
    assert last["open_of"] == {"alpha": ("SL-104",)}  # near its threshold, and no text is left
    assert (about["settled"], about["stopped"], about["open"]) == (False, "texts", ["SL-104"])
    assert about["open_of_class"] == {"alpha": ["SL-104"]}
    assert early.verdict.level == full.verdict.level
    assert isinstance(early.measurements["mixing"], NotRun)
    assert early.measurements["mixing"].reason == NOT_REPORTED
    # accuracy is that of all planned texts
    assert early.metrics["accuracy"].n == 300
    assert "sequential" not in full.spec
    assert "coupling.deletion" in full.measurements["agreement"].values
    assert "coupling.deletion" not in early.measurements["agreement"].values
    assert early.measurements["agreement"].missing["coupling.deletion"] == NOT_REPORTED
    level = f"{100 * about['level']:.4g} %"
    assert level in next(one for one in early.findings if one.code == "SL-301").score.method


def test_a_budget_that_is_spent_leaves_the_verdict_open(needle) -> None:
    model, data = needle
    audit = sightline.audit(model, data, budget=1e-3)
    about = audit.spec["sequential"]
    assert (about["settled"], about["stopped"]) == (False, "budget")
    assert audit.verdict.level == "cannot tell"
    assert about["open_whole"]
    assert about["needed_seconds"] is None  # nothing was timed


def test_a_batch_that_would_not_fit_into_the_budget_is_not_begun(needle, monkeypatch) -> None:
    model, data = needle
    now, traced = [0.0], measure_pass._Run._trace

    def slow(*given):
        now[0] += 1.0  # a batch
        return traced(*given)

    monkeypatch.setattr(measure_pass._Run, "_trace", slow)
    monkeypatch.setattr(sequential, "perf_counter", lambda: now[0])
    for budget in (15.5, 17.5):
        now[0] = 0.0
        about = sightline.audit(model, data, budget=budget).spec["sequential"]
        assert about["stopped"] == "budget"
        assert budget - 1.5 <= about["seconds"] <= budget


def test_the_clock_takes_the_next_batch_for_longer() -> None:
    now, heard = [0.0], list[int]()
    clock = BudgetClock(lambda done, total: heard.append(done), lambda: now[0], 9.0)
    clock.begin()
    now[0] = 4.0
    clock(1, 3)  # 4 + 5 s
    now[0] = 8.0
    with pytest.raises(BudgetSpentError):
        clock(2, 3)
    now[0] = 8.5
    clock(3, 3)  # nothing is to come
    with pytest.raises(BudgetSpentError):
        clock.begin()
    assert heard == [1, 2, 3]
    BudgetClock(lambda done, total: None, lambda: now[0], None).begin()


@pytest.mark.parametrize("limits", [{"budget": 5.0}, {"max_texts": 10}])
def test_a_full_audit_has_no_limits(needle, limits) -> None:
    with pytest.raises(SpecError, match="no limit"):
        sightline.audit(*needle, full=True, **limits)


@pytest.mark.parametrize("limits", [{"budget": 0}, {"max_texts": -1}])
def test_a_limit_allows_something(needle, limits) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.audit(*needle, **limits)
    assert [caught.value.field] == [*limits]


class StopError(Exception):
    """Ctrl-C, in a test."""


def test_a_stopped_audit_resumes_with_what_it_had(
    needle, early: Audit, tmp_path, monkeypatch
) -> None:
    model, data = needle
    real, saved = KeptLooks.save, []

    def save(kept: KeptLooks, position: Position, texts: TextPass) -> None:
        real(kept, position, texts)
        saved.append(position)
        if len(saved) == 2:
            raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(KeptLooks, "save", save)
        with pytest.raises(StopError):
            sightline.audit(model, data, max_texts=300, kept_in=tmp_path)
    assert [(one.look, one.stage) for one in saved] == [(0, 0), (0, 1)]
    taken: list[tuple[str, ...]] = []
    advance = TextPass.advance

    def counted(texts: TextPass, names: object, *more: object) -> None:
        taken.append(tuple(names))
        advance(texts, names, *more)

    def saved_again(kept: KeptLooks, position: Position, texts: TextPass) -> None:
        real(kept, position, texts)
        saved.append(position)

    monkeypatch.setattr(TextPass, "advance", counted)
    monkeypatch.setattr(KeptLooks, "save", saved_again)
    again = sightline.audit(model, data, max_texts=300, kept_in=tmp_path)
    assert {one.stage for one in saved if one.look > 0} == {3}  # where a look is judged
    assert taken[:2] == [("outputs",), ("need", "agreement", "types", "erasure")]
    assert again.verdict == early.verdict
    assert again.findings == early.findings
    assert (tmp_path / FILE).exists()


UNIFORM = "mlp(hidden=4)+uniform"
ONCE: dict[str, Any] = {"companions": "none", "epochs": 1}


@pytest.fixture
def keys(monkeypatch) -> list[str]:
    """The keys of the looks of each audit, which is stopped before its first look."""
    found: list[str] = []

    def stop(kept: KeptLooks) -> None:
        found.append(kept.key)
        raise StopError

    monkeypatch.setattr(KeptLooks, "make_current", stop)
    return found


def test_looks_belong_to_the_control_models_that_were_compared(
    needle, tmp_path, keys: list[str]
) -> None:
    model, data = needle
    others = [sightline.train(data, UNIFORM, seed=seed, **ONCE).model for seed in (0, 1)]
    for other in (others[0], others[1], others[0]):
        with pytest.raises(StopError):
            sightline.audit(model, data, {"uniform": other}, max_texts=30, kept_in=tmp_path)
    assert keys[0] == keys[2] != keys[1]


def test_looks_belong_to_what_the_model_offers_and_to_its_weights(
    needle, tmp_path, monkeypatch, keys: list[str]
) -> None:
    model, data = needle

    def asked(*offers: str) -> None:
        with pytest.raises(StopError):
            sightline.audit(Offering(model.model, *offers), data, max_texts=30, kept_in=tmp_path)

    for offers in (("embedding_grad",), ("decode", "embedding_grad"), ("embedding_grad", "decode")):
        asked(*offers)
    monkeypatch.setattr(sequential, "weights_digest", lambda model: "other weights")
    asked("decode", "embedding_grad")
    assert keys[1] == keys[2]
    assert len({*keys}) == 3


def test_an_audit_that_is_stopped_while_other_maps_are_compared_keeps_its_last_look(
    needle, tmp_path, monkeypatch
) -> None:
    model, data = needle
    some = replace(data, test=data.test[:120])
    plan = LookPlan(tuple(range(120)), (60, 120))
    monkeypatch.setattr(sequential, "planned", lambda *_, **__: plan)
    monkeypatch.setattr(
        sequential, "asks_other_maps", lambda evidence: len(evidence.predicted) == 120
    )

    def audited() -> Audit:
        return sightline.audit(model, some, max_texts=120, kept_in=tmp_path)

    def stop(*_: object) -> None:
        raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(sequential._Looking, "_compare", stop)
        with pytest.raises(StopError):
            audited()
    again = audited()
    assert [one["texts"] for one in again.spec["sequential"]["looks"]] == [60, 120]
    assert len(again.texts) == again.spec["sequential"]["texts"] == 120


def test_a_full_disk_ends_it_and_leaves_what_was_kept_before(
    needle, early: Audit, tmp_path, monkeypatch
) -> None:
    model, data = needle
    real, written = look_storage.write_bytes, list[int]()

    def write(place: Path, content: bytes) -> None:
        written.append(len(content))
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(place, content)

    with monkeypatch.context() as patch:
        patch.setattr(look_storage, "write_bytes", write)
        with pytest.raises(OSError, match="space"):
            sightline.audit(model, data, max_texts=300, kept_in=tmp_path)
    kept = (tmp_path / FILE).read_bytes()
    assert len(kept) == written[1]
    again = sightline.audit(model, data, max_texts=300, kept_in=tmp_path)
    assert (again.verdict, again.findings) == (early.verdict, early.findings)


def test_a_folder_that_another_command_removes_ends_no_audit(tmp_path, monkeypatch) -> None:
    def gone(place: Path, content: bytes) -> None:
        raise FileNotFoundError(place)

    monkeypatch.setattr(look_storage, "write_bytes", gone)
    KeptLooks.of(tmp_path, "one").save(Position(), passed(TEXTS))
    assert not any(tmp_path.iterdir())


def test_what_was_kept_of_another_audit_is_not_used(tmp_path) -> None:
    some = passed(TEXTS, growing=True)
    some.advance(["outputs", "transplant"], 20)
    KeptLooks.of(tmp_path, "one").save(Position(0, 1, 3.0), some)
    other, fresh = passed(TEXTS, growing=True), passed(TEXTS, growing=True)
    assert KeptLooks.of(tmp_path, "other").restore(other, {}) == Position()
    assert other.measures["outputs"].texts == 0
    assert KeptLooks.of(tmp_path, "one").restore(fresh, {}) == Position(0, 1, 3.0)
    assert fresh.measures["transplant"].texts == 20
    for quantity, value in some.measures["transplant"].rows.items():
        assert same(value, fresh.measures["transplant"].rows[quantity])
    (tmp_path / FILE).write_bytes(b"torn")
    assert KeptLooks.of(tmp_path, "one").restore(passed(TEXTS), {}) == Position()


def test_what_was_kept_of_another_audit_is_put_aside_and_found_again(tmp_path) -> None:
    some = passed(TEXTS, growing=True)
    some.advance(["outputs", "transplant"], 20)
    one, other = KeptLooks.of(tmp_path, "one"), KeptLooks.of(tmp_path, "other")
    one.make_current()
    one.save(Position(0, 1, 3.0), some)
    (tmp_path / look_storage.COMPARED).write_bytes(b"of the first")
    other.make_current()
    assert not (tmp_path / FILE).exists()
    other.save(Position(0, 2, 9.0), some)
    look_storage.remove_kept(tmp_path)  # its output is written
    assert len(list(tmp_path.iterdir())) == 2
    other.make_current()
    assert other.restore(passed(TEXTS, growing=True), {}) == Position()
    one.make_current()
    assert (tmp_path / look_storage.COMPARED).read_bytes() == b"of the first"
    assert one.restore(passed(TEXTS, growing=True), {}) == Position(0, 1, 3.0)
    one.make_current()  # again
    look_storage.remove_kept(tmp_path)
    assert not tmp_path.exists()


def test_what_cannot_be_read_is_not_put_aside(tmp_path) -> None:
    one = KeptLooks.of(tmp_path, "one")
    for damaged in (b"torn", b""):
        (tmp_path / FILE).write_bytes(damaged)
        one.make_current()
        assert one.restore(passed(TEXTS), {}) == Position()
        assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("code", ["information", "input_information"])
def test_a_measure_with_numbers_of_all_texts_is_kept_with_what_it_learns_from(
    tmp_path, code
) -> None:
    def pass_of() -> TextPass:
        subject = MeasureContext(MODEL, {}, audited=tuple(TEXTS))
        one = default_measures(chosen=(code,))
        return TextPass(subject, one, Seeds(0), 8, {"train": TEXTS}, growing=True)

    some, fresh = pass_of(), pass_of()
    some.advance(some.names, len(TEXTS))
    KeptLooks.of(tmp_path, "one").save(Position(0, 3), some)
    KeptLooks.of(tmp_path, "one").restore(fresh, {})
    whole, again = (each.outcome(code, len(TEXTS)) for each in (some, fresh))
    assert isinstance(again, Measurement)
    assert str(again.whole) == str(whole.whole)  # NaN equals nothing


def test_a_kept_file_that_lacks_an_array_leaves_nothing_behind(tmp_path) -> None:
    some = passed(TEXTS, growing=True)
    some.advance(["outputs", "marks"], 20)
    KeptLooks.of(tmp_path, "one").save(Position(0, 1, 3.0), some)
    with np.load(tmp_path / FILE) as stored:
        arrays = {name: stored[name] for name in stored.files}
    del arrays[max(name for name in arrays if name.startswith("marks/"))]
    np.savez(tmp_path / FILE, **arrays)
    fresh = passed(TEXTS)
    assert KeptLooks.of(tmp_path, "one").restore(fresh, {}) == Position()
    assert {one.texts for one in fresh.measures.values()} == {0}


def test_an_attribution_of_all_texts_needs_a_full_audit(needle) -> None:
    with pytest.raises(SpecError, match="full"):
        sightline.audit(*needle, budget=60, scores="captum:Saliency")


def test_the_first_look_is_forecast_from_the_labels() -> None:
    texts = [replace(text, label=n % 2) for n, text in enumerate(examples((3,) * 400))]
    assert first_look(texts, 400) == 114
    assert first_look(texts, 100) == 100
    assert first_look(texts[:1], 1) == 1


def test_what_is_kept_does_not_depend_on_how_much_is_run_together() -> None:
    few, many = (default_measures(tokens) for tokens in (64, 4096))
    assert [*map(settings_of, few)] == [*map(settings_of, many)]
    assert [*map(settings_of, few)] != [*map(settings_of, default_measures(64, gradient="norm"))]


@pytest.fixture
def exchanged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Hear after which stages other maps were compared."""
    real, positions, heard = KeptLooks.save, list[Position](), list[tuple[int, int]]()
    exchange = TextPass.exchange

    def save(kept: KeptLooks, position: Position, texts: TextPass) -> None:
        positions.append(position)
        real(kept, position, texts)

    def counted(texts: TextPass, *given: object) -> None:
        heard.append((positions[-1].look, positions[-1].stage))
        exchange(texts, *given)

    monkeypatch.setattr(KeptLooks, "save", save)
    monkeypatch.setattr(TextPass, "exchange", counted)
    return heard


def test_other_maps_are_compared_where_attention_must_not_be_shown(needle, exchanged) -> None:
    model, data = needle
    broken, heard = alter("random", model.model, data, 0), list[tuple[str, ...]]()
    audit = run.audit(
        to_float64(broken),
        data,
        max_texts=300,
        on_measures=lambda codes: heard.append(tuple(codes)),
    )
    assert audit.verdict.level == "must not be shown"
    assert {"attention", "deletion", "signed_deletion"} <= {row.name for row in audit.maps}
    assert len(exchanged) == 1
    assert {codes[-1] for codes in heard if "erasure" in codes} == {OTHER_MAPS, "erasure"}


def test_no_other_map_is_compared_where_it_cannot_be_told_whether_attention_is_shown(
    needle, exchanged
) -> None:
    audit = sightline.audit(*needle, max_texts=40)
    assert audit.verdict.level == "cannot tell"
    assert not exchanged
    assert isinstance(audit.measurements["transplant"], Measurement)


def test_other_maps_are_compared_where_a_class_may_be_decided_by_absence(exchanged) -> None:
    data = sightline.load("planted:needle(n=1200,length=10,ending=true)")
    model = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8)
    audit = sightline.audit(model, data, max_texts=300)
    assert BY_ABSENCE in {one.level for one in audit.verdict.by_class.values()}
    assert len(exchanged) == 1
    assert exchanged[0][1] == 3


def test_other_maps_are_compared_within_the_limits_of_a_look(monkeypatch) -> None:
    data = sightline.load("planted:needle(n=1200,length=10,ending=true)")
    model = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8).model
    monkeypatch.setattr(look_measures, "CANDIDATES", 6)
    audit = sightline.audit(Offering(model, "decode", "embedding_grad"), data, max_texts=120)
    assert BY_ABSENCE in {one.level for one in audit.verdict.by_class.values()}
    removed = audit.measurements["erasure"]
    assert "deleted.gradient" in removed.values
    assert removed.settings["candidates"] == 6


@pytest.mark.parametrize(("texts", "removed"), [(30, NotRun), (60, Measurement)])
def test_too_few_texts_end_an_audit_as_soon_as_nothing_can_change(
    exchanged, texts, removed
) -> None:
    """With fewer texts than any test needs after Transfer; with too few of each class after its
    tests, without other maps.
    """
    data = sightline.load("planted:needle(n=1200,length=10,ending=true)")
    model = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8)
    audit = sightline.audit(model, data, max_texts=texts)
    assert {one.row for one in audit.verdict.by_class.values()} == {1}
    assert isinstance(audit.measurements["transplant"], Measurement)
    assert isinstance(audit.measurements["erasure"], removed)
    assert exchanged == []
    reasons = {one.reason for one in audit.measurements.values() if isinstance(one, NotRun)}
    assert (sequential.TOO_FEW in reasons) == (texts == 30)
    assert sequential.NOT_NEEDED not in reasons or texts > 30


def test_what_is_measured_of_attention_does_not_depend_on_other_maps() -> None:
    subject = MeasureContext(MODEL, {}, audited=tuple(TEXTS))
    wide = {one.code: one for one in default_measures() if getattr(one, "rivals_too", False)}
    assert {*wide} == {"transplant", "erasure"}
    alone = [replace(one, rivals_too=False) for one in wide.values()]
    few = TextPass(subject, alone, Seeds(0), 8, {}, growing=True)
    few.advance(few.names, len(TEXTS))
    of_attention = few.outcomes(len(TEXTS))
    few.exchange(wide)
    assert few.outcome("erasure", len(TEXTS)) is None
    few.advance(few.names, len(TEXTS))
    compared = few.outcomes(len(TEXTS))
    for name, one in of_attention.items():
        assert {*one.values} < {*compared[name].values}
        for quantity, value in one.values.items():
            assert same(value, compared[name].values[quantity]), (name, quantity)


def test_an_audit_that_looks_again_runs_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    moved, removed = list[tuple[int, int, str]](), list[tuple[int, bytes]]()
    carried, answers = transfer.run_hybrids, removal.answers_without

    def heard(model, pairs, asked, *more):
        for pair, each in zip(pairs, asked, strict=True):
            ends = pair.donor.text.index, pair.receiver.text.index
            moved.extend((*ends, name) for name in each)
        return carried(model, pairs, asked, *more)

    def gone(subject, trace, words, sets, *more):
        for row, places in zip(sets.row, sets.gone, strict=True):
            removed.append((subject.texts[row].index, np.packbits(places).tobytes().rstrip(b"\0")))
        return answers(subject, trace, words, sets, *more)

    monkeypatch.setattr(transfer, "run_hybrids", heard)
    monkeypatch.setattr(removal, "answers_without", gone)
    wide = {one.code: one for one in default_measures() if getattr(one, "rivals_too", False)}
    alone = [replace(one, rivals_too=False) for one in wide.values()]
    subject = MeasureContext(
        evened(untrained("mlp(hidden=6)+additive"), TEXTS), {}, audited=tuple(TEXTS)
    )
    some = TextPass(subject, alone, Seeds(0), 8, {}, growing=True)
    for upto in (20, len(TEXTS)):
        some.advance(some.names, upto)
    some.exchange(wide)
    some.advance(some.names, len(TEXTS))
    assert len({*moved}) == len(moved) > 0
    assert len({*removed}) == len(removed) > 0


@pytest.mark.parametrize(("room", "again"), [(measure_pass.TRACES, 0), (0, 1)])
def test_a_batch_that_is_measured_again_keeps_its_trace_while_there_is_room(
    room, again, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_pass, "TRACES", room)
    asked, traced = list[tuple[int, ...]](), measure_pass.checked_trace

    def heard(model, texts):
        asked.append(tuple(text.index for text in texts))
        return traced(model, texts)

    monkeypatch.setattr(measure_pass, "checked_trace", heard)
    some = passed(TEXTS, growing=True)
    some.advance({"erasure"}, len(TEXTS))
    once, found = len(asked), some.outcomes(len(TEXTS))["erasure"]
    some.exchange({"erasure": next(o for o in default_measures() if o.code == "erasure")})
    some.advance({"erasure"}, len(TEXTS))
    assert len(asked) == once * (1 + again) > 0
    assert len({*asked}) == once
    for quantity, value in some.outcomes(len(TEXTS))["erasure"].values.items():
        assert same(value, found.values[quantity]), quantity


def test_it_is_kept_whether_other_maps_were_compared(tmp_path) -> None:
    wide = {one.code: one for one in default_measures() if one.code == "erasure"}
    some = passed(TEXTS, growing=True)
    some.exchange({"erasure": replace(wide["erasure"], rivals_too=False)})
    some.exchange(wide)
    some.advance(["erasure"], 20)
    at = Position(0, 4, 3.0, rivals_too=True)
    KeptLooks.of(tmp_path, "one").save(at, some)
    fresh = passed(TEXTS, growing=True)
    fresh.exchange({"erasure": replace(wide["erasure"], rivals_too=False)})
    assert KeptLooks.of(tmp_path, "one").restore(fresh, wide) == at
    assert fresh.measures["erasure"].guarded.one.rivals_too
    assert fresh.measures["erasure"].texts == 20


class Wrapped:
    """A model that comes from elsewhere: it is held to its first answers."""

    origin = "elsewhere"

    def __getattr__(self, name: str) -> object:
        return getattr(MODEL, name)


def test_a_model_from_elsewhere_that_was_asked_nothing_is_not_asked_again() -> None:
    steady = DeterminismCheck(Wrapped())
    steady.ask_again()  # an audit that resumes with all it needs ends at once
    trace = MODEL.trace(MODEL.collate(TEXTS[:2]))
    steady.hold(TEXTS[:2], trace)
    steady.ask_again()
    with pytest.raises(ModelError, match="changed during the audit"):
        steady.hold(TEXTS[:2], replace(trace, logits=trace.logits + 1))


@pytest.mark.parametrize(("planned_texts", "needed"), [(None, 87 * 2), (400, 800)])
def test_a_test_of_a_rare_class_takes_as_many_texts_as_usually_hold_it(
    planned_texts, needed
) -> None:
    score = Estimate(0.3, 0.2, 0.4, 30, "")
    one = Finding(
        "SL-301", "Removal", "passed", "required", threshold=0.3 - 0.1 / 2**0.5,
        by_class={"rare": score}, answers={"rare": "inconclusive"},
    )  # fmt: skip
    known = JudgedTexts(
        87,
        judgement=Judgement((one,), Verdict(CANNOT_TELL, 6, (), ()), None),
        state=Settled(True, {"rare": False}, {"rare": ("SL-301",)}),
    )
    usual = {} if planned_texts is None else {"rare": planned_texts}
    few = Thresholds({}, minimum_texts=1)
    assert texts_to_settle(known, few, (87,), usual) == pytest.approx(needed, rel=0.05)


def test_a_test_that_can_only_add_a_caveat_does_not_count_for_the_verdict() -> None:
    def open_test(code: str, distance: float) -> Finding:
        score = Estimate(0.3, 0.2, 0.4, 100, "")
        return Finding(
            code, code, "inconclusive", AUDIT_TESTS[code].role, threshold=0.3 - distance,
            score=score, needed=round(100 * (0.1 / distance) ** 2),
        )  # fmt: skip

    few = Thresholds({}, minimum_texts=1)
    both = (open_test("SL-301", 0.05), open_test("SL-202", 0.02))
    for findings, of_verdict in ((both, 400), (both[1:], 2500)):
        codes = tuple(one.code for one in findings)
        known = JudgedTexts(
            100,
            judgement=Judgement(findings, Verdict(CANNOT_TELL, 6, (), ()), None),
            state=Settled(False, {}, {"": codes}),
        )
        needed, for_caveats = (
            texts_to_settle(known, few, (100,), {}, caveats=too) for too in (False, True)
        )
        assert (needed, for_caveats) == (of_verdict, 2500)
        said = still_open(known, needed, for_caveats, 50.0)
        assert said["needed_for_caveats"] == (2500 if of_verdict == 400 else None)
        assert (said["needed_texts"], said["needed_seconds"]) == (of_verdict, of_verdict / 2)


def test_the_level_of_wider_intervals_is_printed(early: Audit) -> None:
    level = f"{100 * early.spec['sequential']['level']:.4g}"
    assert level != "95"
    printed = "\n".join(lines(early)).replace("\xa0", " ")
    page = render(early).replace("\xa0", " ")
    assert f"{level} % CI" in printed
    assert f"{level} % CI" in page
    transfer = next(one for one in early.findings if one.code == "SL-303")
    assert f"95 % CI {score_span(transfer.score)}" not in page.replace("\xa0", " ")


def test_another_process_names_what_is_kept_alike() -> None:
    """The order of a set is drawn in each process."""
    program = (
        "from sightline.audits.look_measures import settings_of\n"
        "from sightline.measures.default_measures import default_measures\n"
        "print([*map(settings_of, default_measures())])"
    )
    named = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in range(3)
    }
    assert len(named) == 1
    assert "transplant" in named.pop()


@pytest.fixture(scope="module")
def reviewed():
    """Audits of a model that runs each changed text by itself, and whose attention must not be
    shown: with a comparison of other maps, without, and with a budget that ends before it.
    """
    data = sightline.load("planted:reviews(n=600,sentences=2)")
    trained = sightline.train(data, "mlp(hidden=16)+additive", companions="none", epochs=8)
    model, found = Offering(alter("random", trained.model, data, 0)), []
    for compared in (COMPARED, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(look_measures, "COMPARED", compared)
            patch.setattr(look_measures, "CANDIDATES", 9)
            found.append(sightline.audit(model, data, max_texts=90))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look_measures, "CANDIDATES", 9)
        patch.setattr(sequential, "most_compared", spent)
        found.append(sightline.audit(model, data, max_texts=90))
    return found


def spent(*_: object) -> int:
    raise BudgetSpentError


def test_one_other_map_is_compared_on_some_texts_once_the_verdict_is_settled(reviewed) -> None:
    audit, _, _ = reviewed
    about = audit.spec["sequential"]
    assert audit.verdict.level == "must not be shown"
    assert about["compared"] == {"texts": COMPARED, "of": about["texts"]}
    assert {row.name for row in audit.maps} == {"attention", "deletion", "signed_deletion"}
    assert {row.name for row in audit.maps if row.chosen} == {"deletion", "signed_deletion"}
    assert max(row.carried.n for row in audit.maps) <= COMPARED
    # nothing that was measured of attention is of fewer texts
    assert len(audit.measurements["transplant"].values["weight"]) == about["texts"] > COMPARED
    assert f"on {COMPARED} of {about['texts']}" in comparison_method(audit)
    assert f"{COMPARED} of" in render(audit)


def test_the_verdict_does_not_depend_on_the_comparison(reviewed) -> None:
    compared, alone, _ = reviewed
    assert alone.spec["sequential"]["compared"]["texts"] == 0
    assert alone.maps == ()
    assert compared.maps
    assert alone.verdict == compared.verdict
    assert alone.findings == compared.findings
    assert any("not compared" in line for line in settled_after(alone))


def test_a_budget_that_ends_after_the_verdict_is_named_as_the_reason(reviewed) -> None:
    compared, alone, ended = reviewed
    assert ended.spec["sequential"]["incomplete"]
    assert "incomplete" not in compared.spec["sequential"].keys() | alone.spec["sequential"].keys()
    assert (ended.verdict, ended.maps) == (compared.verdict, ())
    assert any("budget" in line for line in settled_after(ended))
    assert not any("long" in line for line in settled_after(ended))


@pytest.mark.parametrize(
    "changed",
    [{"group": "one patient"}, {"rationale": (True,) * 3}, {"tokens": ("other", "words")}],
)
def test_kept_looks_belong_to_all_that_is_read_of_the_texts(changed: dict) -> None:
    texts = examples((3, 3, 3))
    other = [replace(texts[0], **changed), *texts[1:]]
    assert sequential._read_of(texts) != sequential._read_of(other)


def test_a_long_text_has_candidates_and_the_report_says_so(reviewed) -> None:
    audit, _, _ = reviewed
    about = audit.spec["sequential"]
    longer = sum(len(text.tokens) > 9 for text in audit.texts)
    assert about["candidates"] == {"words": 9, "texts": longer}
    assert longer
    assert any("9 words" in line for line in settled_after(audit))
    assert audit.measurements["erasure"].settings["candidates"] == 9


@pytest.mark.parametrize(("words", "texts"), [(10, COMPARED), (64, COMPARED), (72, 50), (73, 0)])
def test_long_texts_are_compared_where_a_test_has_enough_of_them(words, texts) -> None:
    text = Example("one", 0, "", ("so",) * words, (), 0)
    assert most_compared([text] * 80, 50) == texts
