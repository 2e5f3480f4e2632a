"""What every source of texts promises: words where their offsets say, ids and numbers of their own,
the same again.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow.parquet import write_table

from sightline.config.registry import names_of
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import OFFICIAL, DataSpec
from sightline.core.example import Example
from sightline.data.corpora.corpus_registry import FORMATS
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from tests.data.corpora import CORPORA, folder_of, forget
from tests.studies import small

ROWS = [
    (f"the film number {i} was {('good', 'bad')[i % 2]} .", ("yes", "no")[i % 2]) for i in range(60)
]


def delimited(file: Path, delimiter: str) -> None:
    rows = [("text", "label"), *ROWS]
    file.write_text("".join(f"{text}{delimiter}{label}\n" for text, label in rows), "utf-8")


def json_lines(file: Path) -> None:
    rows = (json.dumps({"text": text, "label": label}) for text, label in ROWS)
    file.write_text("\n".join(rows), "utf-8")


def parquet(file: Path) -> None:
    texts, labels = zip(*ROWS, strict=True)
    write_table(pyarrow.table({"text": texts, "label": labels}), file)


TABLES: dict[str, Callable[[Path], None]] = {
    "csv": lambda file: delimited(file, ","),
    "tsv": lambda file: delimited(file, "\t"),
    "jsonl": json_lines,
    "parquet": parquet,
}
RECIPES = [
    (kind, recipe)
    for kind in OFFICIAL
    for recipe in ("clean", *(["paper"] if FORMATS[kind].recipes else []))
]
RECIPES.remove(("mimic", "paper"))  # it needs lists of admissions: tests/data/test_mimic.py


def complaints(data: Dataset) -> list[str]:
    """Say what is wrong with the texts of a dataset."""
    texts = [text for split in data.splits.values() for text in split]
    message = [] if texts else ["there is no text"]
    message += [] if len({text.id for text in texts}) == len(texts) else ["two texts have one id"]
    message += (
        [] if len({text.index for text in texts}) == len(texts) else ["two texts have one number"]
    )
    message += [] if all(data.splits.values()) else ["a split is empty"]
    return message + [wrong for text in texts for wrong in _of_text(text, data)]


def _of_text(text: Example, data: Dataset) -> list[str]:
    lines, offsets = [], text.offsets
    if not text.tokens:
        lines.append(f"{text.id}: no words")
    if len(offsets) != len(text.tokens):
        lines.append(f"{text.id}: {len(offsets)} offsets for {len(text.tokens)} words")
    if any(not 0 <= start < end <= len(text.text) for start, end in offsets):
        lines.append(f"{text.id}: a word stands outside of its text")
    if any(after[0] < before[1] for before, after in pairwise(offsets)):
        lines.append(f"{text.id}: words overlap, or are not in order")
    if not 0 <= text.label < len(data.label_names):
        lines.append(f"{text.id}: a label without a name")
    if text.rationale is not None and len(text.rationale) != len(text.tokens):
        lines.append(f"{text.id}: marks for other words")
    return lines


def contents(data: Dataset) -> list[Any]:
    return [
        (name, *[getattr(text, field) for field in Example.__slots__])
        for name, split in data.splits.items()
        for text in split
    ]


def keeps_its_word(spec: DataSpec) -> None:
    data = load(spec, 0)
    assert complaints(data) == []
    forget()
    assert contents(load(spec, 0)) == contents(data)
    forget()
    known = {text.text for split in load(spec, 1).splits.values() for text in split}
    if spec.kind != "planted":  # whose texts are drawn from the seed
        few = [
            text.text for split in data.splits.values() for text in split if text.text not in known
        ]
        assert len(few) <= 0.5 * sum(
            map(len, data.splits.values())
        )  # a paper's recipe may leave other texts out


@pytest.mark.parametrize(("kind", "recipe"), RECIPES)
def test_a_published_corpus_keeps_its_word(kind: str, recipe: str, tmp_path: Path) -> None:
    if (kind, recipe) == ("sst", "paper"):  # leaves nothing of a handful of short texts
        small.sst(tmp_path)
    else:
        folder_of(
            tmp_path / kind, {f"top/{name}": content for name, content in CORPORA[kind].items()}
        )
    keeps_its_word(replace(parse_data(f"{kind}:{tmp_path / kind}"), recipe=recipe))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", names_of("table"))
def test_a_table_keeps_its_word(kind: str, tmp_path: Path) -> None:
    assert kind in TABLES, f"write a file of the format {kind} in TABLES, so that it is read here"
    TABLES[kind](file := tmp_path / f"texts.{kind}")
    keeps_its_word(parse_data(str(file)))


@pytest.mark.parametrize("name", names_of("planted"))
def test_a_planted_corpus_keeps_its_word(name: str) -> None:
    keeps_its_word(parse_data(f"planted:{name}(n=120)"))


def example(**changes: Any) -> Example:
    usual = {
        "id": "a",
        "index": 0,
        "text": "one two",
        "tokens": ("one", "two"),
        "places": ((0, 3), (4, 7)),
        "label": 0,
    }
    return Example(**{**usual, **changes})


WRONG = {
    "no words": [example(tokens=(), places=())],
    "outside": [example(places=((0, 3), (4, 9)))],
    "overlap": [example(places=((0, 5), (4, 7)))],
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_texts_are_complained_of(message: str) -> None:
    right = replace_train([example()])
    assert [one for one in complaints(right) if "split" not in one] == []
    assert any(message in one for one in complaints(replace_train(WRONG[message])))


def replace_train(texts: list[Example]) -> Dataset:
    return Dataset("made", tuple(texts), (), (), ("x", "y"), {})
