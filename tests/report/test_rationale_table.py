"""Maps beside the words that people marked: rows of the page, where there are marks, and nothing
where there are none.
"""

from dataclasses import replace

from sightline.report.html.audit_page import render
from sightline.report.rationale_table import marked_rows
from tests.report import audits

KINDS = ("auprc", "auprc_chance", "f1", "f1_chance", "iou", "iou_chance")


def test_a_map_has_its_six_numbers_with_intervals_and_n() -> None:
    numbers = {
        f"rationale.{kind}.{name}": audits.estimate(value + at / 10, 0.04, 61)
        for name, at in (("deletion", 0), ("attention", 1))
        for kind, value in zip(KINDS, (0.51, 0.21, 0.41, 0.11, 0.31, 0.01), strict=True)
    }
    rows = marked_rows(replace(audits.audit(), estimates=numbers))
    assert [row.name for row in rows] == ["attention", "leave-one-out"]
    assert [cell.partition(" ")[0] for cell in rows[1].cells] == [
        "0.510",
        "0.210",
        "0.410",
        "0.110",
        "0.310",
        "0.010",
    ]
    assert rows[1].n == "61"
    page = render(replace(audits.audit(), estimates=numbers))
    assert page.count('id="marked"') == 1


def test_an_audit_from_before_spans_were_met_has_its_other_numbers() -> None:
    numbers = {f"rationale.{kind}.attention": audits.estimate(0.5, 0.04, 61) for kind in KINDS[:4]}
    (row,) = marked_rows(replace(audits.audit(), estimates=numbers))
    assert row.cells[4:] == ("—", "—")


def test_without_marks_the_page_says_nothing_of_them() -> None:
    assert marked_rows(audits.audit()) == ()
    assert 'id="marked"' not in render(audits.audit())
