"""The user's own texts in several files: by split, in folders, in columns that name ids and groups;
and copies.
"""

import csv
import gzip
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline._io.limits import FILES, LINE
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError, SightlineError, SpecError
from sightline.data.assembly.data_warnings import AS_MISSING, LOOK_ALIKE
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.assembly.in_memory import data_from
from sightline.data.assembly.user_splits import ALSO_TRAINED, EVERY_ROW
from sightline.data.corpus_cache import content_digest
from sightline.data.load_dataset import load
from sightline.data.splits import connected
from sightline.measures.trace_arrays import cluster_of
from tests.snapshots import refused, same_text
from tests.troubles.tables import lines, rows, table


def cut(n: int = 60) -> list[list[tuple[str, str]]]:
    """Give texts that all differ in three parts, each with both labels."""
    made = rows(n)
    return [made[: n // 2], made[n // 2 : -n // 4], made[-n // 4 :]]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Write a table of each kind, one for each split."""
    train, validation, test = cut()
    (tmp_path / "a.csv").write_bytes(table(train))
    (tmp_path / "b.tsv.gz").write_bytes(gzip.compress(table(validation, delimiter="\t")))
    (tmp_path / "c.jsonl").write_bytes(
        lines({"text": text, "label": label} for text, label in test)
    )
    return tmp_path


def files(folder: Path, **named: str) -> Any:
    return parse_data(
        "files:" + ",".join(f"{split}={folder / name}" for split, name in named.items())
    )


ALL = {"train": "a.csv", "validation": "b.tsv.gz", "test": "c.jsonl"}


# ---------------------------------------------------------------- a file for each split


def test_each_file_is_a_split_however_it_is_written(three: Path) -> None:
    data = load(files(three, **ALL), 0)
    for split, part in zip(("train", "validation", "test"), cut(), strict=True):
        assert [text.text for text in data.splits[split]] == [text for text, _ in part]
    assert data.train[0].id == "a.csv:2"
    assert data.test[0].id == "c.jsonl:1"
    same_text("notes", data.card["notes"][0])
    assert data.card["columns"] == {
        "text": "text",
        "label": "label",
        "split": None,
        "rationale": None,
        "query": None,
    }


def test_without_a_file_of_validation_it_comes_out_of_training(three: Path) -> None:
    spec = files(three, train="a.csv", test="c.jsonl")
    data = load(spec, 0)
    assert (len(data.train), len(data.validation), len(data.test)) == (26, 4, 15)
    same_text("notes", data.card["notes"][0])
    assert load(spec, 1).validation != data.validation
    assert load(replace(spec, max_tokens=511), 0).validation == data.validation


def test_texts_to_test_on_are_enough_for_a_model_that_is_trained(three: Path) -> None:
    spec = files(three, test="c.jsonl")
    with refused(SpecError):
        load(spec, 0)
    data = load(spec, 0, training=False)
    assert (data.train, data.validation, len(data.test)) == ((), (), 15)
    assert data.label_names == ("neg", "pos")
    same_text("notes", data.card["notes"][1])
    assert data.card["before_cutting"].keys() == {"test"}


def test_one_label_is_enough_to_test_on(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(table((text, "pos") for text, _ in rows(6)))
    assert load(files(tmp_path, test="t.csv"), 0, training=False).label_names == ("pos",)
    with refused(DataError):
        load(parse_data(str(tmp_path / "t.csv")), 0)


def test_files_of_one_name_give_ids_that_differ(tmp_path: Path) -> None:
    for split, part in zip(("train", "validation", "test"), cut(), strict=True):
        (tmp_path / split).mkdir()
        (tmp_path / split / "data.csv").write_bytes(table(part))
    named = {split: f"{split}/data.csv" for split in ALL}
    data = load(files(tmp_path, **named), 0)
    assert [split[0].id for split in data.splits.values()] == [
        f"{split}/data.csv:2" for split in ALL
    ]
    assert load(files(tmp_path, test="test/data.csv"), 0, training=False).test[0].id == "data.csv:2"


def test_the_bytes_of_every_file_name_the_data(
    three: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    spec = files(three, **ALL)
    known = content_digest(spec)
    other = tmp_path_factory.mktemp("elsewhere")
    for name in ALL.values():
        (other / name).write_bytes((three / name).read_bytes())
    assert content_digest(files(other, **ALL)) == known
    for name in ALL.values():
        before = (other / name).read_bytes()
        (other / name).write_bytes(gzip.compress(b"x") if name.endswith(".gz") else before + b"\n")
        assert content_digest(files(other, **ALL)) != known
        (other / name).write_bytes(before)
    assert content_digest(files(other, train="a.csv", test="c.jsonl")) != known
    with refused(DataError):
        load(replace(spec, digest="ab" * 32), 0)


def test_a_mistake_names_the_file_it_is_in(three: Path) -> None:
    def record(name: str, data: bytes) -> str:
        before = (three / name).read_bytes()
        (three / name).write_bytes(data)
        with pytest.raises(SightlineError) as caught:
            load(files(three, **ALL), 0)
        (three / name).write_bytes(before)
        return str(caught.value).replace(f"{three}/", "")

    train, _, test = cut()
    same_text("notes", record("c.jsonl", b'{"text": "a b", "label": 1}\n{"text": 3}\n'))
    same_text("notes", record("a.csv", b"words,label\na,b\n"))
    split = lines([{"text": text, "label": label, "split": "test"} for text, label in test])
    same_text("notes", record("c.jsonl", split))
    copy = lines(
        [
            *({"text": text, "label": label} for text, label in test),
            {"text": train[0][0], "label": "neg"},
        ]
    )
    same_text("notes", record("c.jsonl", copy))
    copies = lines({"text": text, "label": label} for text, label in train[:2])
    assert record("c.jsonl", copies).endswith("; likewise a.csv:3 and 2")
    same_text("notes", record("a.csv", table([("a b", "pos")])))


# ---------------------------------------------------------------- every row is a test text


def test_every_row_is_a_test_text_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(table(rows()))
    spec = parse_data(str(tmp_path / "t.csv"), split="all")
    data = load(spec, 0, training=False)
    assert [text.text for text in data.test] == [text for text, _ in rows()]
    same_text("notes", data.card["notes"][0])
    with refused(SpecError):
        load(spec, 0)


@pytest.mark.parametrize("kind", ["table", "folder"])
def test_every_row_is_a_test_text_for_a_model_that_has_seen_none(tmp_path: Path, kind: str) -> None:
    """One text that it has learned from is enough to divide all, as its training did."""
    if kind == "table":
        (tmp_path / "t.csv").write_bytes(table(rows()))
        spec = parse_data(str(tmp_path / "t.csv"))
    else:
        for i, (text, label) in enumerate(rows()):
            (tmp_path / label).mkdir(exist_ok=True)
            (tmp_path / label / f"{i}.txt").write_text(text)
        spec = parse_data(f"folder:{tmp_path}")
    divided = load(spec, 0)
    stranger = replace(divided.train[0], text="another text")
    for seen in ((), (fingerprint(stranger),)):
        data = load(spec, 0, training=False, seen=frozenset(seen))
        assert {name: len(split) for name, split in data.splits.items()} == {
            "train": 0,
            "validation": 0,
            "test": 60,
        }
        assert any(EVERY_ROW in note for note in data.card["notes"])
    data = load(spec, 0, training=False, seen=frozenset({fingerprint(divided.train[0])}))
    assert data.splits == divided.splits
    assert any(ALSO_TRAINED in note for note in data.card["notes"])
    assert load(spec, 0, training=False).splits == divided.splits


def test_a_column_of_that_name_is_followed(tmp_path: Path) -> None:
    names = ("train", "train", "dev", "test")
    records = [(*record, names[i // 2 % 4]) for i, record in enumerate(rows())]
    (tmp_path / "t.csv").write_bytes(table(records, ("text", "label", "all")))
    data = load(parse_data(str(tmp_path / "t.csv"), split="all"), 0)
    assert {text.text for text in data.test} == {
        text for text, _, name in records if name == "test"
    }


def test_a_split_column_may_say_test_in_every_row(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(
        table([(*record, "test") for record in rows()], ("text", "label", "split"))
    )
    spec = parse_data(str(tmp_path / "t.csv"))
    assert len(load(spec, 0, training=False).test) == 60
    message = (
        "no text is in train; name some, or leave the split column out; a model that is trained "
        "already needs none"
    )
    with pytest.raises(DataError, match=message):
        load(spec, 0)


def test_a_file_of_training_texts_alone_is_divided_in_two(three: Path) -> None:
    found = load(files(three, train="a.csv"), 0)
    assert found.test == ()
    assert len(found.validation) > 0
    assert {text.id for text in (*found.train, *found.validation)} == {
        f"a.csv:{line}" for line in range(2, 2 + len(found.train) + len(found.validation))
    }
    assert "no test texts: to train a model, and to audit it on others" in found.card["notes"]


# ---------------------------------------------------------------- ids and groups

HEADER = ("text", "label", "name", "who")


def named(path: Path, records: Iterable[tuple[object, ...]], **settings: str) -> Any:
    path.write_bytes(table(records, HEADER))
    return parse_data(str(path), **settings)


def test_ids_and_groups_are_those_of_their_columns(tmp_path: Path) -> None:
    records = [(*record, f"n{i}", f"w{i // 4}" if i > 7 else "") for i, record in enumerate(rows())]
    data = load(named(tmp_path / "t.csv", records, id="name", group="who"), 0)
    values = {text: (name, group) for text, _, name, group in records}
    every = [text for split in data.splits.values() for text in split]
    assert all((text.id, text.group) == values[text.text] for text in every)
    assert data.card["columns"] | {"id": "name", "group": "who"} == data.card["columns"]
    one, other = (next(text for text in every if text.group == f"w{i}") for i in (2, 3))
    assert cluster_of(replace(one, tokens=other.tokens)) == cluster_of(one) != cluster_of(other)
    assert "groups (who) whole" in data.card["notes"][0]


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        (
            "id",
            ["n1", "n2", "n1"],
            r"t.csv:4: the id 'n1' is at .*t.csv:2, too; give each text one of its own",
        ),
        (
            "id",
            ["n1", " ", "n3"],
            r"t.csv:3: expected an id in 'name' \(a text or a whole number\), got ' '",
        ),
        ("id", ["n1", "", "n3"], r"t.csv:3: expected an id in 'name'"),
    ],
)
def test_ids_are_there_and_differ(
    tmp_path: Path, column: str, cells: list[str], message: str
) -> None:
    records = [(*record, cell, "w") for record, cell in zip(rows(3), cells, strict=True)]
    with pytest.raises(DataError, match=message):
        load(named(tmp_path / "t.csv", records, **{column: "name"}), 0)


def test_an_id_in_two_files_and_columns_that_cannot_be(three: Path) -> None:
    for name in ("a", "c"):
        (three / f"{name}.csv").write_bytes(
            table([(f"{name} {t}", lb, i, i) for i, (t, lb) in enumerate(rows())], HEADER)
        )
    spec = files(three, train="a.csv", test="c.csv")
    found = load(replace(spec, id="name"), 0)
    assert {text.id for text in found.train} | {text.id for text in found.validation} == {
        f"train/{i}" for i in range(len(rows()))
    }
    assert [text.id for text in found.test] == [f"test/{i}" for i in range(len(rows()))]
    assert "files have ids in common: a text is named SPLIT/ID" in found.card["notes"]
    (three / "e.csv").write_bytes(
        table([(f"e {t}", lb, f"e{i}", i) for i, (t, lb) in enumerate(rows())], HEADER)
    )
    apart = load(replace(files(three, train="a.csv", test="e.csv"), id="name"), 0)
    assert [text.id for text in apart.test] == [f"e{i}" for i in range(len(rows()))]
    (three / "f.csv").write_bytes(
        table([(f"f {t}", lb, i // 2, i) for i, (t, lb) in enumerate(rows())], HEADER)
    )
    with refused(DataError):
        load(replace(files(three, train="a.csv", test="f.csv"), id="name"), 0)
    with refused(DataError):
        load(replace(spec, id="key"), 0)
    for field in ("id", "group"):
        with refused(SpecError):
            load(replace(spec, **{field: "text"}), 0)
    (three / "d.jsonl").write_bytes(b'{"text": "a b", "label": 1, "who": 0.5}\n')
    with refused(DataError):
        load(replace(files(three, test="d.jsonl"), group="who"), 0, training=False)


def test_groups_in_two_named_splits_are_told_of_at_once(three: Path) -> None:
    for name, start in (("a", 0), ("c", 8)):
        records = [(f"{name} {t}", lb, i, f"w{start + i // 6}") for i, (t, lb) in enumerate(rows())]
        (three / f"{name}.csv").write_bytes(table(records, HEADER))
    message = (
        r"c.csv:2: the group 'w8' is in train at .*a.csv:50 and in test here; keep it in one "
        r"split; likewise the group 'w9'$"
    )
    with pytest.raises(DataError, match=message):
        load(replace(files(three, train="a.csv", test="c.csv"), group="who"), 0)


def test_groups_that_look_alike_in_two_named_splits_are_refused(three: Path) -> None:
    for name, end in (("a", ""), ("c", ".0")):
        records = [(f"{name} {t}", lb, i, f"{i // 20}{end}") for i, (t, lb) in enumerate(rows())]
        (three / f"{name}.csv").write_bytes(table(records, HEADER))
    message = (
        r"c.csv:2: the group '0.0', written '0' before, is in train at .*a.csv:2 and in test here; "
        r"write a group in one way; .*; likewise the groups '1.0', '2.0'$"
    )
    spec = files(three, train="a.csv", test="c.csv")
    with pytest.raises(DataError, match=message):
        load(replace(spec, group="who"), 0)
    with refused(DataError):
        load(replace(spec, group="who"), 0)
    load(spec, 0)  # without groups


def test_groups_that_look_alike_are_counted_and_never_divided(tmp_path: Path) -> None:
    """A division may put both into one split by chance, as these seeds show."""
    names = ["Ann", "ann ", *(f"w{i}" for i in range(18))]
    records = [(*record, i, names[i // 3]) for i, record in enumerate(rows())]
    spec = named(tmp_path / "t.csv", records, group="who")
    apart = list[str]()
    for seed in range(8):
        try:
            notes = load(spec, seed).card["notes"]
        except DataError as error:
            apart.append(str(error))
        else:
            assert any(f"2 groups (who) {LOOK_ALIKE}: read so, they are 1" in one for one in notes)
    assert 0 < len(apart) < 8
    assert all("write a group in one way" in error for error in apart)


def test_groups_that_may_be_missing_are_counted_and_not_named(three: Path) -> None:
    cells = ("NaN", "None", "", "w1")
    records = [(*record, i, cells[i % 4]) for i, record in enumerate(rows())]
    spec = replace(named(three / "t.csv", records, group="who"), split="all")
    [note] = [one for one in load(spec, 0, training=False).card["notes"] if AS_MISSING in one]
    assert note.startswith("30 texts of 2 groups (who) ")
    assert "NaN" not in note
    for name in "ac":
        named(three / f"{name}.csv", [(f"{name} {t}", lb, t, "null") for t, lb in rows()])
    with pytest.raises(DataError, match="leave the cell empty where a text has no group"):
        load(replace(files(three, train="a.csv", test="c.csv"), group="who"), 0)
    with refused(DataError):
        load(replace(files(three, train="a.csv", test="c.csv"), group="who"), 0)


def test_too_few_groups_cannot_be_divided(tmp_path: Path) -> None:
    records = [(*record, i, f"w{i // 30}") for i, record in enumerate(rows())]
    with refused(DataError):
        load(named(tmp_path / "t.csv", records, group="who"), 0)
    # Groups with both labels count under their first, and the largest are dealt first: to training,
    # which lacks most.
    mixed = [(label, f"m{i}") for i in range(3) for label in ("neg", "pos", "neg")]
    made = [
        (f"text no{i}", one[0], i, one[1])
        for i, one in enumerate([*mixed, *(("neg", f"w{i}") for i in range(40))])
    ]
    with refused(DataError):
        load(named(tmp_path / "t.csv", made, group="who"), 0)


def test_a_label_that_named_splits_leave_out_is_nobodys_mistake(three: Path) -> None:
    named(three / "a.csv", [(*record, i, i // 2) for i, record in enumerate(rows(20))])
    named(three / "c.csv", [(f"other {i}", "pos", i, "") for i in range(3)])
    data = load(replace(files(three, train="a.csv", test="c.csv"), group="who"), 0)
    assert data.card["splits"]["test"]["labels"] == {"neg": 0, "pos": 3}
    assert "groups (who) whole" in data.card["notes"][0]


GROUPED = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=60
)


@settings(max_examples=50)
@given(GROUPED)
def test_what_is_connected_is_what_cannot_be_told_apart(texts: list[tuple[str, int, int]]) -> None:
    """Against a slow walk: texts are together where a chain of copies and groups leads from one to
    the other.
    """
    copies, groups = (
        [copy for _, copy, _ in texts],
        [f"g{group}" if group else "" for _, _, group in texts],
    )
    numbers = connected(copies, groups)
    for start in range(len(texts)):
        reached = {start}
        while more := {
            j for i in reached for j in range(len(texts))
            if copies[i] == copies[j] or (groups[i] and groups[i] == groups[j])
        } - reached:  # fmt: skip
            reached |= more
        assert {i for i, number in enumerate(numbers) if number == numbers[start]} == reached


@settings(max_examples=30)
@given(st.integers(0, 3), st.lists(st.integers(1, 5), min_size=8, max_size=20), st.booleans())
def test_groups_are_never_torn(
    tmp_path_factory: pytest.TempPathFactory, seed: int, sizes: list[int], held: bool
) -> None:
    members = [f"w{number}" for number, size in enumerate(sizes) for _ in range(2 * size)]
    made = [(f"{member} no{i}", "ab"[i % 2], i, member) for i, member in enumerate(members)]
    folder = tmp_path_factory.mktemp("groups")
    spec = named(folder / "a.csv", made, group="who")
    if held:
        named(folder / "c.csv", [(f"other {i}", "ab"[i % 2], i, "") for i in range(4)])
        spec = replace(files(folder, train="a.csv", test="c.csv"), group="who")
    data = load(spec, seed)
    there = {
        (text.group, split) for split, texts in data.splits.items() for text in texts if text.group
    }
    assert len(there) == len(sizes)
    assert all(data.splits.values())
    assert sum(map(len, data.splits.values())) == len(made) + 4 * held


# ---------------------------------------------------------------- copies


def test_copies_are_kept_where_they_are_judged_by(tmp_path: Path) -> None:
    train, validation, test = cut()
    records = [
        *((*record, "train") for record in (*train, validation[0], test[0], test[0])),
        *((*record, "dev") for record in (*validation, (test[1][0].upper(), test[1][1]))),
        *((*record, "test") for record in test),
    ]
    (tmp_path / "t.csv").write_bytes(table(records, ("text", "label", "split")))
    spec = parse_data(str(tmp_path / "t.csv"))
    with refused(DataError):
        load(spec, 0)
    data = load(replace(spec, on_copies="drop"), 0)
    assert [len(split) for split in data.splits.values()] == [len(part) for part in cut()]
    assert data.card["dropped"] == {
        "in validation and in a later split": 1,
        "in train and in a later split": 3,
    }
    assert data.card["same_words_as_training"] == {"validation": 0, "test": 0}


def test_spaces_around_a_text_make_no_other_text(three: Path) -> None:
    text, label = cut()[0][0]
    (three / "c.jsonl").write_bytes(lines([{"text": f" {text}\n", "label": label}]))
    with pytest.raises(DataError, match=r"c.jsonl:1: the same text is in train at .*a.csv:2 and"):
        load(files(three, train="a.csv", test="c.jsonl"), 0)


def test_what_dropping_leaves_empty_is_an_error(three: Path) -> None:
    (three / "a.csv").write_bytes(table(cut()[2]))
    with refused(DataError):
        load(replace(files(three, train="a.csv", test="c.jsonl"), on_copies="drop"), 0)


# ---------------------------------------------------------------- a folder of texts


def write_folder(root: Path, splits: Iterable[str] = ("",)) -> Path:
    for split, part in zip(splits, cut() if "" not in splits else [rows()], strict=False):
        for i, (text, label) in enumerate(part):
            place = root / split / label / f"{i:02}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    return root


def test_a_folder_a_class_is_divided(tmp_path: Path) -> None:
    data = load(parse_data(f"folder:{write_folder(tmp_path)}"), 0)
    assert [len(split) for split in data.splits.values()] == [44, 8, 8]
    text = data.train[0]
    assert (tmp_path / text.id).read_text() == text.text
    assert data.label_names[text.label] == text.id.partition("/")[0]


def test_folders_of_splits_stand_above_those_of_classes(tmp_path: Path) -> None:
    write_folder(tmp_path, ("train", "valid", "test"))
    (tmp_path / "README").write_text("x")
    (tmp_path / "test" / "neg" / ".hidden").write_bytes(b"\xff")
    data = load(parse_data(f"folder:{tmp_path}"), 0)
    assert [len(split) for split in data.splits.values()] == [30, 15, 15]
    assert data.card["dropped"] == {"hidden file": 1, "file outside the class folders": 1}
    same_text("notes", data.card["notes"][0])
    every = load(parse_data(f"folder:{tmp_path}", split="all"), 0, training=False)
    assert len(every.test) == 60
    known = content_digest(parse_data(f"folder:{tmp_path}"))
    (tmp_path / "README").write_text("y")
    assert content_digest(parse_data(f"folder:{tmp_path}")) == known
    (tmp_path / "test" / "neg" / "00.txt").write_text("other")
    assert content_digest(parse_data(f"folder:{tmp_path}")) != known


def odd(root: Path, what: str) -> None:
    place = root / "neg" / "odd.txt"
    if what == "binary":
        place.write_bytes(b"a\n\0b")
    elif what == "latin":
        place.write_bytes("caf\xe9".encode("latin-1"))
    elif what == "large":
        with place.open("wb") as file:
            file.truncate(LINE.most + 1)
    elif what == "link out":
        place.symlink_to(root.parent)
    elif what == "link to a file outside":
        (root.parent / "outside.txt").write_text("a b")
        place.symlink_to(root.parent / "outside.txt")
    elif what == "pipe":
        os.mkfifo(place)
    elif what == "name":
        (root / os.fsdecode(b"caf\xe9")).mkdir()
        (root / os.fsdecode(b"caf\xe9/t\xe9.txt")).write_text("a b")
    elif what == "both":
        (root / "train").mkdir()
        place.rename(root / "train" / "x.txt") if place.exists() else (
            root / "train" / "x.txt"
        ).write_text("a")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (
            "binary",
            r"neg/odd.txt:2: expected a text file, got a NUL byte; take it out of the folder",
        ),
        (
            "latin",
            (
                r"neg/odd.txt:1: expected UTF-8 text, got byte 0xe9; save the file as UTF-8, or "
                r"take it out"
            ),
        ),
        (
            "large",
            r"neg/odd.txt: expected a line, or a whole document, of at most 16 MiB, got 16 MiB",
        ),
        (
            "link out",
            (
                r"neg/odd.txt: is a link to a folder, which is not followed; put the texts "
                r"themselves there"
            ),
        ),
        (
            "link to a file outside",
            r"neg/odd.txt: is a link that leads out of the folder; put the text itself there",
        ),
        ("pipe", r"neg/odd.txt: expected a file, got a pipe"),
        ("name", r"caf\\xe9/t\\xe9.txt: expected a name in UTF-8"),
        (
            "both",
            (
                r"expected folders of splits or of classes, got both: 'train' is a split and "
                r"'neg' is none"
            ),
        ),
    ],
)
def test_an_odd_file_in_a_folder_is_told(tmp_path: Path, what: str, message: str) -> None:
    odd(write_folder(tmp_path / "f"), what)
    with pytest.raises(DataError, match=message):
        load(parse_data(f"folder:{tmp_path / 'f'}"), 0)


def test_a_folder_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(DataError):
        load(parse_data(f"folder:{tmp_path / 'x'}"), 0)
    with refused(DataError):
        load(parse_data(f"folder:{tmp_path}"), 0)
    (tmp_path / "pos").mkdir()
    (tmp_path / "pos" / "a.txt").write_text("a b")
    with refused(DataError):
        load(parse_data(f"folder:{tmp_path}"), 0)
    monkeypatch.setenv(FILES.setting, "1")
    write_folder(tmp_path)
    with refused(DataError):
        load(parse_data(f"folder:{tmp_path}"), 0)


def test_what_was_read_says_how_long_it_was(tmp_path: Path) -> None:
    records = [(f"{text} more", label) for text, label in rows()] + [("word " * 100, "pos")]
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label", "split"), *((*r, "test") for r in records)])
    before = load(parse_data(str(path), max_tokens=10), 0, training=False).card["before_cutting"][
        "test"
    ]
    words = [len(text.split()) for text, _ in records]
    assert before == {
        "median": 8,
        "q95": 8,
        "max": 100,
        "cut": 1,
        "lost": pytest.approx(90 / sum(words)),
    }
    assert json.loads(json.dumps(before)) == before


def test_texts_that_are_cut_are_known_by_their_whole_length() -> None:
    texts = [f"{'word ' * 20}{number}" for number in range(6)]
    splits = [split for split in ("train", "validation", "test") for _ in range(2)]
    data = data_from(texts, ["a", "b"] * 3, splits=splits, max_tokens=10)
    assert data.card["before_cutting"]["test"] == {
        "median": 21,
        "q95": 21,
        "max": 21,
        "cut": 2,
        "lost": 11 / 21,
    }
    assert (data.card["truncated"], data.card["words_cut"]) == (6, 66)
    assert [text.cut for text in (*data.train, *data.validation, *data.test)] == [11] * 6


def test_labels_with_blanks_around_them_are_counted(tmp_path: Path) -> None:
    texts = rows()
    assert not any("blanks before or after" in note for note in card_notes(tmp_path, texts))
    spaced = [(text, f" {label}  " if i < 3 else label) for i, (text, label) in enumerate(texts)]
    (note,) = [one for one in card_notes(tmp_path, spaced) if "blanks before or after" in one]
    assert note.startswith("3 labels ")


def card_notes(folder: Path, records: list[tuple[str, str]]) -> list[str]:
    (folder / "t.csv").write_bytes(table(records))
    found = load(parse_data(f"csv:{folder / 't.csv'}"), 0)
    assert found.label_names == tuple(sorted({label.strip() for _, label in records}))
    return [*found.card["notes"]]
