"""The terminal says the verdict, then the findings, then the metrics, and obeys nothing."""

from dataclasses import replace

from sightline.report.sheets.summary import lines
from tests.report.audits import audit, by_class, compared, hostile


def test_the_verdict_comes_first_with_its_reasons() -> None:
    told = lines(audit())
    assert told[0] == "Verdict: can be shown with these caveats (row 5; decided by SL-301)"
    assert told[1].startswith("  - SL-104 contradicted")


def test_a_class_that_differs_is_named_in_the_first_line_and_its_reasons_come_first() -> None:
    told = lines(compared(by_class()))
    assert (
        told[0]
        == "Verdict: can be shown with caveats for texts predicted 'positive'; must not be shown for texts predicted 'negative': moved into another text, the highlighted words leave the decision behind (row 5; decided by SL-301)"
    )
    assert told[1].startswith("  - for texts predicted 'negative': SL-303 contradicted: moved into another text")
    assert told[2].startswith("  - SL-104 contradicted")


def test_what_was_learned_and_which_map_may_be_shown_follow_the_reasons() -> None:
    told = lines(compared())
    assert told[2].startswith("Model: Accuracy 0.815 [0.775, 0.855]; always saying the most common class: 0.509")
    assert told[3].startswith("Which map, if any: Numbers are shares of the decision")
    assert told[4].startswith(
        "  how much each word matters: weight × evidence. Its words: carried into another text 0.552 [0.512, 0.592], n = 436; lost when deleted"
    )
    assert told[5].startswith(
        "  which words speak for the decision, which against: none of the maps that were tried. The best was signed gradient. Its words:"
    )
    assert told[6] == ""
    assert not any(line.startswith(("Model:", "Which map")) for line in lines(audit()))


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
