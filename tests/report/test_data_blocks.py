"""What the page carries can be read again: the texts as they are shown, the places of their words,
three digits.
"""

import base64
import gzip
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.results import TextRecord
from sightline.report.html.data_blocks import (
    CHARACTERS_A_BLOCK,
    TEXTS_A_BLOCK,
    WORDS_A_BLOCK,
    grouped,
    number_block,
    packed,
    text_block,
)
from sightline.report.html.view_model import HeldMap
from sightline.report.map_names import MAPS
from sightline.report.sanitize import visible
from tests.report.audits import HOSTILE, record


def unpacked(block: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(block)))


def words_of(text: str, places: list[int]) -> list[str]:
    """Cut a text as JavaScript would, in units of UTF-16."""
    units, at, found = text.encode("utf-16-le"), 0, []
    for gap, length in zip(places[::2], places[1::2], strict=True):
        found.append(units[2 * (at + gap) : 2 * (at + gap + length)].decode("utf-16-le"))
        at += gap + length
    return found


def test_a_packed_block_is_letters_and_always_the_same() -> None:
    block = packed(text_block([record("</script><!--", 0)]))
    assert set(block) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert block == packed(text_block([record("</script><!--", 0)]))


def test_every_word_of_a_hostile_text_is_found_at_its_place() -> None:
    records = [record(text, i, i % 2 == 0) for i, text in enumerate(HOSTILE)]
    for message, (text, places, marks) in zip(
        records, unpacked(packed(text_block(records))), strict=True
    ):
        assert text == visible(message.text)
        assert words_of(text, places) == [
            visible(message.text[start:end]) for start, end in message.offsets
        ]
        assert marks == (
            message.rationale and "".join(str(int(mark)) for mark in message.rationale)
        )


def test_places_are_counted_in_units_of_utf_16() -> None:
    ((text, places, _),) = json.loads(text_block([record("🙂 ok", 0)]))
    assert (text, places) == ("🙂 ok", [0, 2, 1, 2])


@given(
    st.text(max_size=40), st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=6)
)
def test_every_word_keeps_a_place_whatever_the_offsets(
    text: str, offsets: list[tuple[int, int]]
) -> None:
    message = replace(
        record("", 0), text=text, offsets=tuple(offsets), tokens=("w",) * len(offsets)
    )
    ((shown, places, _),) = json.loads(text_block([message]))
    assert len(places) == 2 * len(offsets)
    assert sum(places) <= len(shown.encode("utf-16-le")) // 2
    assert "".join(words_of(shown, places)) in shown or len(offsets) > 1


@given(st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=8))
def test_numbers_keep_three_significant_digits(values: list[float]) -> None:
    ((found,),) = json.loads(number_block([0], [HeldMap(MAPS[0], [np.array(values)], "")]))
    assert found == [float(f"{value:.3g}") for value in values]


def test_undefined_and_endless_numbers_stay_what_they_are() -> None:
    rows = [np.array([math.nan, math.inf, -math.inf, 0.12345])], [np.array([])]
    held = [HeldMap(kind, each, "") for kind, each in zip(MAPS, rows, strict=False)]
    assert json.loads(number_block([0], held)) == [[[None, math.inf, -math.inf, 0.123], []]]


def short(count: int, words: int = 2) -> list[TextRecord]:
    return [record(" ".join(["word"] * words), index) for index in range(count)]


def test_blocks_hold_every_text_once_and_in_order() -> None:
    texts = short(250)
    order = list(reversed(range(250)))
    groups = list(grouped(order, texts))
    assert [index for group in groups for index in group] == order
    assert [len(group) for group in groups] == [TEXTS_A_BLOCK, TEXTS_A_BLOCK, 50]
    assert list(grouped([], [])) == []


def test_long_texts_get_blocks_of_their_own() -> None:
    texts = [
        *short(2),
        *short(1, WORDS_A_BLOCK + 1),
        record("x" * (CHARACTERS_A_BLOCK + 1), 3),
        *short(1),
    ]
    assert list(grouped(range(5), texts)) == [[0, 1], [2], [3], [4]]
