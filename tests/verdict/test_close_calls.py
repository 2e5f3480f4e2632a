"""Tests on which a verdict hangs, from made-up findings."""

from dataclasses import replace

import pytest

from sightline.core.results import (
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    CloseCall,
    Estimate,
    Finding,
    Level,
)
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.close_calls import NEAR, close_calls
from sightline.verdict.verdict_table import verdict_of
from tests.verdict.cases import LEARNED, evidence, finding

THRESHOLD, HALF = 0.1, 0.05


def scored(code: str, value: float, of: str = "", half: float = HALF) -> Finding:
    """A finding of which one score lies there, and the result follows from it."""
    low, high = value - half, value + half
    result = "passed" if low > THRESHOLD else "failed" if high < THRESHOLD else "inconclusive"
    score = Estimate(value, low, high, 120, "made up")
    known = replace(finding(code, "passed", {"a": "passed", "b": "passed"}), threshold=THRESHOLD)
    if not of:
        return replace(known, result=result, score=score)  # type: ignore[arg-type]
    answers = {**known.answers, of: result}
    return replace(known, answers=answers, by_class={**known.by_class, of: score})  # type: ignore[arg-type]


def calls(**scores: float) -> tuple[CloseCall, ...]:
    """The close calls where some tests have a score, and all others pass by far."""
    far = {
        code: replace(finding(code, "passed", {"a": "passed", "b": "passed"}), threshold=THRESHOLD)
        for code in AUDIT_TESTS
    }
    far |= {
        code.replace("_", "-"): scored(code.replace("_", "-"), at) for code, at in scores.items()
    }
    return close_calls(far, evidence(), LEARNED, verdict_of(far, evidence(), LEARNED))


@pytest.mark.parametrize(
    ("value", "otherwise", "distance"),
    [
        (THRESHOLD + HALF + 0.02, CANNOT_TELL, 0.02),  # passed, and only just
        (THRESHOLD - HALF - 0.02, CANNOT_TELL, 0.02),  # failed, and only just
        (THRESHOLD + HALF - 0.02, CAN, 0.02),  # open; almost passed
        (THRESHOLD - HALF + 0.02, MUST_NOT, 0.02),  # open; almost failed
    ],
)
def test_a_required_test_near_its_threshold_is_a_close_call(
    value: float, otherwise: Level, distance: float
) -> None:
    (call,) = calls(SL_301=value)
    assert (call.code, call.of) == ("SL-301", "")
    assert call.distance == pytest.approx(distance)
    assert call.otherwise == otherwise


def test_a_score_that_alone_does_not_give_the_result_is_none() -> None:
    """Two ways of asking disagree: the one that passes, and only just, is not what is open."""
    far = {
        code: replace(finding(code, "passed", {"a": "passed", "b": "passed"}), threshold=THRESHOLD)
        for code in AUDIT_TESTS
    }
    just = scored("SL-301", THRESHOLD + HALF + 0.02)
    assert just.result == "passed"
    far["SL-301"] = replace(just, result="inconclusive")
    verdict = verdict_of(far, evidence(), LEARNED)
    assert verdict.level == CANNOT_TELL
    assert close_calls(far, evidence(), LEARNED, verdict) == ()


@pytest.mark.parametrize("side", [-1, 1])
def test_a_test_far_from_its_threshold_is_none(side: int) -> None:
    assert calls(SL_301=THRESHOLD + side * (HALF + NEAR * HALF + 0.01)) == ()


@pytest.mark.parametrize(("half", "near"), [(0.49, True), (0.51, False)])
def test_an_interval_wider_than_the_scale_is_near_nothing(half: float, near: bool) -> None:
    wide = scored("SL-301", THRESHOLD, half=half)
    others = {
        code: replace(finding(code, "passed", {"a": "passed", "b": "passed"}), threshold=THRESHOLD)
        for code in AUDIT_TESTS
    }
    far = {**others, "SL-301": wide}
    found = close_calls(far, evidence(), LEARNED, verdict_of(far, evidence(), LEARNED))
    assert bool(found) == near


def test_a_test_that_would_change_nothing_is_none() -> None:
    """Where Transfer fails, Removal decides nothing."""
    assert [call.code for call in calls(SL_303=-0.4, SL_301=THRESHOLD + HALF + 0.02)] == []


def test_a_caveat_that_would_go_is_one() -> None:
    found = calls(SL_402=THRESHOLD + HALF + 0.01)
    assert [(call.code, call.otherwise) for call in found] == [("SL-402", CAVEATS)]


def test_the_nearest_comes_first() -> None:
    found = calls(SL_301=THRESHOLD + HALF + 0.04, SL_303=THRESHOLD + HALF + 0.01)
    assert [call.code for call in found] == ["SL-303", "SL-301"]


def test_a_class_hangs_on_its_own_score() -> None:
    far = {
        code: replace(finding(code, "passed", {"a": "passed", "b": "passed"}), threshold=THRESHOLD)
        for code in AUDIT_TESTS
    }
    far["SL-301"] = scored("SL-301", THRESHOLD + HALF + 0.02, of="b")
    found = close_calls(far, evidence(), LEARNED, verdict_of(far, evidence(), LEARNED))
    assert [(call.code, call.of, call.otherwise) for call in found] == [
        ("SL-301", "b", CANNOT_TELL)
    ]
