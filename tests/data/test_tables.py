"""What is written in a table is what is read from it, whatever its cells hold."""

import csv
import io
import json
import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sightline.config.spec_syntax import parse_data
from sightline.core.error_excerpts import without_excerpts
from sightline.core.errors import DataError, SpecError
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.user_corpus import marked, read_table
from sightline.data.load_dataset import load
from sightline.data.readers.csv_jsonl import Record, read_rows
from sightline.data.readers.table_columns import Columns, read_group, read_ids, read_records
from tests.data.corpora import forget
from tests.snapshots import refused
from tests.troubles.tables import SPLIT_HEADER, lines, rows, table, with_splits

CELL = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
JSON_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return str(path)


@given(
    records=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_csv_writer_wrote_is_read_back(folder, records, end):
    # Python's writer, up to 3.12, leaves a carriage return of a cell bare where lines end in
    # something else.
    bare = any("\r" in cell for record in records for cell in record)
    style = {"lineterminator": end, "quoting": csv.QUOTE_ALL if bare else csv.QUOTE_MINIMAL}
    for kind, delimiter in (("csv", ","), ("tsv", "\t")):
        path = write(
            folder, f"trip.{kind}", table([("x", "y"), *records], delimiter=delimiter, **style)
        )
        found = read_rows(path, kind)
        expected = [record for record in records if "".join(record).strip()]
        assert [tuple(row.cells.values()) for row in found.records[1:]] == expected
        assert found.blank == len(records) - len(expected)


def test_names_are_whole_numbers_where_another_row_has_none():
    """A column of them is one of floats then, in Parquet and in pandas."""
    rows = [Record(i, {"name": cell}) for i, cell in enumerate([7.0, 7, math.nan, None, " ", "7"])]
    assert [read_group("f", row, "name") for row in rows] == ["7", "7", "", "", "", "7"]
    assert read_ids("f", [Record(1, {"name": 8.0}), rows[0]], "name") == ["8", "7"]
    with pytest.raises(DataError):
        read_ids("f", rows[2:3], "name")
    for wrong in (0.5, math.inf, True):
        with pytest.raises(DataError):
            read_group("f", Record(1, {"name": wrong}), "name")


@pytest.mark.parametrize("blank", [None, "", "  ", math.nan])
def test_a_blank_rationale_is_none(blank):
    row = Record(1, {"text": "a b", "label": "c", "rationale": blank})
    assert read_records("f", [row], COLUMNS)[0].spans is None


@pytest.mark.parametrize("wrong", ["label", "labels", "id", "group"])
def test_a_cell_that_holds_no_character_is_left_out_of_the_error(wrong):
    cells = {"text": "good", "label": "good", "name": "4711", "group": "4711"}
    cells[{"labels": "label", "id": "name"}.get(wrong, wrong)] = "smith\0"
    row = Record(2, cells)
    columns = Columns("text", "label", None, None, labels_sep=";" if wrong == "labels" else "")
    read = {
        "id": lambda: read_ids("f.csv", [row], "name"),
        "group": lambda: read_group("f.csv", row, "group"),
    }.get(wrong, lambda: read_records("f.csv", [row], columns))
    with pytest.raises(DataError, match="smith"):
        read()
    with without_excerpts(), pytest.raises(DataError) as caught:
        read()
    assert "smith" not in str(caught.value)
    assert str(caught.value).startswith("f.csv:2: ")


@given(records=st.lists(CELL, min_size=1, max_size=6))
def test_the_line_of_a_record_is_where_it_begins(folder, records):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["text", "label"])
    begins = []
    for record in records:
        begins.append(1 + len(io.StringIO(out.getvalue(), newline="").readlines()))
        writer.writerow([record, "x"])
    found = read_rows(write(folder, "lines.csv", out.getvalue().encode()), "csv")
    assert [row.line for row in found.records] == begins


@given(texts=st.lists(JSON_TEXT, min_size=1, max_size=6))
def test_what_json_wrote_is_read_back(folder, texts):
    for ascii_only in (True, False):
        data = "".join(
            json.dumps({"text": text}, ensure_ascii=ascii_only) + "\r\n" for text in texts
        ).encode()
        found = read_rows(write(folder, "trip.jsonl", data), "jsonl")
        assert [row.cells["text"] for row in found.records] == texts
        assert [row.line for row in found.records] == list(range(1, len(texts) + 1))


PIECES = [
    b"text,label\n",
    b"text\tlabel\n",
    b'{"text": "a b", "label": 1}\n',
    b'{"text": ',
    b"a,pos\n",
    b"b,neg\n",
    b"c\tpos\n",
]
BYTES = st.lists(
    st.sampled_from(
        [*PIECES, b'"', b",", b"\n", b"\r", b"\xff", b"\0", b"\xef\xbb\xbf", b"[1]", b"}"]
    ),
    max_size=12,
)


def outcome(path):
    """Load a table: its path if that went well, else the message of the error."""
    try:
        return str(load(parse_data(path), 0) and path)
    except DataError as error:
        return str(error)


@given(data=BYTES.map(b"".join) | st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_data_error(folder, data):
    for kind in ("csv", "tsv", "jsonl", "csv.gz"):
        path = write(folder, f"any.{kind}", data)
        assert outcome(path).startswith(path)


COLUMNS = Columns("text", "label", None, "rationale")


@given(
    text=st.text(alphabet="ab,  é", min_size=1, max_size=20),
    pairs=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=3),
)
@example(text="ab,b", pairs=[(0, 2)])  # a comma begins where the span ends
@example(text="ab,b", pairs=[(3, 4)])  # and ends where the span begins
def test_a_word_is_evidence_if_a_span_touches_a_letter_of_it(folder, text, pairs):
    spans = [(min(pair), max(pair)) for pair in pairs if min(pair) < max(pair) <= len(text)]
    path = write(
        folder,
        "spans.jsonl",
        lines([{"text": text, "label": 1, "rationale": [list(span) for span in spans]}]),
    )
    written = " ".join(f"{start}:{end}" for start, end in spans)
    other = write(folder, "spans.csv", table([(text, 1, written)], ("text", "label", "rationale")))
    letters = {place for start, end in spans for place in range(start, end)}
    expected = tuple(bool(letters & set(range(*offset))) for offset in tokenise(text)[1])
    assert marked(tokenise(text)[1], spans_of(path, "jsonl")) == expected
    assert marked(tokenise(text)[1], spans_of(other, "csv")) == (expected if spans else None)


def spans_of(path, kind):
    return read_records(path, read_rows(path, kind).records, COLUMNS)[0].spans


def test_no_split_column_divides_by_seed_class_by_class(folder):
    path = write(folder, "plain.csv", table(rows(200)))
    data = load(parse_data(path), 0)
    assert {name: card["labels"] for name, card in data.card["splits"].items()} == {
        "train": {"neg": 70, "pos": 70},
        "validation": {"neg": 15, "pos": 15},
        "test": {"neg": 15, "pos": 15},
    }
    forget()
    assert data == load(parse_data(path), 0)
    assert data.test != load(parse_data(path), 1).test
    assert "divided 70/15/15 by seed 0" in data.card["notes"][0]
    assert sorted(e.index for split in data.splits.values() for e in split) == list(range(200))


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_a_csv_whose_header_has_no_comma_is_separated_otherwise(folder, separator):
    cells = [["text", "label"], ["good, fine; really", "a"], ['so "bad"\tthen', "b"]]
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator).writerows(cells)
    read = read_rows(str(write(folder, "other.csv", stream.getvalue().encode())), "csv")
    assert [list(row.cells.values()) for row in read.records] == cells[1:]
    assert read.columns == ("text", "label")


def test_columns_without_a_name_are_not_read(folder):
    found = read_rows(write(folder, "sheet.csv", b"v1,v2,,,\nham,hello,,x,y\n"), "csv")
    assert found.columns == ("v1", "v2")
    assert [dict(row.cells) for row in found.records] == [{"v1": "ham", "v2": "hello"}]
    with pytest.raises(DataError):
        read_rows(write(folder, "twice.csv", b"v1,v1,,\nham,hello,,\n"), "csv")


def test_whole_numbers_with_a_decimal_point_are_labels(folder):
    rows = [{"text": f"some text {i}", "label": float(i % 2)} for i in range(20)]
    path = write(folder, "float.jsonl", lines(rows))
    assert load(parse_data(path), 0).label_names == ("0", "1")
    path = write(folder, "half.jsonl", lines([*rows, {"text": "one more", "label": 0.5}]))
    with pytest.raises(DataError) as caught:
        load(parse_data(path), 0)
    assert caught.value.line == 21


def test_a_split_column_is_followed(folder):
    data = load(parse_data(write(folder, "splits.csv", table(with_splits(), SPLIT_HEADER))), 0)
    named = {text: split.replace("dev", "validation") for text, _, split in with_splits()}
    for name, split in data.splits.items():
        assert {e.text for e in split} == {text for text, where in named.items() if where == name}


def test_without_validation_it_comes_out_of_training_and_test_stays(folder):
    data = load(
        parse_data(
            write(folder, "no_dev.csv", table(with_splits(("train", "test")), SPLIT_HEADER))
        ),
        0,
    )
    assert {e.text for e in data.test} == {
        text for text, _, where in with_splits(("train", "test")) if where == "test"
    }
    assert data.card["splits"]["validation"]["labels"] == {"neg": 2, "pos": 2}
    assert data.card["splits"]["train"]["labels"] == {"neg": 13, "pos": 13}


def test_copies_never_straddle_splits_that_we_made(folder):
    copies = [(text.upper() + " ", label) for text, label in rows()] * 2
    data = load(parse_data(write(folder, "copies.csv", table([*rows(), *copies]))), 0)
    seen = [{e.tokens for e in split} for split in data.splits.values()]
    assert sum(map(len, seen)) == len(set().union(*seen)) == 60
    assert data.card["same_words_as_training"] == {"validation": 0, "test": 0}


def test_words_shared_between_named_splits_are_counted(folder):
    records = [*with_splits(), (rows()[0][0].upper(), "neg", "test")]
    card = load(parse_data(write(folder, "shared.csv", table(records, SPLIT_HEADER))), 0).card
    assert card["same_words_as_training"] == {"validation": 0, "test": 1}


def test_labels_sort_as_numbers_only_if_all_are(folder):
    def names(labels):
        records = [(f"{text} {i}", label) for i, label in enumerate(labels) for text, _ in rows(6)]
        return load(parse_data(write(folder, "labels.csv", table(records))), 0).label_names

    assert names(["10", "9", "-1"]) == ("-1", "9", "10")
    assert names(["10", "9", "a"]) == ("10", "9", "a")
    assert names(["nan", "9", "10"]) == ("10", "9", "nan")


def test_long_texts_are_cut_with_their_evidence_and_counted(folder):
    records = [(text, label, f"0:{len(text)}") for text, label in rows()]
    path = write(folder, "cut.csv", table(records, ("text", "label", "rationale")))
    data = load(replace(parse_data(path), max_tokens=4), 0)
    assert data.card["truncated"] == 60
    for text in data.train:
        assert len(text.tokens) == len(text.offsets) == len(text.rationale) == 4
        assert text.tokens == tokenise(text.text)[0][:4]


ASKED = ("text", "ask", "label")


def asked(path):
    return load(replace(parse_data(path), query="ask"), 0)


def pairs(n=60):
    return [(text, f"is it {label} or x{i % 3}?", label) for i, (text, label) in enumerate(rows(n))]


def test_a_query_is_read_beside_each_text(folder):
    path = write(folder, "asked.csv", table(pairs(), ASKED))
    data = asked(path)
    queries = {text: tokenise(query)[0] for text, query, _ in pairs()}
    assert [e.query for split in data.splits.values() for e in split] == [
        queries[e.text] for split in data.splits.values() for e in split
    ]
    assert not load(
        parse_data(path), 0
    ).has_queries  # a column is read as queries only where it is asked for
    assert data.card["columns"]["query"] == "ask"
    cut = load(replace(parse_data(path), query="ask", max_tokens=3), 0)
    assert {len(e.query) for e in cut.train} == {3}


def test_a_text_with_another_query_is_no_copy(folder):
    """One text under every query: with queries all differ, so they can be divided; without them all
    are one text.
    """
    records = [("the sky is blue", f"is it x{i}?", ("yes", "no")[i % 2]) for i in range(60)]
    path = write(folder, "one.csv", table(records, ASKED))
    card = asked(path).card
    assert set(card["duplicates"].values()) == set(card["same_words_as_training"].values()) == {0}
    assert card["conflicting_labels"] == 0
    assert card["text_in_training"] == {
        "validation": card["splits"]["validation"]["n"],
        "test": card["splits"]["test"]["n"],
    }
    with refused(DataError) as caught:
        load(parse_data(path), 0)
    assert "1 of its texts also carries another label" in str(caught.value)
    doubled = asked(write(folder, "two.csv", table(records * 2, ASKED)))
    seen = [{(e.tokens, e.query) for e in split} for split in doubled.splits.values()]
    assert sum(map(len, seen)) == len(set().union(*seen)) == 60
    assert sum(doubled.card["duplicates"].values()) == 60


def test_texts_that_all_have_two_labels_are_counted_as_such(folder):
    records = [(f"text number x{i}", label) for i in range(40) for label in ("pos", "neg")]
    with pytest.raises(DataError, match="40 of its texts also carry another label") as caught:
        load(parse_data(write(folder, "both.csv", table(records))), 0)
    assert "give each text one label" in str(caught.value)
    rare = [(f"text number x{i}", "neg" if i else "pos") for i in range(40)]
    with pytest.raises(DataError) as caught:
        load(parse_data(write(folder, "rare.csv", table(rare))), 0)
    assert "another label" not in str(caught.value)


def test_named_splits_may_share_a_text_but_not_its_query(folder):
    header = (*ASKED, "split")
    records = [(*pair, split) for pair, (_, _, split) in zip(pairs(), with_splits(), strict=False)]
    text, query, label = next(record[:3] for record in records if record[3] == "train")
    write(folder, "other.csv", table([*records, (text, "and now?", label, "test")], header))
    assert asked(str(folder / "other.csv")).card["same_words_as_training"]["test"] == 0
    assert asked(str(folder / "other.csv")).card["text_in_training"]["test"] == 1
    same = write(folder, "same.csv", table([*records, (text, query, label, "test")], header))
    with refused(DataError):
        asked(same)


def test_what_cannot_be_a_query_is_told(folder):
    path = write(folder, "asked.csv", table([*pairs(), ("a text", "\u200b", "pos")], ASKED))
    assert asked(path).card["dropped"] == {"no words in the query": 1}
    with refused(DataError):
        load(replace(parse_data(path), query="q"), 0)
    for column in ("text", "label"):
        with refused(SpecError):
            load(replace(parse_data(path), query=column), 0)
    number = write(folder, "number.jsonl", b'{"text": "a b", "ask": 3, "label": "x"}\n')
    with refused(DataError):
        asked(number)


def test_an_example_says_where_it_came_from(folder):
    path = write(folder, "where.csv", table(rows()))
    for found in load(parse_data(path), 0).train:
        line = int(found.id.removeprefix("where.csv:"))
        assert rows()[line - 2][0] == found.text


def test_mistakes_in_the_spec_are_refused(folder):
    path = write(folder, "plain.csv", table(rows()))
    with refused(SpecError):
        load(replace(parse_data(path), label="text"), 0)
    with refused(SpecError):
        load(replace(parse_data(path), max_tokens=0), 0)
    with refused(SpecError):
        read_table(parse_data("planted:needle"))


def test_the_card_is_plain_json_and_counts_what_the_splits_hold(folder):
    data = load(parse_data(write(folder, "plain.csv", table(rows()))), 0)
    assert json.loads(json.dumps(data.card, allow_nan=False)) == data.card
    assert data.card["source"].startswith("csv:")
    assert {name: card["n"] for name, card in data.card["splits"].items()} == {
        n: len(s) for n, s in data.splits.items()
    }


@pytest.mark.parametrize(
    ("copies", "message"),
    [
        (
            1,
            (
                r"in train at .*twice\.csv:2 and in test here; keep it in one split, or drop "
                r"copies \(on_copies=drop\)$"
            ),
        ),
        (3, r"\(on_copies=drop\); likewise 3 and 23, 4 and 24$"),
        (15, r"; likewise 3 and 23, .*, 12 and 32 and 4 more$"),
    ],
)
def test_every_text_in_two_splits_is_told_of_at_once(folder, copies, message):
    rows = [(f"one text {i}", "ab"[i % 2], "train") for i in range(20)]
    again = [(text, label, "test") for text, label, _ in [*rows[:copies], ("another", "a", "test")]]
    path = write(folder, "twice.csv", table([*rows, *again], ("text", "label", "split")))
    with pytest.raises(DataError, match=message) as raised:
        load(parse_data(path), 0)
    assert raised.value.line == 22
