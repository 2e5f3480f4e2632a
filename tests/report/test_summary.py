"""The terminal says the verdict, then the findings, then the metrics, and obeys nothing."""

import re
from dataclasses import replace

import pytest

from sightline.audits import Audit
from sightline.report.sheets.summary import lines
from tests.report.audits import audit, by_class, compared, hostile
from tests.snapshots import same_text


def first_screen(told: Audit) -> list[str]:
    found = lines(told)
    return found[: found.index("")]


def test_the_verdict_comes_first_with_its_caveats() -> None:
    told = lines(audit())
    same_text("terminal", told[:3])


@pytest.mark.parametrize("told", [audit(), compared(), compared(by_class())])
def test_before_the_details_stand_no_codes_and_no_thresholds(told: Audit) -> None:
    needed = tuple(replace(one, needed=4000) for one in told.findings)
    text = "\n".join(first_screen(replace(told, findings=needed)))
    assert not re.search(r"SL-\d|δ|\[|\brow\b", text)
    assert "Audit about 4,000 texts (now 872 texts; the data have " in text
    details = "\n".join(lines(told)[len(first_screen(told)) :])
    assert "row" in details
    assert "SL-104" in details


def test_a_class_that_differs_is_named_in_the_first_line_and_its_caveats_come_first() -> None:
    told = lines(compared(by_class()))
    same_text("terminal", told[0])
    same_text("terminal", told[1])
    same_text("terminal", told[2])
    assert "  for texts predicted 'negative': SL-303: effect 0.012 [−0.027, 0.051], n = 428" in told


def test_what_was_learned_and_what_to_do_follow_the_caveats_and_the_maps_are_among_the_details() -> None:
    told = lines(compared())
    same_text("terminal", told[2])
    same_text("terminal", told[3:5])
    same_text("terminal", told[6:9])
    maps = next(i for i, line in enumerate(told) if line.startswith("Maps. Numbers are shares of the decision"))
    assert maps > told.index("")
    same_text("terminal", told[maps + 1])
    same_text("terminal", told[maps + 2])
    assert not any(line.startswith(("Did it learn", "Maps.")) for line in lines(audit()))


def test_one_line_a_finding_those_that_bear_first() -> None:
    told = [line for line in lines(audit()) if line.startswith("SL-")]
    assert [line.split()[0] for line in told] == ["SL-001", "SL-101", "SL-104", "SL-301", "SL-402", "SL-201", "SL-501"]
    cells = "SL-101 supported 0.430 [0.380, 0.480] δ = 0.1 n = 872"
    assert " ".join(told[1].split()) == f"{cells} {audit().findings[1].claim}"
    assert "not applicable" in told[4]
    assert "(context)" in told[6]


def test_columns_align() -> None:
    told = [line for line in lines(audit()) if "δ =" in line]
    assert len({line.index("δ =") for line in told}) == 1


def test_metrics_bring_their_n() -> None:
    assert lines(audit())[-2] == "accuracy: 1 [0.996, 1], n = 872"


def test_a_terminal_is_given_nothing_to_obey() -> None:
    told = lines(replace(hostile(), metrics={}))
    assert all(line.isprintable() for line in told)
    evil = replace(audit().findings[0], claim="\x1b[2J\nSL-301 supported\u202e", by_class={})
    assert not any("\x1b" in line or "\n" in line for line in lines(replace(audit(), findings=(evil,))))


def test_an_audit_without_findings_has_a_summary() -> None:
    assert lines(replace(audit(), findings=(), metrics={}))[0].startswith("Verdict:")
