"""Scores of another tool are taken word by word, or refused with the line that is wrong."""

import gzip
import hashlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.data.external_scores import Scores, read_scores
from tests.snapshots import refused, same_text
from tests.troubles.tables import lines, table

HEADER = ("id", "word", "score")


def text(name: str, words: str) -> Example:
    tokens = tuple(words.split())
    return Example(name, 0, words, tokens, tuple((0, 0) for _ in tokens), 0)


TEXTS = (
    text("a.csv:2", "not good , straße"),
    text("a.csv:3", "good"),
    text("a.csv:4", "no scores here"),
)
WHOLE = [
    ("a.csv:2", "not", "-0.5"),
    ("a.csv:2", "Good", "1e-3"),
    ("a.csv:2", ",", "0"),
    ("a.csv:2", "STRASSE", ".25"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scores")


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def read(folder: Path, rows: list[tuple[object, ...]], header: tuple[str, ...] = HEADER) -> Scores:
    return read_scores(written(folder, "some.csv", table(rows, header)), TEXTS)


def as_json(rows: list[tuple[object, ...]], header: tuple[str, ...] = HEADER) -> bytes:
    return lines([dict(zip(header, row, strict=True)) for row in rows])


def test_rows_in_order_are_the_words_of_a_text(folder: Path) -> None:
    found = read(folder, [*WHOLE, ("a.csv:3", "good", "7"), ("elsewhere", "any", "1")])
    assert found.by_id["a.csv:2"].tolist() == [-0.5, 0.001, 0.0, 0.25]
    assert found.by_id["a.csv:3"].tolist() == [7.0]
    assert (found.unknown, found.without) == (1, 1)
    same_text("notes", found.about()["notes"])


def test_positions_say_which_word_is_meant_in_any_order(folder: Path) -> None:
    rows = [(*row, place) for place, row in enumerate(WHOLE)][::-1]
    assert read(folder, rows, (*HEADER, "position")).by_id["a.csv:2"].tolist() == [
        -0.5,
        0.001,
        0.0,
        0.25,
    ]
    mixed = [*rows, ("a.csv:3", "good", 1, "")]  # another text may go by its order
    assert read(folder, mixed, (*HEADER, "position")).by_id["a.csv:3"].tolist() == [1.0]


def test_every_way_to_write_a_table_gives_the_same_scores(folder: Path) -> None:
    numbers = [(name, word, float(score)) for name, word, score in WHOLE]
    ways = {
        "a.csv": table(WHOLE, HEADER),
        "a.tsv": table(WHOLE, HEADER, delimiter="\t"),
        "a.jsonl": as_json(numbers),
        "a.csv.gz": gzip.compress(table(WHOLE, HEADER)),
        "a.jsonl.gz": gzip.compress(as_json(numbers)),
    }
    for name, data in ways.items():
        found = read_scores(written(folder, name, data), TEXTS)
        assert found.by_id["a.csv:2"].tolist() == [-0.5, 0.001, 0.0, 0.25]
        assert found.about()["digest"] == hashlib.sha256(data).hexdigest()
        assert found.about()["file"] == str(folder / name)


def test_a_text_may_be_scored_on_the_words_that_a_model_sees(folder: Path) -> None:
    seen = [one.only([0, 1]) if one.id == "a.csv:2" else one for one in TEXTS]
    for rows in (WHOLE[:2], WHOLE):
        path = written(folder, "seen.csv", table(rows, HEADER))
        found = read_scores(path, TEXTS, seen).by_id["a.csv:2"]
        assert found.tolist() == [-0.5, 0.001, 0.0, 0.25][: len(rows)]
    with pytest.raises(DataError):
        read_scores(written(folder, "seen.csv", table(WHOLE[:3], HEADER)), TEXTS, seen)


def test_an_id_may_be_a_number(folder: Path) -> None:
    path = written(folder, "n.jsonl", as_json([(17, "good", 2)]))
    assert read_scores(path, (text("17", "good"),)).by_id["17"].tolist() == [2.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (WHOLE[:3], ("some.csv:2: text 'a.csv:2': expected a score for each of its 4 words, got 3; score " "the others too, or leave the text out; the first without is word 3 (from 0), " "'straße'")),
        ([*WHOLE, ("a.csv:2", "more", "1")], ("some.csv:6: text 'a.csv:2': expected words 0 to 3, got word 4, 'more'; of a longer " "text leave out what lies beyond max_tokens=")),
        ([WHOLE[1], WHOLE[0]], ("some.csv:2: text 'a.csv:2', word 0 (from 0): expected 'not', got 'Good'; words are " "split by sightline's tokeniser: texts.jsonl")),
        ([("a.csv:3", "good", "nan")], "some.csv:2: expected a finite number in 'score', got 'nan'"),
        ([("a.csv:3", "good", "1e999")], ("some.csv:2: expected a finite number in " "'score', got '1e999'")),
        ([("a.csv:3", "good", "1_0")], "some.csv:2: expected a finite number in 'score', got '1_0'"),
        ([("a.csv:3", "good", "")], "some.csv:2: expected a finite number in 'score', got ''"),
        ([("", "good", "1")], "some.csv:2: expected the id of a text in 'id', got ''"),
        ([("b", "good", "1")], ("some.csv: expected ids of audited texts, such as " "'a.csv:2', got 'b'; texts.jsonl")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(
    folder: Path, rows: list[tuple[object, ...]], message: str
) -> None:
    with pytest.raises(DataError) as error:
        read(folder, rows)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (("0", "1", "2", "2"), ":5: text 'a.csv:2', word 2 (from 0): expected ',', got 'STRASSE'"),
        (
            ("0", "1", "2", ""),
            ":5: text 'a.csv:2': expected a position in all of its rows or in none, got both",
        ),
        (("0", "1", "2", "4"), ":5: text 'a.csv:2': expected words 0 to 3, got word 4, 'STRASSE'"),
        (
            ("0", "1", "2", "-1"),
            ":5: expected the place of a word in 'position', a whole number from 0, got '-1'",
        ),
        (
            ("0", "1", "2", "3.0"),
            ":5: expected the place of a word in 'position', a whole number from 0, got '3.0'",
        ),
        (
            ("0", "1", "2", "9" * 10),
            ":5: expected the place of a word in 'position', a whole number from 0, got '999",
        ),
    ],
)
def test_a_position_that_fits_no_word_is_told(
    folder: Path, places: tuple[str, ...], message: str
) -> None:
    rows = [(*row, place) for row, place in zip(WHOLE, places, strict=True)]
    with pytest.raises(DataError) as error:
        read(folder, rows, (*HEADER, "position"))
    assert message in str(error.value)


def test_a_word_is_scored_once(folder: Path) -> None:
    rows = [("a.csv:3", "good", 1, 0), ("a.csv:3", "good", 2, 0)]
    with refused(DataError):
        read(folder, rows, (*HEADER, "position"))  # fmt: skip


def test_a_text_is_scored_in_part_by_positions_no_more_than_by_order(folder: Path) -> None:
    rows = [("a.csv:2", "not", 1, 0), ("a.csv:2", ",", 2, 2)]
    with refused(DataError):
        read(folder, rows, (*HEADER, "position"))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"score": math.nan}, "expected a finite number in 'score', got nan"),
        ({"score": True}, "expected a finite number in 'score', got True"),
        ({"score": 10**400}, "expected a finite number in 'score', got 1000"),
        ({"score": [1]}, "expected a finite number in 'score', got \\[1\\]"),
        ({"word": 3}, "expected a word in 'word', got 3"),
        ({"word": "\ud800"}, "expected a word in 'word', got '\\\\ud800'"),
        ({"id": None}, "expected the id of a text in 'id', got nothing"),
        ({"id": {"a": 1}}, "expected the id of a text in 'id', got {'a': 1}"),
        (
            {"position": 0.0},
            "expected the place of a word in 'position', a whole number from 0, got 0.0",
        ),
        (
            {"position": False},
            "expected the place of a word in 'position', a whole number from 0, got False",
        ),
    ],
)
def test_what_json_can_hold_and_a_table_cannot_is_told(
    folder: Path, cells: dict[str, object], message: str
) -> None:
    row = {"id": "a.csv:3", "word": "good", "score": 1, **cells}
    path = written(folder, "odd.jsonl", (json.dumps(row) + "\n").encode())
    with pytest.raises(DataError, match=f"odd.jsonl:1: {message}"):
        read_scores(path, TEXTS)


def test_a_file_that_is_no_table_of_scores_is_told(folder: Path) -> None:
    with refused(SpecError):
        read_scores(folder / "scores.npy", TEXTS)
    with pytest.raises(DataError, match="there is no such file"):
        read_scores(folder / "none.csv", TEXTS)
    with refused(DataError):
        read_scores(written(folder, "empty.csv", b""), TEXTS)
    with refused(DataError):
        read(folder, [("a.csv:3", "good")], ("id", "word"))


@given(words=st.lists(st.tuples(st.text("abé漢", min_size=1, max_size=3), st.floats(-1e9, 1e9)), min_size=1, max_size=6), data=st.data())  # fmt: skip
def test_the_order_of_rows_does_not_matter_where_positions_are_given(
    folder: Path, words: list[tuple[str, float]], data: st.DataObject
) -> None:
    rows = [("t", word, score, place) for place, (word, score) in enumerate(words)]
    path = written(
        folder, "any.jsonl", as_json(data.draw(st.permutations(rows)), (*HEADER, "position"))
    )
    found = read_scores(path, (text("t", " ".join(word for word, _ in words)),)).by_id["t"]
    assert found.tolist() == [score for _, score in words]


@given(data=st.binary(max_size=120) | st.lists(st.sampled_from([b"id,word,score", b"\n", b"a.csv:3", b",good", b",1", b'"', b"\0", b"\xff", b'{"id":"a.csv:3","word":"good","score":1}', b'{"id":']), max_size=9).map(b"".join))  # fmt: skip
def test_any_bytes_are_read_or_refused_with_a_data_error(folder: Path, data: bytes) -> None:
    for kind in ("csv", "tsv", "jsonl", "csv.gz"):
        path = written(folder, f"any.{kind}", data)
        assert outcome(path).startswith(str(path))


def outcome(path: Path) -> str:
    """Read scores: the file where that went well, else the message of the error."""
    try:
        return read_scores(path, TEXTS).file
    except DataError as error:
        return str(error)
