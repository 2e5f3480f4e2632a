"""A budget that may end before the first look: a few texts are measured whole before the others."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sightline
from sightline.audits import measure_pass, sequential
from sightline.audits.audit_result import Audit
from sightline.audits.look_plan import few_of
from sightline.core.results import Measurement, NotRun, Verdict
from sightline.report.advice import LARGER_BUDGET, first_of_all
from sightline.report.sequential_note import ended_by_budget, settled_after
from sightline.stats.intervals import LEVEL
from sightline.verdict.evidence import Evidence
from sightline.verdict.settled import Settled
from sightline.verdict.thresholds import default_thresholds
from tests.adapters.offering import Offering

FIRST, PLANNED = 114, 300
FEW = few_of(FIRST, default_thresholds().least)
WITHIN = Callable[..., Audit]


@pytest.fixture
def within(needle, monkeypatch: pytest.MonkeyPatch) -> WITHIN:
    """Audit a model from elsewhere within a budget, of which each batch takes a second, and stop it
    at a batch.
    """
    model, data = needle
    clock, last, traced = [0.0], [np.inf], measure_pass._Run._trace

    def slow(*given: object) -> object:
        clock[0] += 1
        if clock[0] > last[0]:
            raise KeyboardInterrupt
        return traced(*given)

    monkeypatch.setattr(measure_pass._Run, "_trace", slow)
    monkeypatch.setattr(sequential, "perf_counter", lambda: clock[0])

    def audited(budget: float | None, stop: float = np.inf, kept_in: Path | None = None) -> Audit:
        clock[0], last[0] = 0.0, stop
        known = Offering(model.model, "decode", "embedding_grad")
        limits = {"max_texts": PLANNED} | ({} if budget is None else {"budget": budget})
        return sightline.audit(known, data, kept_in=kept_in, **limits)

    return audited


def found(audit: Audit) -> dict[str, tuple[str, int]]:
    return {one.code: (one.result, one.score.n) for one in audit.findings if one.score is not None}


def ended(audit: Audit) -> tuple[int, bool]:
    about = audit.spec["sequential"]
    return about["texts"], about["unfinished"]


def test_few_texts_are_enough_for_all_of_them_together_alone() -> None:
    least = default_thresholds().least
    assert least <= FEW < 2 * least <= FIRST
    assert few_of(FEW, least) == 0


def test_a_budget_that_ends_before_the_first_look_gives_a_verdict_of_few_texts(within) -> None:
    free = within(None).spec["sequential"]
    whole = next(one["seconds"] for one in free["looks"] if one["texts"] == FIRST)
    begun = next(seconds for seconds in count(1.0) if ended(within(seconds)) == (FEW, False))
    assert begun < whole
    audit = within(begun)
    about = audit.spec["sequential"]
    assert (about["stopped"], about["unfinished"], about["settled"]) == ("budget", False, False)
    assert len(audit.texts) == FEW
    assert about["needed_texts"] >= FIRST
    results = found(audit)
    assert {"SL-303", "SL-301", "SL-102", "SL-307"} <= results.keys()
    assert {n for _, n in results.values()} == {FEW}
    assert audit.verdict.row > 1
    assert {one.row for one in audit.verdict.by_class.values()} == {1}  # too few of each
    assert [one["texts"] for one in about["looks"]] == [FEW]
    assert about["level"] == LEVEL


def test_an_audit_that_is_stopped_among_few_texts_resumes_there(within, tmp_path) -> None:
    budget = 40.0
    whole = within(budget)
    assert len(whole.texts) == FEW
    seconds = whole.spec["sequential"]["seconds"]
    # while the second stage of the few texts is taken, and then while the third is
    for limit, batches in ((budget, seconds - 6), (2 * budget, seconds - 10)):
        with pytest.raises(KeyboardInterrupt):
            within(limit, batches, tmp_path)
        assert [*tmp_path.iterdir()]
    resumed = within(2 * budget, kept_in=tmp_path)
    assert len(resumed.texts) == FEW
    assert (resumed.verdict, found(resumed)) == (whole.verdict, found(whole))


def test_an_audit_that_its_budget_ended_continues_with_a_larger_one(within, tmp_path) -> None:
    whole = within(1e6)
    batches = whole.spec["sequential"]["seconds"]
    short = within(batches - 3, kept_in=tmp_path)
    assert ended_by_budget(short)
    assert not ended_by_budget(whole)
    resumed = within(1e6, batches - 3, tmp_path)  # it may not run as many batches again
    assert (resumed.verdict.level, resumed.verdict.row) == (whole.verdict.level, whole.verdict.row)
    assert (found(resumed), resumed.metrics) == (found(whole), whole.metrics)
    ends = [
        [(one.score.value, one.score.low, one.score.high) for one in each.findings if one.score]
        for each in (resumed, whole)
    ]
    assert np.array(ends[0]) == pytest.approx(
        np.array(ends[1]), abs=1e-9, nan_ok=True
    )  # other batches


def test_a_budget_that_ends_earlier_says_that_its_tests_have_not_run(within) -> None:
    audit = within(3.0)
    about = audit.spec["sequential"]
    assert (about["stopped"], about["unfinished"]) == ("budget", True)
    assert (about["needed_texts"], about["needed_seconds"]) == (None, None)
    assert first_of_all(audit).lower().startswith(LARGER_BUDGET[:20])
    assert not found(audit)
    assert settled_after(audit) != settled_after(within(1e6))


def test_a_budget_that_ends_after_transfer_of_few_texts_has_its_result(within) -> None:
    seconds = next(one for one in count(1.0) if ended(within(one)) == (FEW, True))
    audit = within(seconds)
    results = found(audit)
    assert results["SL-303"][1] == FEW
    assert "SL-102" not in results
    assert not first_of_all(audit).lower().startswith(LARGER_BUDGET[:20])


def test_a_verdict_of_few_texts_that_nothing_can_change_is_settled(within, monkeypatch) -> None:
    real = sequential.find_settled

    def found_settled(evidence: Evidence, *more: Any) -> Settled:
        one = real(evidence, *more)
        return Settled(True, {}) if len(evidence.predicted) == FEW else one

    monkeypatch.setattr(sequential, "find_settled", found_settled)
    audit = within(40.0)
    about = audit.spec["sequential"]
    assert len(audit.texts) == FEW
    assert (about["stopped"], about["settled"]) == ("settled", True)


def assert_same(one: Verdict, other: Verdict) -> None:
    """Compare verdicts; other batches round how far a test is from its threshold in another way."""
    assert replace(one, close=(), by_class={}) == replace(other, close=(), by_class={})
    for mine, theirs in zip(one.close, other.close, strict=True):
        assert replace(mine, distance=theirs.distance) == theirs
        assert mine.distance == pytest.approx(theirs.distance, abs=1e-4)
    assert one.by_class.keys() == other.by_class.keys()
    for name, mine in one.by_class.items():
        assert_same(mine, other.by_class[name])


def test_a_budget_moves_no_number_of_a_look_that_it_holds(within, monkeypatch) -> None:
    free = within(None)
    looks = [one["texts"] for one in free.spec["sequential"]["looks"]]
    assert FIRST in looks
    budget = 10 * free.spec["sequential"]["seconds"]
    for share, few in ((1e-4, [FEW]), (1.0, [])):
        monkeypatch.setattr(sequential, "OF_TRANSFER", share)
        held = within(budget)
        assert [one["texts"] for one in held.spec["sequential"]["looks"]] == [*few, *looks]
        assert held.spec["sequential"]["stopped"] == free.spec["sequential"]["stopped"]
        assert_same(held.verdict, free.verdict)
        assert found(held) == found(free)
        for name, one in free.measurements.items():
            if isinstance(one, Measurement):
                for quantity, value in one.values.items():
                    if isinstance(value, np.ndarray):
                        other = held.measurements[name].values[quantity]
                        apart = ~np.isclose(value, other, equal_nan=True, rtol=1e-3, atol=1e-5)
                        # Other batches round in another way, so two words whose numbers are
                        # nearly equal may change places: a rank correlation then moves a little.
                        some = len(apart) // 20 if quantity.startswith("tau.") else 0
                        assert apart.sum() <= some, quantity
                        moved = value[apart].astype(float) - other[apart]
                        assert np.abs(moved).max(initial=0) <= 0.1, quantity
            else:
                assert isinstance(held.measurements[name], NotRun)


def test_a_model_that_shares_texts_takes_its_first_look_at_once(needle, within) -> None:
    whole = within(None).spec["sequential"]["seconds"]
    ours, data = needle
    for budget in np.arange(1, whole, whole / 8):
        audit = sightline.audit(ours, data, budget=float(budget), max_texts=PLANNED)
        assert audit.spec["sequential"]["texts"] == FIRST
