"""Classes that look like several labels of a text are named; names with the same signs are not."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sightline
from sightline.core.errors import DataError
from sightline.data.assembly.joined_labels import LOOK_JOINED, joined_labels
from sightline.report.data_notes import worth_noting


def drawn(separator: str, codes: int = 6, texts: int = 300) -> dict[str, int]:
    """Count cells with one to four codes each, as a table of several labels has them."""
    draw = np.random.default_rng(0)
    rows = (draw.choice(codes, draw.integers(1, 5), replace=False) for _ in range(texts))
    return Counter(separator.join(f"c{code}" for code in row) for row in rows)


@pytest.mark.parametrize("separator", [";", "|", ",", "; "])
def test_sets_of_codes_are_found_and_counted(separator: str) -> None:
    counts = drawn(separator)
    found = joined_labels(counts)
    assert found is not None
    assert found.separator == separator.strip()
    assert (found.classes, found.parts, found.of) == (len(counts), 6, 300)
    assert found.texts == sum(n for name, n in counts.items() if separator.strip() in name)


def test_codes_that_are_numbers_are_found_too() -> None:
    assert joined_labels({"428": 9, "584": 9, "428,584": 9, "428,584,599": 9, "584,599": 9})


@pytest.mark.parametrize(
    "names",
    [
        ["negative", "positive"],
        ["Oslo, Norway", "Bergen, Norway", "Lyon, France", "Paris, France", "elsewhere"],
        ["yes, surely", "no, surely", "yes, maybe", "no, maybe"],
        ["news", "news|world", "news|world|asia", "sport", "sport|golf"],
        ["0", "0,5", "1", "1,5", "2", "2,5", "3", "3,5"],
        ["1,000", "10,000", "1", "10", "000", "0"],
        ["a;", "b;", "c"],
        ["good; but long", "bad; but short", "so so"],
    ],
)
def test_other_names_with_such_signs_are_not_found(names: list[str]) -> None:
    assert joined_labels(dict.fromkeys(names, 10)) is None


def notes(
    folder: Path, counts: dict[str, int], header: str = "text,label", **more: str
) -> list[str]:
    """Read a table with so many texts of each label, and give what is worth noting of it."""
    file = folder / "t.csv"
    labels = [label for label, n in counts.items() for _ in range(n)]
    rows = [f'words {n} of a note,"{label}",where' for n, label in enumerate(labels)]
    file.write_text("\n".join([f"{header},question", *rows]), encoding="utf-8")
    found = worth_noting(sightline.load(str(file), **more).card)
    return [note for note in found if LOOK_JOINED in note]


FEW = {"a": 9, "b": 9, "a;b": 9, "b;c": 9, "c": 9}


def test_a_table_says_so_and_names_the_flag(tmp_path: Path) -> None:
    [note] = notes(tmp_path, FEW)
    assert "--labels-sep ';'" in note
    assert "+labelwise" in note
    assert "the 5 classes" in note
    assert "3 parts, and 18 of 45 texts" in note
    assert notes(tmp_path, FEW, labels_sep=";") == []
    assert notes(tmp_path, {"a": 9, "b": 9}) == []
    assert notes(tmp_path, FEW, query="question") == []


def test_texts_of_a_list_say_so_too() -> None:
    labels = [label for label, n in FEW.items() for _ in range(n)]
    data = sightline.data_from([f"note {n}" for n in range(len(labels))], labels)
    assert sum(LOOK_JOINED in note for note in data.card["notes"]) == 1


def test_sets_too_rare_to_be_divided_name_the_flag_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="labels_sep=;"):
        notes(tmp_path, {**FEW, "a;b;c": 1})
    with pytest.raises(DataError) as caught:
        notes(tmp_path, {"a": 9, "b": 9, "c": 1})
    assert "labels_sep" not in str(caught.value)


STORED = Path(__file__).resolve().parents[2] / "docs" / "verified" / "data.json"
COUNTED = json.loads(STORED.read_text(encoding="utf-8"))["corpora"]


@pytest.mark.parametrize("name", [name for name in COUNTED if not name.startswith("babi")])
def test_the_labels_of_published_corpora_are_not_found(name: str) -> None:
    for card in COUNTED[name].values():
        each = (Counter(split["labels"]) for split in card["splits"].values())
        counts = sum(each, Counter[str]())
        assert len(counts) > 1
        assert joined_labels(counts) is None
