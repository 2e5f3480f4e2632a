"""The committed counts of the published corpora are what their files give, and every one that can
be exact is.
"""

import json
from pathlib import Path

import docs_tables
import published
import pytest

from sightline.config.specs import OFFICIAL
from tests.sampling import slow_but
from tests.snapshots import same_text

ROOT = Path(__file__).resolve().parents[2]

STORED = json.loads((ROOT / "docs" / "verified" / "data.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", slow_but({0}, published.CHEAP))
def test_the_committed_counts_are_those_of_the_files(name, real_data, monkeypatch):
    spec = published.spec_of(name)
    folder = real_data(spec.path.partition("/")[0]).parent
    monkeypatch.setattr(published, "FOLDER", folder)
    for recipe in published.RECIPES[name]:
        assert published.count(name, recipe) == STORED["corpora"][name][recipe]


def test_the_tables_of_the_papers_are_met_where_they_can_be():
    assert list(published.gates(STORED["corpora"])) == STORED["gates"]
    assert all(gate["holds"] for gate in STORED["gates"])
    assert len(STORED["gates"]) >= 49


def test_a_count_that_is_off_closes_its_gate():
    counted = json.loads(json.dumps(STORED["corpora"]))
    counted["sst"]["paper"]["splits"]["test"]["labels"]["negative"] -= 1
    counted["imdb"]["clean"]["found"]["train, negative"] = "12499 of 12500"
    off = [gate["name"] for gate in published.gates(counted) if not gate["holds"]]
    same_text("notes", off)


def test_every_published_corpus_is_counted():
    at_hand = {spec.partition(":")[0] for spec in published.PLACES.values()}
    elsewhere = {name.partition("(")[0] for name in published.NOT_AT_HAND}
    assert at_hand | elsewhere == set(OFFICIAL)
    assert not at_hand & elsewhere
    assert set(STORED["corpora"]) == set(published.PLACES) == set(published.PAPERS)
    assert set(published.REASONS) == {*published.PLACES, *published.NOT_AT_HAND}


def test_what_the_papers_print_of_corpora_that_are_not_here_stands_beside_the_others():
    rows = [row[:2] for row in published.rows(STORED)]
    for name, tables in published.NOT_AT_HAND.items():
        place = rows.index((f"`{name}`", next(iter(tables))))
        assert [table for _, table in rows[place : place + len(tables)]] == list(tables)
        assert {corpus for corpus, _ in rows[place + 1 : place + len(tables)]} <= {""}
    values = {row[0]: row[3] for row in published.found_rows(STORED)}
    assert all(
        values[f"`{name}`"].startswith("Not counted here.") for name in published.NOT_AT_HAND
    )


NAMED = {"news": "20news", **{f"babi{task}": f"babi {task}" for task in (1, 2, 3)}}
"""What the studies call a corpus, and what the counts call it."""
REPRODUCED = docs_tables.page_of_all(docs_tables.all_kept())
COUNTED = [
    (one["id"], line)
    for one in REPRODUCED["tables"]
    for line in one["lines"]
    if (line["ours"] or {}).get("method") == "counted"
]


def test_the_tables_of_the_papers_count_a_corpus_as_its_own_page_does():
    of_vocabulary = [
        (table, line) for table, line in COUNTED if line["quantity"] == "words of the vocabulary"
    ]
    assert {table for table, _ in of_vocabulary} == {"jain2019:J-1", "tutek2020:T-5", "wen2022:W-1"}
    for table, line in of_vocabulary:
        counted = STORED["corpora"][NAMED.get(line["corpus"], line["corpus"])]["paper"]
        assert line["ours"]["value"] == counted["vocabulary"], (table, line["corpus"])
    for table, line in COUNTED:
        split, texts_of, label = line["quantity"].partition(" texts of ")
        if texts_of and not label.startswith("class"):
            counted = STORED["corpora"][line["corpus"]]["paper"]["splits"]
            name = {"training": "train"}.get(split, split)
            assert line["ours"]["value"] == counted[name]["labels"][label], (
                table,
                line["quantity"],
            )


def test_three_classes_are_compared_by_their_names():
    """Table 1 prints the classes of SNLI from the smallest; its test pairs are all at hand, so each
    count is met.
    """
    of_test = [
        line
        for _, line in COUNTED
        if line["corpus"] == "snli" and line["quantity"].startswith("test texts of")
    ]
    assert [line["published"] for line in of_test] == 2 * [3219, 3237, 3368]
    assert [line["ours"]["value"] for line in of_test] == 2 * [3219, 3237, 3368]


def test_the_lengths_printed_of_stories_are_those_of_the_longest_of_the_task_before():
    longest = {
        line["corpus"]: line["ours"]["value"]
        for _, line in COUNTED
        if line["quantity"] == "words of the longest text"
    }
    printed = {
        line["corpus"]: line["published"]
        for _, line in COUNTED
        if line["quantity"] == "words of a text, mean"
    }
    assert (longest["babi1"], longest["babi2"]) == (printed["babi2"], printed["babi3"]) == (67, 421)
    said = [
        line["said"] for _, line in COUNTED if line["corpus"] == "babi2" and line["published"] == 67
    ]
    assert len(said) == 2
    assert all(one.startswith("not comparable") for one in said)
