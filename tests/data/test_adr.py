"""Tweets about adverse drug reactions: as published, with a header, in files of splits or not; and
every broken form.
"""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load, watching_divisions
from tests.data.corpora import adr, folder_of
from tests.snapshots import refused


def read(path: Path, recipe: str = "clean", seed: int = 0) -> Dataset:
    return load(replace(parse_data(f"adr:{path}"), recipe=recipe), seed)


def lines(n: int = 20) -> list[str]:
    """Tweets of ten users, who write two each."""
    return [
        f"7{i}\tu{i // 2}\t{i % 2}\tThis drug number{i} is {('fine', 'bad')[i % 2]}"
        for i in range(n)
    ]


def file_of(folder: Path, tweets: list[str], name: str = "adr.tsv") -> Path:
    (folder / name).write_text("\n".join(tweets) + "\n", encoding="utf-8")
    return folder / name


def test_tweets_are_read_with_their_labels_and_users(tmp_path):
    path = file_of(tmp_path, [*lines(), "", '79\tann\t1\t"So ill &amp; <b>tired</b>", she said'])
    data = read(path)
    assert data.label_names == ("no reaction", "reaction")
    odd = next(e for split in data.splits.values() for e in split if e.group == "user ann")
    assert (odd.id, odd.text, odd.label) == (
        "adr/adr.tsv:22",
        '"So ill &amp; <b>tired</b>", she said',
        1,
    )
    assert data.card["found"] == {"tweets": "21 of 21254"}


def test_the_tweets_of_a_user_are_in_one_split(tmp_path):
    path = file_of(tmp_path, lines(60))
    for seed in range(5):
        users = [{e.group for e in split} for split in read(path, seed=seed).splits.values()]
        assert sum(map(len, users)) == len(set.union(*users)) == 30
    assert (
        "no splits are published: divided 70/15/15 by seed 4" in read(path, seed=4).card["notes"][0]
    )


def test_splits_that_files_name_are_followed(tmp_path):
    tables = {
        f"tweets_{name}.txt": "\n".join(lines()).replace("drug", name)
        for name in ("Train", "dev", "TEST")
    }
    data = read(folder_of(tmp_path, tables | {"README.txt": "no tweet"}))
    assert {name: {e.tokens[1] for e in split} for name, split in data.splits.items()} == {
        "train": {"train"},
        "validation": {"dev"},
        "test": {"test"},
    }


def test_a_copy_in_two_splits_is_left_out_of_training(tmp_path):
    tables = adr()
    tables["train.tsv"] += tables["test.tsv"].splitlines()[0].replace("!", " ?!") + "\n"
    data = read(folder_of(tmp_path, tables))
    assert data.card["dropped"] in (
        {"in train and in a later split": 1},
        {"in validation and in a later split": 1},
    )


@pytest.mark.parametrize("header", ["tweet_id\tTEXT\tLabel", "id\tTweet\tclass", "id\ttext\tlabel"])
def test_a_header_names_the_columns_in_any_case_and_order(tmp_path, header):
    rows = [header, *(f"{i}\tnumber{i} is here\t{i % 2}" for i in range(12))]
    data = read(file_of(tmp_path, rows))
    found = {e.text: e.label for split in data.splits.values() for e in split}
    assert found == {f"number{i} is here": i % 2 for i in range(12)}


def test_what_is_gone_or_has_no_words_is_counted(tmp_path):
    data = read(
        file_of(
            tmp_path,
            [*lines(), "1\tu\t1\tNot Available", "2\tu\t0\tnot available ", "3\tu\t0\t \u200b"],
        )
    )
    assert data.card["dropped"] == {"the text is no longer available": 2, "no words in the text": 1}


def test_the_papers_put_all_tweets_together_and_divide_them(tmp_path):
    rows = [
        f"{i}\tu{i}\t{i // 4 % 2}\t{' '.join(f'w{i}' for _ in range(4 + i % 4))}"
        for i in range(100)
    ]
    file_of(tmp_path, rows[:50], "train.tsv")
    file_of(tmp_path, rows[50:], "test.tsv")
    paper = read(tmp_path, "paper")
    assert {e.label for e in paper.test} == {0, 1}
    assert {e.id.split("/")[1].split(".")[0] for e in paper.test} == {"train", "test"}
    lengths = {len(e.tokens) for split in paper.splits.values() for e in split}
    assert lengths == {6, 7}  # more than 5, fewer than 100
    dropped = {why: n for why, n in paper.card["dropped"].items() if "between 5 and 100" in why}
    kept = {name: len(split) for name, split in paper.splits.items()}
    assert {
        name: n + dropped[f"not between 5 and 100 words in {name}"] for name, n in kept.items()
    } == {
        "train": 68,
        "validation": 12,
        "test": 20,  # a fifth of each class, then 15 % of what is left
    }
    assert paper.card["min_count"] == 2


BROKEN = {
    "another label": ("9\tu\t2\tBad", "expected the label 0 (no reaction) or 1, got '2'"),
    "a word as label": ("9\tu\tADR\tBad", "expected the label 0 (no reaction) or 1, got 'ADR'"),
    "no label": ("9\tu\t\tBad", "expected the label 0 (no reaction) or 1, got ''"),
    "no text": ("9\tu\t1", "expected 4 fields (tweet id<TAB>user id<TAB>0 or 1<TAB>text), got 3"),
    "a tab in the text": (
        "9\tu\t1\tSo\tbad",
        "expected 4 fields (tweet id<TAB>user id<TAB>0 or 1<TAB>text), got 5",
    ),
    "commas": ("9,u,1,Bad", "expected 4 fields"),
    "a NUL": ("9\tu\t1\tB\0d", "expected text, got a NUL byte"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_line_that_cannot_be_read(tmp_path, name):
    line, message = BROKEN[name]
    path = file_of(tmp_path, [*lines(3), line, *lines(3)])
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}:4: {re.escape(message)}"):
        read(path)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "id\tlabel",
            ":1: expected a column text or tweet, there are 'id', 'label'; name it in the header",
        ),
        ("id\ttext", ":1: expected a column label or class, there are 'id', 'text'"),
        ("id\ttext\tlabel\tsplit", ":2: expected 4 fields (as in the header), got 3"),
    ],
)
def test_a_header_that_lacks_a_column(tmp_path, header, message):
    path = file_of(tmp_path, [header, "1\tfine\t0"])
    with pytest.raises(DataError, match=re.escape(f"{path}{message}")):
        read(path)


def test_files_that_are_no_tweets(tmp_path):
    (tmp_path / "latin.tsv").write_bytes("1\tu\t1\tfine\n2\tu\t0\tcaf\xe9\n".encode("latin-1"))
    with refused(DataError):
        read(tmp_path / "latin.tsv")
    whole = gzip.compress("\n".join(lines()).encode())
    (tmp_path / "torn.tsv.gz").write_bytes(whole[: len(whole) // 2])
    with refused(DataError):
        read(tmp_path / "torn.tsv.gz")
    (tmp_path / "empty.tsv").touch()
    with refused(DataError):
        read(tmp_path / "empty.tsv")
    with pytest.raises(DataError, match="there is no such file"):
        read(tmp_path / "gone.tsv")


def test_a_file_that_names_no_split_beside_files_that_do_is_refused(tmp_path):
    folder = folder_of(tmp_path, adr() | {"more.tsv": "1\tu\t1\tfine"})
    with refused(DataError):
        read(folder)


def test_what_is_divided_by_the_seed_is_watched(tmp_path):
    """The code of a model may train on a part of tweets that no file divides."""
    path = file_of(tmp_path, lines(60))
    with watching_divisions("py:mine:one") as divided:
        data = read(path)
    read(path, seed=1)
    assert [*divided.values()] == [{fingerprint(e) for e in (*data.train, *data.validation)}]
    for name in ("one", "two"):  # the module is imported already
        with watching_divisions(f"py:mine:{name}") as again:
            pass
        assert again == divided
    with watching_divisions("py:mine:three") as other:
        data = read(path, seed=2)
    assert [*other.values()] == [{fingerprint(e) for e in (*data.train, *data.validation)}]
    assert divided not in (other, {})
    with watching_divisions("py:mine:one") as same:
        pass
    assert same == divided
