"""Every troublesome table is read, or refused with one message that names the file and, where there
is one, the line.
"""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from tests.troubles.tables import MESSAGES, REPORTS, Trouble, write_tables


@pytest.fixture(scope="module")
def troubles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trouble]:
    return {trouble.name: trouble for trouble in write_tables(tmp_path_factory.mktemp("troubles"))}


def read(trouble: Trouble) -> Dataset:
    flags = iter(trouble.flags)
    settings = {flag.removeprefix("--"): value for flag, value in zip(flags, flags, strict=True)}
    return load(replace(parse_data(str(trouble.path)), **settings), seed=3)


def test_there_are_enough_of_them_and_none_hides_another(troubles):
    assert len(troubles) >= 20
    assert len({trouble.path for trouble in troubles.values()}) == len(troubles)


@pytest.mark.parametrize("name", REPORTS)
def test_a_table_that_can_be_read_is(troubles, name):
    data = read(troubles[name])
    assert all(data.splits.values())
    assert {len(card["labels"]) for card in data.card["splits"].values()} == {len(data.label_names)}


@pytest.mark.parametrize("name", [*MESSAGES, "a folder", "no file"])
def test_a_table_that_cannot_be_read_says_why_and_where(troubles, name):
    trouble = troubles[name]
    with pytest.raises(DataError) as caught:
        read(trouble)
    message = str(caught.value)
    assert message.startswith(str(trouble.path))
    assert re.search(trouble.outcome, message)
    assert "\n" not in message  # the command line gives it one line


def test_what_was_dropped_or_cut_is_in_the_card(troubles):
    def card(name):
        return read(troubles[name]).card

    assert card("plain")["dropped"] == {}
    assert card("empty rows")["dropped"] == {"empty row": 122}
    assert card("texts without words")["dropped"] == {"no words in the text": 2}
    assert card("a label only in test")["dropped"] == {"label not in training": 4}
    assert card("a label only in test")["labels_not_in_training"] == {"mixed": 4}
    assert card("a text of 30,000 words")["truncated"] == 1
    assert card("a text of 30,000 words")["splits"]["train"]["tokens"]["max"] <= 512
    assert sum(card("copies in a split")["duplicates"].values()) == 20
    assert card("copies with other labels")["conflicting_labels"] == 20
    assert card("json rationales")["rationales"] == 60


def test_a_table_reads_alike_however_it_is_written(troubles):
    plain = read(troubles["plain"])
    for name in (
        "byte order mark",
        "windows line ends",
        "old mac line ends",
        "tabs",
        "gzip",
        "json lines",
    ):
        other = read(troubles[name])
        assert [[e.text for e in split] for split in other.splits.values()] == [
            [e.text for e in split] for split in plain.splits.values()
        ], name


def test_a_marked_span_becomes_marked_words(troubles):
    data = read(troubles["json rationales"])
    for example in data.train:
        marked = [
            token for token, mark in zip(example.tokens, example.rationale, strict=True) if mark
        ]
        assert len(marked) == 1
        assert example.text[example.offsets[example.rationale.index(True)][0] :].startswith(
            marked[0]
        )


def test_labels_are_stripped_and_sorted_as_numbers_where_they_are(troubles):
    assert read(troubles["labels with spaces"]).label_names == ("neg", "pos")
    assert read(troubles["labels with points"]).label_names == ("0.0", "1.0", "2.0")
    assert read(troubles["json labels"]).label_names == ("false", "true")


def test_a_long_field_leaves_the_limit_of_the_process_alone(troubles):
    before = csv.field_size_limit(1000)
    try:
        read(troubles["a word of a million letters"])
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


def test_an_example_remembers_the_line_its_record_begins_on(troubles):
    data = read(troubles["quotes, commas and line breaks"])
    raw = (
        Path(troubles["quotes, commas and line breaks"].path)
        .read_text(encoding="utf-8")
        .split("\n")
    )
    for example in data.train:
        line = int(example.id.removeprefix("quotes.csv:"))
        assert raw[line - 1].replace('""', '"').lstrip('"').startswith(example.text.split("\n")[0])
