"""One rule for every finding, and the words that go with it."""

import pytest

from sightline.core.results import Answer, Estimate
from sightline.stats.sample_size import texts_needed
from sightline.verdict.decision_rule import (
    TAKES_TOO_FEW,
    decide,
    disagreement,
    explain,
    join_alternatives,
    join_must_agree,
    strongest,
    weakest,
)


def score(low: float, high: float, n: int = 100) -> Estimate:
    return Estimate((low + high) / 2, low, high, n, "test")


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.11, 0.3, "passed"),
        (-0.2, 0.09, "failed"),
        (0.05, 0.2, "inconclusive"),
        (0.1, 0.2, "inconclusive"),  # the bound itself is not above δ
        (0.0, 0.1, "inconclusive"),
        (-0.9, 0.9, "inconclusive"),  # failing to reject is never "failed"
    ],
)
def test_the_interval_against_delta(low: float, high: float, answer: str) -> None:
    assert decide(score(low, high), 0.1) == answer
    assert "0.1" in explain(score(low, high), 0.1)


def test_without_texts_nothing_applies() -> None:
    assert (
        decide(Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined"), 0.1) == "not run"
    )


def test_among_equal_answers_the_smallest_effect_decides_what_must_hold_in_all() -> None:
    effects = {"a": score(0.7, 0.8), "b": score(0.2, 0.3), "c": score(0.4, 0.5)}
    assert weakest(dict.fromkeys(effects, "passed"), effects) == "b"
    assert strongest(dict.fromkeys(effects, "passed"), effects) == "a"
    assert strongest(dict.fromkeys(effects, "failed"), effects) == "a"


def test_the_answer_decides_before_the_size_of_the_effect() -> None:
    answers: dict[str, Answer] = {"a": "passed", "b": "failed", "c": "inconclusive"}
    effects = {"a": score(0.11, 0.13), "b": score(0.0, 0.09), "c": score(-0.9, 0.9)}
    assert weakest(answers, effects) == "b"
    assert strongest(answers, effects) == "a"


def test_an_undefined_effect_decides_nothing_unless_all_are() -> None:
    nan = float("nan")
    undefined = Estimate(nan, nan, nan, 0, "undefined for every text")
    answers: dict[str, Answer] = {"a": "not run", "b": "passed", "c": "not run"}
    effects = {"a": undefined, "b": score(0.2, 0.3), "c": undefined}
    assert (weakest(answers, effects), strongest(answers, effects)) == ("b", "b")
    del answers["b"]
    assert (weakest(answers, effects), strongest(answers, effects)) == ("a", "a")
    assert explain(undefined, 0.1) == "undefined for every text"


def test_an_effect_surely_below_chance_is_not_hidden_behind_one_that_may_be_chance() -> None:
    effects = {"a": score(0.0, 0.05), "b": score(-0.7, 0.05), "c": score(-0.3, -0.1)}
    assert weakest(dict.fromkeys(effects, "failed"), effects) == "c"


def test_an_effect_below_chance_is_called_worse_and_not_small() -> None:
    assert explain(score(-0.97, -0.15), 0.1).endswith("lies below 0: worse than chance")
    assert explain(score(-0.97, -0.15), 0.1, worse="better without").endswith(
        "below 0: better without"
    )
    assert explain(score(-0.97, 0.05), 0.1).endswith(
        "the whole interval lies below the threshold, 0.1"
    )


def test_fewer_texts_than_a_finding_may_rest_on_leave_it_open() -> None:
    assert decide(score(0.2, 0.3, 19), 0.1, fewest=20) == "inconclusive"
    assert decide(score(0.2, 0.3, 20), 0.1, fewest=20) == "passed"
    assert "n = 19; fewer than the 20 texts" in explain(score(0.2, 0.3, 19), 0.1, 20)


def test_a_test_that_takes_too_few_texts_is_not_said_to_be_settled_by_more() -> None:
    open_ = Estimate(0.3, 0.22, 0.38, 400, "")
    needed = texts_needed(open_, 0.25)
    assert needed is not None
    assert TAKES_TOO_FEW not in explain(open_, 0.25, most=needed)
    assert explain(open_, 0.25, most=needed - 1).endswith(TAKES_TOO_FEW)
    assert TAKES_TOO_FEW not in explain(Estimate(0.25, 0.2, 0.3, 400, ""), 0.25, most=400)


def test_an_interval_that_is_not_known_compares_with_nothing() -> None:
    nan = float("nan")
    unknown = Estimate(0.5, nan, nan, 100, "the ceiling is not above chance")
    assert decide(unknown, 0.1) == "inconclusive"
    assert "no interval is known (the ceiling is not above chance)" in explain(unknown, 0.1)
    assert decide(Estimate(nan, nan, nan, 100, "no"), 0.1) == "not run"


@pytest.mark.parametrize(
    ("answers", "joined"),
    [
        (("failed", "failed"), "failed"),
        (("failed", "not run"), "failed"),
        (("passed", "inconclusive"), "passed"),
        (("passed", "failed"), "inconclusive"),
        (("inconclusive", "failed"), "inconclusive"),
        (("not run", "not run"), "not run"),
    ],
)
def test_two_ways_to_ask_one_question(answers: tuple[str, str], joined: str) -> None:
    assert join_alternatives(answers) == joined
    assert join_alternatives(answers[::-1]) == joined


def test_classes_that_answer_differently_are_named() -> None:
    by_class = {"neg": score(-0.1, 0.0, 40), "pos": score(0.2, 0.3, 60)}
    assert disagreement({"neg": "failed", "pos": "passed"}, by_class) == (
        "the classes disagree: failed for predicted 'neg' (n = 40), passed for predicted "
        "'pos' (n = 60)"
    )
    assert disagreement({"neg": "passed", "pos": "inconclusive"}, by_class) == ""


@pytest.mark.parametrize(
    ("answers", "joined"),
    [
        (("passed", "passed"), "passed"),
        (("failed", "failed"), "failed"),
        (("passed", "failed"), "inconclusive"),
        (("passed", "inconclusive"), "inconclusive"),
        (("failed", "inconclusive"), "inconclusive"),
        (("passed", "not run"), "passed"),
        (("not run", "not run"), "not run"),
        ((), "not run"),
    ],
)
def test_ways_that_must_say_the_same_leave_open_what_one_of_them_does(
    answers: tuple, joined: str
) -> None:
    assert join_must_agree(answers) == join_must_agree(answers[::-1]) == joined
