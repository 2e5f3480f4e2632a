"""Turn texts in memory into a `Dataset`: checked, split and described like the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from sightline._io.atomic_write import plain
from sightline.config.specs import GIVEN, DataSpec
from sightline.config.user_tables import EVERY_ROW, LABELS_SEPARATOR
from sightline.core.errors import DataError
from sightline.core.interning import kept_once
from sightline.core.tokeniser import tokenise
from sightline.core.whole_numbers import whole
from sightline.data.assembly.assemble import assemble
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.user_corpus import with_words
from sightline.data.assembly.user_splits import own_rule
from sightline.data.dataset import Dataset
from sightline.data.readers.csv_jsonl import Record
from sightline.data.readers.table_columns import Columns, RecordCells, read_records

NAMED = "splits as they were given"


def data_from(
    texts: Iterable[str],
    labels: Iterable[Any],
    *,
    splits: Iterable[str] | Literal["all"] | None = None,
    queries: Iterable[str] | None = None,
    name: str = "texts",
    seed: int = 0,
    max_tokens: int = DataSpec.max_tokens,
    min_count: int = DataSpec.min_count,
) -> Dataset:
    """Make a dataset of texts with one label each; errors name the text as ``NAME:INDEX``, from 0.

    ``splits`` gives train, validation or test for each text; without it, texts are split by the
    seed. ``"all"`` makes every text a test text, for a trained model. ``queries`` are questions or
    hypotheses, for a model that reads them. For a model with several labels, each label is a list
    of names, empty for a text without labels.
    """
    texts = texts if isinstance(texts, str) else list(texts)
    splits = ["test"] * len(texts) if isinstance(splits, str) and splits == EVERY_ROW else splits
    given = {"text": texts, "label": labels, "split": splits, "query": queries}
    columns = {
        column: _listed(column, values) for column, values in given.items() if values is not None
    }
    spec = DataSpec(
        GIVEN,
        name,
        max_tokens=whole(max_tokens, "max_tokens", 1),
        min_count=whole(min_count, "min_count", 1),
        query="" if queries is None else "query",
        labels_sep=LABELS_SEPARATOR if any(map(_is_set, columns["label"])) else "",
    )
    corpus = _corpus(name, _cells(name, columns, spec.labels_sep), columns)
    training = any(text.split != "test" for text in corpus.texts)
    return assemble(name, corpus, spec, own_rule(spec, training), seed)


def _listed(column: str, values: Iterable[Any]) -> list[Any]:
    """Give the values of a column, with numpy values as Python's own."""
    if isinstance(values, str):
        raise DataError(
            f"expected a list with a {column} for each text, got one text: {values[:40]!r}; "
            "put it in a list"
        )
    found: list[Any] = plain(list(values))
    return found


def _is_set(label: Any) -> bool:
    """Tell whether a label is a collection of several labels."""
    return isinstance(label, list | tuple | set | frozenset)


def _cells(name: str, columns: dict[str, list[Any]], labels_sep: str) -> list[RecordCells]:
    """Combine the columns, which must have one length, and check every row like a row of a table."""
    n = len(columns["text"])
    if odd := next((column for column, values in columns.items() if len(values) != n), None):
        raise DataError(f"expected a {odd} for each of {n} texts, got {len(columns[odd])}", name)
    there: dict[str, Any] = {
        each: each if each in columns else None for each in ("split", "rationale", "query")
    }
    named = Columns("text", "label", **there, labels_sep=labels_sep)
    rows = [
        Record(place, dict(zip(columns, values, strict=True)))
        for place, values in enumerate(zip(*columns.values(), strict=True))
    ]
    return read_records(name, rows, named)


def _corpus(name: str, cells: Sequence[RecordCells], columns: Iterable[str]) -> Corpus:
    """Tokenise the texts; texts without words are left out and counted."""
    label_names = tuple(dict.fromkeys(one.label for one in cells))
    numbers = {label: number for number, label in enumerate(label_names)}
    found = [_text(name, one, numbers[one.label]) for one in cells]
    texts, dropped = with_words(found)
    if not texts:
        raise DataError(f"expected texts with words in them, got {len(found) or 'none'}", name)
    return Corpus(
        texts,
        label_names,
        dropped=dropped,
        columns={column: column for column in columns},
        splits_by=NAMED,
    )


def _text(name: str, cells: RecordCells, label: int) -> Text:
    query = None if cells.query is None else kept_once(tokenise(cells.query)[0])
    words = (cells.text, kept_once(tokenise(cells.text)[0]), None)
    named = f"{name}:{cells.line}"
    about = (name, cells.line, query)
    return Text(named, cells.split, label, *words, *about, query_text=cells.query)
