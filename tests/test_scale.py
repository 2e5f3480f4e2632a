"""What is held of each text stays small: a table of a million, or a page of a hundred thousand,
must fit.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline._io import checksums
from sightline.audits.audit_storage import load_results, save_results
from sightline.config.spec_syntax import parse_data
from sightline.core.results import Ragged
from sightline.data.assembly import user_corpus
from sightline.data.assembly.split_tables import sheets_of
from sightline.data.dataset import SPLITS, count_copies
from sightline.data.load_dataset import load
from sightline.data.readers.csv_jsonl import read_rows
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.report.html.view_model import TextValues, held_texts
from tests.memory import peak
from tests.report import audits

TEXTS = 5000


def test_copies_are_counted_without_a_set_for_each_text() -> None:
    keys = [(str(i), str(i + 1)) for i in range(TEXTS)]
    assert peak(lambda: count_copies(("train", key, 0) for key in keys)) < 350 * TEXTS


def test_a_text_with_two_labels_is_counted_with_all_its_copies() -> None:
    texts = [
        ("train", "a", 0),
        ("train", "a", 0),
        ("test", "a", 1),
        ("train", "b", 1),
        ("test", "b", 1),
    ]
    assert count_copies(texts)["conflicting_labels"] == 3


def test_rows_of_a_table_are_let_go_before_its_words_are_cut(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    extra = ",".join("abcdefgh")
    lines = [
        f"text,label,{extra}",
        *(f"good,{i % 2},{','.join('12345678')}" for i in range(TEXTS // 5)),
    ]
    file.write_text("\n".join(lines))
    spec = parse_data(str(file))
    user_corpus.read_table(spec)  # what is made once
    read = peak(lambda: user_corpus._read(spec, sheets_of(spec)[0][0]))
    assert (
        peak(lambda: user_corpus.read_table(spec)) < 1.3 * read
    )  # reading the rows is what takes most


def test_a_table_is_decoded_piece_by_piece(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    rows = [f"{'good words ' * 2000}{i},{i % 2}" for i in range(300)]
    file.write_text("\n".join(["text,label", *rows, "😀 ends it,1"]), encoding="utf-8")
    # One sign of four bytes would make four bytes of each letter, were the text of the file held as
    # one.
    assert peak(lambda: read_rows(str(file), "csv")) < 2.5 * file.stat().st_size


def test_of_a_long_text_only_the_words_that_are_seen_are_held(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "text,label,ask\n" + "".join(f"a{i} b c d e f g,{i % 2},g h i j k\n" for i in range(40))
    )
    spec = replace(parse_data(str(file)), max_tokens=4, query="ask")
    read = user_corpus.read_table(spec).texts[0]
    assert (read.tokens, read.query) == (("a0", "b", "c", "d"), ("g", "h", "i", "j"))
    assert (read.lost, read.lengths) == ((3, 1), (7, 5))
    dataset = load(spec, 0)
    assert dataset.card["truncated"] == 40
    assert any(
        "33.3% of all words were left out; the longest text has 7" in note
        for note in dataset.card["notes"]
    )
    assert (
        max(len(text.tokens) for text in load(replace(spec, max_tokens=6), 0).train) == 6
    )  # read anew


@pytest.mark.parametrize("kept", [("test",), ("train", "test")])
def test_texts_of_splits_that_nobody_needs_are_let_go(
    tmp_path: Path, kept: tuple[str, ...]
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("text,label\n" + "".join(f"It's {i} of all,{i % 2}\n" for i in range(40)))
    whole = load(parse_data(str(file)), 0)
    some = load(parse_data(str(file)), 0, training=False, kept=kept)
    assert some.card == whole.card
    assert {name: split for name, split in some.splits.items() if split} == {
        name: whole.splits[name] for name in kept
    }
    here, there = some.test[0], whole.test[0]
    assert here.text is not there.text
    assert here.tokens is not there.tokens
    assert set(some.splits) == set(SPLITS)


def test_pairs_of_words_are_compared_some_at_a_time() -> None:
    drawn = np.random.default_rng(0)
    x, y = drawn.random((2, 8, 400))
    held = peak(lambda: kendall_tau_b(x, y, np.ones(x.shape, dtype=bool)))
    assert held < 2**24  # one array of all pairs is 10 MB, and there were five


def test_places_of_a_table_are_found_again_and_not_held(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("text,label\n" + "".join(f"It's 1.5 of {i},{i % 2}\n" for i in range(40)))
    read = load(parse_data(str(file)), 0).train[0]
    assert read.places is None
    assert [read.text[start:end] for start, end in read.offsets] == [
        "It's",
        "1.5",
        "of",
        read.tokens[3],
    ]


def test_a_saved_audit_keeps_a_word_and_a_place_once(tmp_path: Path) -> None:
    text = audits.record("good food , good mood", 0)
    first, second = load_results(
        save_results(audits.audit((text, audits.record(text.text, 1))), tmp_path / "a")
    ).texts
    assert all(map(lambda a, b: a is b, first.tokens, second.tokens))
    assert all(map(lambda a, b: a is b, first.offsets, second.offsets))
    assert first.tokens[0] is first.tokens[3]


def test_a_page_cuts_no_array_for_each_text_and_map() -> None:
    audit = audits.explored(tuple(audits.record("so good", i) for i in range(TEXTS)))
    held = held_texts(audit)
    assert len(held.maps) > 5
    assert peak(lambda: held_texts(audit)) < 400 * TEXTS


def test_rows_are_those_of_the_values() -> None:
    values = Ragged(np.arange(6.0), np.array([2, 0, 3, 1]))
    rows = TextValues(values)
    assert (
        [one.tolist() for one in rows]
        == [one.tolist() for one in values.rows()]
        == [[0, 1], [], [2, 3, 4], [5]]
    )
    assert rows[-1].tolist() == [5]
    assert [one.tolist() for one in rows[1:3]] == [[], [2, 3, 4]]


def test_checksums_are_taken_without_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(2**24))
    checksums.seal(tmp_path)
    assert peak(lambda: checksums.changed_file(tmp_path)) < 2**21
