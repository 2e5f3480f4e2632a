"""Figures draw what they are given, at the places where it belongs."""

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sightline.core.results import Estimate, Finding
from sightline.report.axis_ticks import Axis, axis_over, ticks
from sightline.report.number_format import trimmed_number
from sightline.report.svg_figures import MOST_CLASSES, anchor, finding_figure
from tests.report.audits import estimate, findings

FINDING = {finding.code: finding for finding in findings()}


def drawn(finding: Finding) -> ElementTree.Element:
    figure = finding_figure(finding)
    assert figure is not None
    return ElementTree.fromstring(str(figure))  # strict: also a test of nesting and quoting


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_an_axis_covers_its_numbers_and_keeps_their_order(values: list[float]) -> None:
    axis = axis_over(values, left=0, right=300)
    places = [axis.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 300


@given(st.floats(-1e4, 1e4), st.floats(1e-4, 1e4))
def test_ticks_are_few_round_and_on_the_axis(low: float, width: float) -> None:
    axis = Axis(low, low + width, 0, 300)
    found = ticks(axis)
    assert 2 <= len(found) <= 7
    assert all(low - width * 1e-6 <= tick <= low + width * (1 + 1e-6) for tick in found)


def test_ticks_of_a_unit_axis() -> None:
    assert ticks(Axis(-0.06, 1.06, 0, 1)) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert [trimmed_number(tick) for tick in (-0.5, 0.0, 0.05)] == ["−0.5", "0", "0.05"]


def test_numbers_without_end_do_not_stretch_the_axis() -> None:
    axis = axis_over([0.0, 1.0, math.nan, math.inf], left=0, right=100)
    assert (axis.low, axis.high) == (-0.06, 1.06)
    assert (
        axis_over([math.nan], left=0, right=100).low < axis_over([math.nan], left=0, right=100).high
    )


def test_intervals_lie_where_their_numbers_are() -> None:
    finding = FINDING["SL-301"]
    assert finding.score is not None
    root = drawn(finding)
    bars = [line for line in root.iter("line") if line.get("class") == "bar score"]
    threshold = {
        float(line.get("x1", "")) for line in root.iter("line") if line.get("class") == "threshold"
    }
    zero = {float(line.get("x1", "")) for line in root.iter("line") if line.get("class") == "zero"}
    left, right = float(bars[0].get("x1", "")), float(bars[0].get("x2", ""))
    assert len(bars) == len(threshold) == len(zero) == 1
    assert zero.pop() < threshold.pop() < left < right  # the whole effect lies above δ
    scale = (right - left) / (finding.score.high - finding.score.low)
    shade = next(root.iter("rect"))
    assert abs(left - float(shade.get("x", "")) - scale * (finding.score.low - 0.1)) < 0.3


def test_a_figure_says_in_words_what_it_shows() -> None:
    root = drawn(FINDING["SL-101"])
    title, description = root.find("title"), root.find("desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    message = str(description.text).replace("\xa0", " ")
    for part in (
        "number 0.660 [0.620, 0.700], n = 872",
        "chance level 0.230",
        "all texts 0.430",
        "negative 0.490",
        "n = 428",
        "Threshold 0.1.",
    ):
        assert part in message


def test_names_in_figures_are_escaped_and_shortened() -> None:
    evil = "</text><script>\u202e" + "x" * 50
    figure = str(finding_figure(replace(FINDING["SL-101"], by_class={evil: estimate(0.2)})))
    assert "<script" not in figure
    assert "\u202e" not in figure
    labels = [
        text.text
        for text in ElementTree.fromstring(figure).iter("text")
        if text.get("class") == "label"
    ]
    assert labels[-1] == "</text><script>⟦U+202E⟧xx…"


def test_a_number_without_a_floor_is_drawn_once() -> None:
    finding = FINDING["SL-301"]
    root = drawn(replace(finding, baseline=None, number=finding.score, by_class={}))
    assert [text.text for text in root.iter("text") if text.get("class") == "head"] == [
        "Score and threshold"
    ]
    assert len(list(root.iter("circle"))) == 1


def test_no_numbers_no_figure() -> None:
    assert finding_figure(FINDING["SL-402"]) is None


def test_an_undefined_number_has_a_row_and_no_mark() -> None:
    nothing = Estimate(math.nan, math.nan, math.nan, 0, "")
    root = drawn(Finding("SL-1", "c", "inconclusive", "required", score=nothing))
    assert not list(root.iter("circle"))
    assert "undefined" in [text.text for text in root.iter("text")]


def test_many_classes_are_left_to_the_table() -> None:
    many = {f"class {index}": estimate(0.1) for index in range(40)}
    root = drawn(replace(FINDING["SL-101"], by_class=many))
    assert len([c for c in root.iter("circle") if c.get("class") == "dot class"]) == MOST_CLASSES


def test_anchors_are_plain() -> None:
    assert anchor("SL-101") == "sl-101"
    assert anchor('"><b>') == "b"
    assert anchor("…") == "finding"
