"""The texts are shown as they were read, shaded by what was measured, the most disputed first."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.audits.audit_result import Audit
from sightline.core.results import Failed, Measurement, NotRun, Outcome, Ragged
from sightline.report.html.token_highlights import (
    GAP,
    MOST_CHARACTERS,
    SHOWN,
    TokenView,
    highlight_spans,
    shades,
    token_view,
)
from sightline.report.html.view_model import held_texts
from tests.report.audits import MAPS, agreement, audit, compared, record
from tests.snapshots import same_text


def view_of(case: Audit) -> TokenView:
    return token_view(held_texts(case))


TEXTS = tuple(record(f"text number {index} here", index) for index in range(30))


def disputed(values: list[float]) -> Audit:
    measured = agreement(TEXTS)
    return audit(
        TEXTS, replace(measured, values={**measured.values, "disagreement": np.array(values)})
    )


def test_the_twenty_most_disputed_texts_come_first_and_nan_last() -> None:
    values = [float(index) for index in range(30)]
    values[29] = float("nan")
    shown = [text.id for text in view_of(disputed(values)).texts]
    assert shown == [f"t{index:04d}" for index in range(28, 8, -1)]
    assert len(shown) == SHOWN


def test_ties_keep_the_order_of_the_texts() -> None:
    assert [text.id for text in view_of(disputed([1.0] * 30)).texts] == [
        text.id for text in TEXTS[:SHOWN]
    ]


def test_undefined_disagreements_fill_the_end() -> None:
    values = [float("nan")] * 30
    values[17] = 0.0
    assert [text.id for text in view_of(disputed(values)).texts][:3] == ["t0017", "t0000", "t0001"]


def test_shades_are_scaled_by_the_largest_value_of_the_text() -> None:
    assert shades(np.array([0.0, 0.05, 0.1, 0.25, 0.5, np.nan])) == [
        "s0",
        "s1",
        "s2",
        "s5",
        "s10",
        "na",
    ]
    assert shades(np.array([1e-9, 1.0])) == ["s1", "s10"]
    assert shades(np.array([0.0, 0.0])) == ["s0", "s0"]
    assert shades(np.array([np.nan])) == ["na"]
    assert shades(np.array([-1.0, 2.0])) == ["s0", "s10"]
    assert shades(np.array([-4.0, 2.0, 0.0, np.nan, 1e-9]), signed=True) == [
        "n10",
        "s5",
        "s0",
        "na",
        "s1",
    ]


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20))
def test_a_larger_value_never_has_a_lighter_shade(values: list[float]) -> None:
    steps = [int(shade[1:]) for shade in shades(np.array(values))]
    assert all(0 <= step <= 10 for step in steps)
    order = np.argsort(values, kind="stable")
    assert [steps[i] for i in order] == sorted(steps)


@given(
    st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=8)
)
def test_pieces_join_to_the_text_whatever_the_offsets(
    text: str, offsets: list[tuple[int, int]]
) -> None:
    message = replace(
        record("", 0), text=text, offsets=tuple(offsets), tokens=("w",) * len(offsets)
    )
    assert "".join(piece.text for piece in highlight_spans(message, ["s1"] * len(offsets))) == text


def test_a_shade_covers_its_word_and_nothing_else() -> None:
    result = record("  one,two \t three", 0)
    found = [(piece.text, piece.shade) for piece in highlight_spans(result, ["s1", "s2"])]
    assert found == [("  ", ""), ("one,two", "s1"), (" \t ", ""), ("three", "s2")]


def test_a_long_text_is_folded_around_its_heaviest_words_and_whole_beside() -> None:
    long = record(" ".join(f"w{i}" for i in range(300)), 0)
    row = view_of(audit((long,))).texts[0].rows[0]
    shown = {piece.text for piece in row.start if piece.shade and piece.shade != GAP}
    assert {word for word, _ in row.heaviest} <= shown
    assert "w0" in shown
    assert len(shown) < 200
    gaps = [piece.text for piece in row.start if piece.shade == GAP]
    left = sum(int(re.findall(r"\d+", gap)[0]) for gap in gaps)
    assert left + len(shown) == 300
    assert "".join(piece.text for piece in row.whole) == long.text


@pytest.mark.parametrize(("more", "message"), [(0, ""), (1, " […]"), (100_000, " […]")])
def test_of_a_text_too_long_to_print_the_beginning_is_drawn(more: int, message: str) -> None:
    long = record("word " + "x" * (MOST_CHARACTERS - 5 + more), 0)
    row = view_of(audit((long,))).texts[0].rows[0]
    assert "".join(piece.text for piece in row.start) == long.text[:MOST_CHARACTERS] + message


def test_a_short_text_is_not_folded() -> None:
    row = view_of(audit()).texts[0].rows[0]
    assert row.whole == ()
    assert GAP not in {piece.shade for piece in row.start}


def test_a_row_for_each_map_and_for_the_evidence_where_it_is_known() -> None:
    names = {tuple(row.name for row in text.rows) for text in view_of(audit()).texts}
    maps = ("attention", "gradient")
    assert names == {maps, (*maps, "evidence")}


def test_where_no_script_runs_the_two_maps_are_attention_and_the_recommended_one() -> None:
    text = view_of(compared()).texts[0]
    assert [row.name for row in text.rows][:2] == ["attention", "weight × logit"]
    rows = (replace(MAPS[0], chosen=True), replace(MAPS[5], answer="passed"))
    text = view_of(replace(compared(), maps=rows)).texts[0]
    assert [(row.name, row.signed) for row in text.rows[:2]] == [
        ("attention", False),
        ("signed gradient", True),
    ]
    assert {piece.shade[0] for piece in text.rows[1].start if piece.shade} == {"n", "s"}
    assert all(value[0] in "+−" for _, value in text.rows[1].heaviest)


def test_the_heaviest_words_are_named_with_their_values() -> None:
    result = record("a b c", 0)
    values = Ragged(np.array([0.2, 0.0, 0.7]), np.array([3]))
    measured = {
        "outputs": Measurement("outputs", {"attention": values}),
        "agreement": Measurement("agreement", {}),
    }
    view = view_of(replace(audit((result,)), measurements=measured))
    assert view.texts[0].rows[0].heaviest == (("c", "0.700"), ("a", "0.200"))
    same_text("report", view.notes[0])
    assert "no disagreement was measured" in view.chosen


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (NotRun("agreement", "needs decode"), "the measure 'agreement' was not run: needs decode"),
        (Failed("agreement", "IndexError"), "the measure 'agreement' failed: IndexError"),
        (None, "the measure 'agreement' is not part of this audit"),
    ],
)
def test_without_references_attention_is_shown_and_the_reason_is_said(
    outcome: Outcome | None, reason: str
) -> None:
    whole = audit(TEXTS)
    kept = {"outputs": whole.measurements["outputs"]} | (
        {} if outcome is None else {"agreement": outcome}
    )
    view = view_of(replace(whole, measurements=kept))
    same_text("report", view.notes[0])
    assert [row.name for row in view.texts[0].rows] == ["attention"]
    assert {piece.shade for piece in view.texts[0].rows[0].start} > {"s10"}


def test_without_maps_the_texts_are_shown_plain() -> None:
    view = view_of(replace(audit(TEXTS), measurements={"outputs": Failed("outputs", "IndexError")}))
    same_text("report", view.notes[0])
    assert [row.name for row in view.texts[0].rows] == ["text"]
    assert "".join(piece.text for piece in view.texts[0].rows[0].start) == TEXTS[0].text


def test_maps_of_other_lengths_are_not_shown() -> None:
    measured = agreement(TEXTS[:3])
    view = view_of(audit(TEXTS, measured))
    message = "the gradient and leave-one-out maps (of other lengths than the texts)"
    assert view.notes[0] == f"Not shown: {message}."


def test_no_texts_no_view() -> None:
    view = view_of(audit(()))
    assert view.texts == ()
    assert view.notes == ()
