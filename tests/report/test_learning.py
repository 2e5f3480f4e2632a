"""Whether the model has learned anything is said beside every verdict, and so is what is not known of it."""

import math
from dataclasses import replace

import pytest

from sightline.report.learning import learning
from sightline.results import Estimate, Learned
from tests.report.audits import LEARNED, estimate

GUESSING = "As far as these texts can tell, the model is no better than guessing."


def said(learned: Learned) -> str:
    return " ".join(learning(learned)).replace("\xa0", " ")


def test_accuracy_stands_beside_guessing_and_the_difference() -> None:
    told = "Accuracy 0.815 [0.775, 0.855]; always saying the most common class: 0.509 [0.469, 0.549]; difference 0.306 [0.266, 0.346] (n = 872)."
    assert (
        said(LEARNED)
        == f"{told} Its training had converged. 12 texts were longer than the model was let read, and cut."
    )


def test_texts_are_counted_for_each_number_where_they_differ() -> None:
    told = said(replace(LEARNED, above=estimate(0.3, n=61)))
    assert "0.815 [0.775, 0.855], n = 872; " in told
    assert "difference 0.300 [0.260, 0.340], n = 61." in told


@pytest.mark.parametrize(
    ("low", "expected"), [(0.001, False), (0.0, True), (-0.02, True), (-0.3, True), (math.nan, True)]
)
def test_what_does_not_lie_above_guessing_is_said_to_be_no_better(low: float, expected: bool) -> None:
    assert (GUESSING in said(replace(LEARNED, above=Estimate(low + 0.05, low, low + 0.1, 872, "")))) is expected


@pytest.mark.parametrize(
    ("converged", "cut", "expected"),
    [
        (False, 0, "Its training was cut short before it had converged. No text was cut."),
        (None, 1, "Whether its training had converged is not known. 1 text was longer than the model was let read, and cut."),
        (True, None, "Its training had converged. How many texts were cut is not known."),
    ],
)  # fmt: skip
def test_convergence_and_cut_texts_are_said(converged: bool | None, cut: int | None, expected: str) -> None:
    assert said(replace(LEARNED, converged=converged, cut=cut)).endswith(f"). {expected}")
