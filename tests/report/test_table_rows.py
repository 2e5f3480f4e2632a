"""Settings of any depth become rows one can read, and every missing number has its reason."""

import re
from dataclasses import replace
from typing import Any

import pytest

from sightline.core.results import Estimate, Measurement
from sightline.report.html.audit_page import render
from sightline.report.html.result_view import finding_view
from sightline.report.html.table_rows import (
    class_rows,
    estimate_row,
    estimate_rows,
    missing_rows,
    skipped_rows,
    undefined_rows,
    usual_method,
)
from sightline.report.provenance import settings_rows
from sightline.verdict.thresholds import default_thresholds
from tests.report.audits import audit, estimate, findings


@pytest.mark.parametrize(
    ("settings", "rows"),
    [
        ({"a": {"b": {"c": 1}}}, [("a.b.c", "1")]),
        (
            {"flag": True, "rate": 1e-3, "empty": "", "none": None},
            [("flag", "true"), ("rate", "0.001"), ("empty", "(empty)"), ("none", "none")],
        ),
        (
            {"names": ["a", "b"], "no": [], "nothing": {}},
            [("names", "a, b"), ("no", "none"), ("nothing", "none")],
        ),
        ({"deep": [{"a": 1}, "é"]}, [("deep", '[{"a": 1}, "é"]')]),
        ({"part": {"name": "mlp", "options": []}}, [("part", "mlp")]),
        (
            {"part": {"name": "bilstm", "options": [["layers", 2], ["tied", False]]}},
            [("part", "bilstm(layers=2, tied=false)")],
        ),
        (
            {"part": {"name": "x", "options": "text"}},
            [("part.name", "x"), ("part.options", "text")],
        ),
    ],
)
def test_settings_become_rows(settings: dict[Any, Any], rows: list[tuple[str, str]]) -> None:
    assert settings_rows(settings) == rows


def test_a_row_of_an_estimate_has_every_field() -> None:
    row = estimate_row("accuracy", estimate(0.5, 0.1, 1200), threshold=0.3)
    assert (row.value, row.span, row.n, row.method, row.side) == (
        "0.500",
        "[0.400,\xa00.600]",
        "1,200",
        "bootstrap over texts",
        "above threshold",
    )
    assert estimate_row("accuracy", estimate(0.5)).side == ""


def test_classes_are_put_beside_delta() -> None:
    assert [(row.name, row.side) for row in class_rows(findings()[0])] == [
        ("negative", "above threshold"),
        ("positive", "holds threshold"),
    ]


def test_what_has_no_number_has_a_reason() -> None:
    assert [(row.name, row.reason, row.count) for row in undefined_rows(audit())] == [
        ("agreement.tau", "fewer than two words", "3"),
        ("agreement.tau", "all weights equal", "1,234"),
    ]
    without = Measurement("need", {}, missing={"constant": "needs decode"})
    message = replace(audit(), measurements={"need": without})
    assert [(row.name, row.reason) for row in missing_rows(message)["left_out"]] == [
        ("need.constant", "needs decode")
    ]
    assert [(row.name, row.reason) for row in skipped_rows(audit())] == [
        ("information", "needs at least 500 texts, found 24")
    ]


def test_classes_are_put_beside_their_answers() -> None:
    answered = replace(findings()[0], answers={"positive": "passed"})
    assert [(row.name, row.answer) for row in class_rows(answered)] == [
        ("negative", ""),
        ("positive", "passed"),
    ]


def test_a_method_that_rows_share_is_said_once_and_any_other_by_its_row() -> None:
    one, other = (Estimate(0.5, 0.4, 0.6, 10, method) for method in ("Wilson", "jackknife"))
    assert usual_method(estimate_rows({"a": one, "b": other, "c": one})) == "Wilson"
    assert usual_method(estimate_rows({"a": one, "b": other})) == ""
    assert usual_method([]) == ""


def test_the_level_of_classes_is_their_own() -> None:
    found = findings()[0]
    wider = {
        name: replace(one, method=f"{one.method}, 97.5 % interval")
        for name, one in found.by_class.items()
    }
    assert wider
    assert finding_view(found).class_level == "95"
    assert finding_view(replace(found, by_class=wider)).class_level == "97.5"
    page = render(replace(audit(), findings=(replace(found, by_class=wider),)))
    assert ">score [97.5 %]</th>" in page


def test_a_class_that_lacks_texts_says_how_many() -> None:
    fewest = default_thresholds().fewest("SL-101")
    counts = {"few": fewest - 1, "enough": fewest}
    finding = next(one for one in findings() if one.code == "SL-101")
    open_ = replace(
        finding,
        by_class={name: estimate(0.9, 0.1, n) for name, n in counts.items()},
        answers=dict.fromkeys(counts, "inconclusive"),
    )
    few, enough = (row.side for row in class_rows(open_))
    assert [int(one) for one in re.findall(r"\d+", few)] == [fewest - 1, fewest]
    assert enough == "above threshold"
    passed = replace(open_, answers={"few": "passed", "enough": "passed"})
    assert {row.side for row in class_rows(passed)} == {"above threshold"}
