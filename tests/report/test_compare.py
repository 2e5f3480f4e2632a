"""The page and the lines of a comparison: whole, harmless, and every number one that was computed
before.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sightline.audits.audit_result import Audit, Comparison, compare
from sightline.core.results import Estimate, Measurement, Ragged
from sightline.report.comparison_sentences import cells, p_of, texts_of
from sightline.report.html.comparison_page import SHOWN, render_comparison, write_comparison
from sightline.report.number_format import interval
from sightline.report.text.comparison_text import comparison_lines
from sightline.verdict.comparison.comparison_result import ComparedScore
from tests.report.audits import audit, hostile, outputs
from tests.report.pages import Page
from tests.snapshots import same_text


def answering(case: Audit, seed: int, turned: int = 0) -> Audit:
    """An audit that also holds answers; some of them turned."""
    texts = tuple(
        replace(text, predicted="other" if i < turned else text.predicted)
        for i, text in enumerate(case.texts)
    )
    names = sorted({text.predicted for text in texts})
    values = {
        **outputs(texts, seed).values,
        "predicted": np.array([names.index(text.predicted) for text in texts]),
    }
    measured = {**case.measurements, "outputs": Measurement("outputs", values)}
    del measured["agreement"]
    return replace(case, texts=texts, measurements=measured)


@cache
def made(kind: str) -> Comparison:
    result = {"realistic": audit, "hostile": hostile}[kind]()
    return compare(
        answering(result, 2), answering(result, 3, turned=3), places=("one", '<b>"two"\x1b')
    )


@pytest.mark.parametrize("kind", ["realistic", "hostile"])
def test_the_page_is_whole_and_nothing_in_it_can_run(kind: str) -> None:
    html = render_comparison(made(kind))
    page = Page(html)
    assert page.torn == []
    assert not {"script", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    for tag, attributes in page.tags:
        assert not {"style", "src", "action"} & attributes.keys()
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#") or tag == "link"
    policy = next(
        attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert html == render_comparison(made(kind))


def test_every_number_of_the_page_is_one_of_the_comparison() -> None:
    found, text = made("realistic"), Page(render_comparison(made("realistic"))).text()
    for claim in found.pairs[0].claims:
        for one in (claim.first, claim.second):
            assert one is None or interval(one) in text
    assert interval(found.pairs[0].decided) in text
    assert interval(found.pairs[0].attention) in text
    assert "significant" not in text


def test_texts_are_drawn_under_both_maps_those_that_are_decided_otherwise_first() -> None:
    html = render_comparison(made("realistic"))
    assert html.count("A: attention") == html.count("B: attention") == 3 + SHOWN
    assert html.index("Different predictions") < html.index("Same prediction, from other words")
    shown = re.findall(r'<article class="text">\n<h4><bdi>(t\d+)</bdi>', html)
    assert sorted(shown[:3]) == ["t0000", "t0001", "t0002"]
    apart = made("realistic").pairs[0].shared.apart
    assert shown[3:] == [f"t{i:04d}" for i in np.argsort(-apart, kind="stable") if i > 2][:SHOWN]


def test_without_texts_no_word_of_them_is_shown(tmp_path: Path) -> None:
    page = write_comparison(made("realistic"), tmp_path / "page.html", texts=False).read_text(
        encoding="utf-8"
    )
    assert "t0001" in page
    assert "generous" not in page
    assert "generous" in made("realistic").to_html(tmp_path / "page.html").read_text(
        encoding="utf-8"
    )


def test_lines_say_what_the_page_says_and_nothing_that_a_terminal_would_obey() -> None:
    lines = comparison_lines(made("hostile"))
    same_text("report", lines[0])  # ten texts are too few
    assert any(
        line.startswith("accuracy") and "on 10 texts; a comparison rests on at least 50" in line
        for line in lines
    )
    assert any(line.startswith('B: <b>"two"') for line in lines)


def test_two_attention_sources_of_one_model_are_told_apart() -> None:
    first, second = (
        replace(one, cards={**one.cards, "model": {**one.cards["model"], "reading": reading}})
        for one, reading in (
            (answering(audit(), 2), "layer 5, head 1"),
            (answering(audit(), 3), "rollout through all layers"),
        )
    )
    text = comparison_lines(compare(first, second))
    assert [line for line in text if line.startswith("A: ") and "layer 5, head 1" in line]
    assert [line for line in text if line.startswith("B: ") and "rollout" in line]


def test_audits_without_texts_stand_side_by_side() -> None:
    empty = replace(answering(audit(), 2), texts=())
    found = compare(empty, replace(empty))
    html = Page(render_comparison(found)).text()
    assert "Scores of each audit on its own texts, not paired: an audit holds no texts" in html
    assert "A and B cannot be compared text by text" in comparison_lines(found)[0]
    assert interval(audit().findings[1].score) in html


def test_a_map_that_one_audit_lacks_is_left_out() -> None:
    first, second = answering(audit(), 2), answering(audit(), 3)
    measured = second.measurements["outputs"]
    values = {
        name: value for name, value in measured.values.items() if not isinstance(value, Ragged)
    }
    without = replace(
        second, measurements={**second.measurements, "outputs": replace(measured, values=values)}
    )
    found = compare(first, without)
    same_text("report", found.pairs[0].notes)
    assert "B: attention" not in render_comparison(found)


def test_a_row_counts_the_texts_behind_its_difference_and_has_its_adjusted_p() -> None:
    first, second, both = (Estimate(0.5, 0.4, 0.6, n, "") for n in (1200, 80, 75))
    row = ComparedScore("SL-101", "", "", "not told apart", first, second, both, 0.01, 0.04)
    assert (texts_of(row), p_of(row)) == ("75", "p\xa0=\xa00.040")
    assert p_of(replace(row, p_at_most=True)) == "p\xa0≤\xa00.040"
    assert (texts_of(replace(row, difference=None)), p_of(replace(row, p_adjusted=None))) == (
        "1,200 / 80",
        "—",
    )
    assert cells(row)[2] == interval(both)
    few = replace(row, answer="not compared", p=None)
    assert cells(few) == (interval(first), interval(second), "—")
    assert texts_of(replace(row, second=None, difference=None)) == "1,200 / —"
    assert texts_of(replace(row, first=None, second=None, difference=None)) == "—"
