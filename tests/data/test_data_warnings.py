"""What is said of texts before they are audited, and what is not said of others."""

from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.data.assembly.corpus import Text
from sightline.data.assembly.data_warnings import (
    ALONE,
    AS_MISSING,
    GARBLED,
    label_warnings,
    text_warnings,
    words_beyond,
)
from sightline.data.load_dataset import load
from tests.snapshots import same_text


def text(message: str, query: str | None = None) -> Text:
    asked = None if query is None else tuple(query.split())
    return Text("t", "train", 0, message, tuple(message.split()), None, "t.csv", 2, asked)


def test_what_was_cut_is_told_as_a_share_of_all_words() -> None:
    texts = [text("a b c d e f"), text("a b", query="c d e f"), text("a b c d")]
    [message] = text_warnings(texts, 4)
    same_text("notes", message)
    assert [*text_warnings(texts, 6)] == []
    assert (words_beyond(texts, 4), words_beyond(texts, 6)) == (2, 0)
    assert [*text_warnings(texts, None)] == []


@pytest.mark.parametrize(
    "markup", ["<br />", "<br>", "</p>", "<a href='x'>", "<B>", "&nbsp;", "&amp;", "&#39;"]
)
def test_markup_is_named(markup: str) -> None:
    [message] = text_warnings(
        [text("so good"), text(f"so{markup} good"), text(f"{markup}{markup}")], None
    )
    same_text("notes", message)


def test_no_text_is_quoted_in_what_reports_without_texts_tell_too() -> None:
    assert "secret" not in "".join(
        text_warnings([text("so <secret name='secret'> &secret; good")], None)
    )


@pytest.mark.parametrize(
    "plain", ["a < b > c", "x <- y", "me <you@there.org> too", "AT&T; R&D", "1 & 2;", "<3", "<>"]
)
def test_signs_are_no_markup(plain: str) -> None:
    assert [*text_warnings([text(plain), text("so good"), text("or not")], None)] == []


@pytest.mark.parametrize("garbled", ["cafÃ©", "itâ€™s", "it\u0092s", "ï»¿so", "Â£5"])
def test_signs_of_a_wrong_conversion_are_named(garbled: str) -> None:
    (message,) = text_warnings([text(f"{garbled} good"), text("so good")], None)
    assert message == f"a text {GARBLED}"


@pytest.mark.parametrize("right", ["café", "SÃO PAULO", "« Ça va »", "it’s £5", "naïve"])
def test_accents_are_no_signs_of_a_wrong_conversion(right: str) -> None:
    assert [*text_warnings([text(right)], None)] == []


def test_a_column_of_numbers_is_asked_for() -> None:
    numbers = [text(one) for one in ("0", "3.7", "-12")]
    assert [*text_warnings([*numbers, text("so good")], None)] == [f"3 of 4 texts are {ALONE}"]
    assert [*text_warnings([*numbers, *map(text, ("so", "it", "is"))], None)] == []


@pytest.mark.parametrize(
    ("names", "missing"),
    [(("NaN", "pos"), ["NaN"]), (("none", "n/a", "1"), ["none", "n/a"]), (("nano", "pos"), [])],
)
def test_a_label_that_may_stand_for_none_is_named(
    names: tuple[str, ...], missing: list[str]
) -> None:
    found = [*label_warnings(names)]
    assert all(AS_MISSING in note for note in found)
    assert all(repr(name) in note for name, note in zip(missing, found, strict=True))


def test_texts_that_are_left_out_are_not_spoken_of(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    rows = [
        f"{split} words {i} {word},{label},{split}\n"
        for i, (split, word, label) in enumerate(DIVIDED * 3)
    ]
    file.write_text("text,label,split\n" + "".join(rows), encoding="utf-8")
    notes = load(parse_data(str(file)), 0).card["notes"]
    assert [note for note in notes if "markup" in note] == []


DIVIDED = [
    *((split, "plain", label) for split in ("train", "validation", "test") for label in "ab"),
    ("test", "<br>", "c"),  # a label that training lacks
]


@pytest.mark.parametrize(
    ("labels", "notes"),
    [
        (["good", "ｇｏｏｄ", "bad"], 1),
        (["good", "go\u200bod", "bad"], 1),
        (["very good", "Very\u00a0  good "], 1),
        (["1", "1.0", "2"], 1),
        (["1", "1.5", "10", "v1.0", "v1"], 0),
    ],
)
def test_labels_that_look_alike_are_named(labels: list[str], notes: int) -> None:
    assert len([*label_warnings(labels)]) == notes
