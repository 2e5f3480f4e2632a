"""One rule for every finding, and the words that go with it."""

import pytest

from sightline.findings.decide import decide, disagreement, explain, strongest, weakest
from sightline.results import Estimate


def effect(low: float, high: float, n: int = 100) -> Estimate:
    return Estimate((low + high) / 2, low, high, n, "test")


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.11, 0.3, "supported"),
        (-0.2, 0.09, "contradicted"),
        (0.05, 0.2, "inconclusive"),
        (0.1, 0.2, "inconclusive"),  # the bound itself is not above δ
        (0.0, 0.1, "inconclusive"),
        (-0.9, 0.9, "inconclusive"),  # failing to reject is never "contradicted"
    ],
)
def test_the_interval_against_delta(low: float, high: float, answer: str) -> None:
    assert decide(effect(low, high), 0.1) == answer
    assert "0.1" in explain(decide(effect(low, high), 0.1), effect(low, high), 0.1)


def test_without_texts_nothing_applies() -> None:
    assert decide(Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined"), 0.1) == "not applicable"


def test_weakest_and_strongest_take_the_first_among_equals() -> None:
    answers = {"a": "supported", "b": "contradicted", "c": "inconclusive", "d": "contradicted"}
    assert weakest(answers) == "b"
    assert strongest(answers) == "a"


def test_classes_that_answer_differently_are_named() -> None:
    said = disagreement({"neg": effect(-0.1, 0.0, 40), "pos": effect(0.2, 0.3, 60)}, 0.1)
    assert (
        said
        == "the classes disagree: contradicted for predicted 'neg' (n = 40), supported for predicted 'pos' (n = 60)"
    )
    assert disagreement({"neg": effect(0.2, 0.3), "pos": effect(0.0, 0.3)}, 0.1) == ""
