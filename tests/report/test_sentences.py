"""The sentences say what the numbers say."""

from dataclasses import replace

import pytest

from sightline.report.sentences import chance, null_of, row_condition, sentences, side, what_would_change
from sightline.results import Estimate, Finding
from tests.report.audits import findings

FINDING = {finding.code: finding for finding in findings()}


def said(finding: Finding) -> str:
    return " ".join(sentences(finding)).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.11, 0.2, "above δ"),
        (0.1, 0.2, "holds δ"),
        (0.0, 0.1, "holds δ"),
        (-0.3, 0.09, "below δ"),
        (float("nan"), 1.0, "undefined"),
    ],
)
def test_the_side_of_delta(low: float, high: float, expected: str) -> None:
    assert side(Estimate(0.1, low, high, 10, ""), 0.1) == expected


def test_every_number_of_a_finding_is_said_with_its_n() -> None:
    text = said(FINDING["SL-101"])
    assert "0.660 [0.620, 0.700], n = 872" in text
    assert "0.230 [0.220, 0.240], n = 872" in text
    assert "0.430 [0.380, 0.480], n = 872" in text
    assert "lies above the smallest effect that matters, δ = 0.1: large enough to matter" in text


def test_the_three_answers_are_told_apart() -> None:
    assert "too small to matter" in said(FINDING["SL-104"])
    assert "holds the smallest effect" in said(FINDING["SL-001"])
    assert said(FINDING["SL-402"]) == ""
    assert "could not be compared" in said(
        replace(FINDING["SL-001"], effect=Estimate(0.1, float("nan"), float("nan"), 1, ""))
    )


def test_an_effect_that_is_the_number_is_said_once() -> None:
    finding = FINDING["SL-301"]
    text = said(replace(finding, floor=None, number=finding.effect))
    assert text.count("n = 872") == 1
    assert "Its floor is zero, so this is the effect. Its whole interval lies above" in text


def test_an_unknown_finding_is_told_in_general_words() -> None:
    text = said(replace(FINDING["SL-101"], code="SL-999"))
    assert text.startswith("The number of this finding: 0.660")
    assert "Its floor: 0.230" in text


def test_a_p_value_stands_beside_its_null() -> None:
    text = chance(FINDING["SL-104"]).replace("\xa0", " ")
    assert text == "p = 0.410. Null: the share that shuffled weights capture. Corrected over this report: p = 0.620."
    assert chance(FINDING["SL-301"]) == ""
    assert null_of(FINDING["SL-104"]) in chance(FINDING["SL-104"])


def test_what_would_change_an_answer_follows_the_answer() -> None:
    told = {code: what_would_change(finding) for code, finding in FINDING.items()}
    assert told["SL-101"].startswith("A lower end")
    assert told["SL-104"].startswith("An upper end")
    assert told["SL-001"].startswith("An interval that clears")
    assert told["SL-402"] == told["SL-201"] == ""


def test_an_answer_kept_back_for_another_reason_is_not_explained_by_the_interval() -> None:
    assert what_would_change(replace(FINDING["SL-101"], verdict="inconclusive")) == ""


def test_without_a_delta_nothing_is_compared() -> None:
    bare = replace(FINDING["SL-101"], delta=None)
    assert said(bare).endswith("The effect is 0.430 [0.380, 0.480], n = 872.")
    assert what_would_change(bare) == ""


def test_every_row_of_the_verdict_table_is_explained() -> None:
    assert len({row_condition(row) for row in range(1, 7)}) == 6
    assert "does not know" in row_condition(99)
