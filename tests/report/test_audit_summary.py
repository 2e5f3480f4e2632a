"""The terminal says the verdict, then the findings, then the metrics, and obeys nothing."""

import re
from dataclasses import replace

import pytest

from sightline.audits.audit_result import Audit
from sightline.report.text.audit_summary import lines
from tests.report.audits import audit, by_class, compared, hostile
from tests.snapshots import same_text


def first_screen(case: Audit) -> list[str]:
    found = lines(case)
    return found[: found.index("")]


def test_the_verdict_comes_first_with_its_caveats() -> None:
    result = lines(audit())
    same_text("terminal", result[:3])


@pytest.mark.parametrize("case", [audit(), compared(), compared(by_class())])
def test_before_the_details_stand_no_codes_and_no_thresholds(case: Audit) -> None:
    needed = tuple(replace(one, needed=4000) for one in case.findings)
    text = "\n".join(first_screen(replace(case, findings=needed)))
    assert not re.search(
        r"(?<!\()SL-\d|δ|\[|\brow\b", text
    )  # a code stands in brackets behind a name
    assert "Audit about 4,000 texts (now 872 texts; the data have " in text
    details = "\n".join(lines(case)[len(first_screen(case)) :])
    assert "rests on SL-" in details
    assert "SL-104" in details


def test_a_class_that_differs_is_named_in_the_first_line_and_its_caveats_come_first() -> None:
    result = lines(compared(by_class()))
    same_text("terminal", result[0])
    same_text("terminal", result[1])
    same_text("terminal", result[2])
    assert (
        "  for texts predicted 'negative': SL-303: score 0.012 [−0.027, 0.051], n = 428" in result
    )


def test_what_was_learned_and_what_to_do_follow_the_caveats_and_the_maps_are_among_the_details() -> (
    None
):
    result = lines(compared())
    same_text("terminal", result[2])
    same_text("terminal", result[3:5])
    same_text("terminal", result[6:9])
    maps = next(
        i
        for i, line in enumerate(result)
        if line.startswith("Maps. Numbers are shares of the prediction")
    )
    assert maps > result.index("")
    same_text("terminal", result[maps + 1])
    same_text("terminal", result[maps + 2])
    assert not any(line.startswith(("Did it learn", "Maps.")) for line in lines(audit()))


def rows() -> list[str]:
    found = lines(audit())
    return [line for line in found if re.search(r" \(SL-\d+\) ", line)]


def test_one_line_a_test_those_that_bear_first() -> None:
    lines = [
        line for line in rows() if line.endswith(("required", "must not fail", "informational"))
    ]
    codes = [re.search(r"SL-\d+", line)[0] for line in lines]
    assert codes == ["SL-001", "SL-101", "SL-104", "SL-301", "SL-402", "SL-201", "SL-501"]
    cells = "passed Gradient agreement (SL-101) 0.430 [0.380, 0.480] 0.1 n = 872 required"
    assert " ".join(lines[1].split()) == cells
    assert lines[4].startswith("not run ")
    assert lines[6].endswith("informational")


def test_columns_align() -> None:
    lines = [line for line in rows() if line.endswith("required") and "n = " in line]
    assert len({line.index("n = ") for line in lines}) == 1


def test_metrics_bring_their_n() -> None:
    assert lines(audit())[-2] == "accuracy: 1 [0.996, 1], n = 872"


def test_a_terminal_is_given_nothing_to_obey() -> None:
    result = lines(replace(hostile(), metrics={}))
    assert all(line.isprintable() for line in result)
    evil = replace(audit().findings[0], name="\x1b[2J\nSL-301 passed\u202e", by_class={})
    assert not any(
        "\x1b" in line or "\n" in line for line in lines(replace(audit(), findings=(evil,)))
    )


def test_an_audit_without_findings_has_a_summary() -> None:
    assert lines(replace(audit(), findings=(), metrics={}))[0].startswith("Verdict:")
