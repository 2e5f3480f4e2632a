"""A table to a corpus: its records as texts, in the order of the file; nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from sightline.data.corpora.corpus import Corpus, Text
from sightline.data.sources.columns import Cells, Columns, find_columns, read_cells
from sightline.data.sources.rows import read_rows
from sightline.data.watching import is_large, told
from sightline.errors import DataError, SpecError
from sightline.sharing import Span, kept_once
from sightline.spec.values import TABLES, DataSpec
from sightline.tokeniser import tokenise

NO_WORDS, NO_QUERY, EMPTY = "no words in the text", "no words in the query", "empty row"


def read_table(spec: DataSpec, share: float = 1.0) -> Corpus:
    """Read a CSV, TSV or JSONL file, plain or gzipped; of a ``share`` below 1, so many of its rows.

    A record whose text, or whose query, has no words is left out and counted, and so is an empty row. Labels are
    numbered as they appear. Texts and queries are cut to ``max_tokens`` as they are read, so that of a long one no word
    is held that nobody will see; whoever divides them puts their labels in order.
    """
    if spec.kind not in TABLES:
        raise SpecError(f"{spec}: expected a table, got a {'planted' if spec.part else 'published'} corpus")
    columns, records, blank = _cells(spec, share)
    label_names = tuple(dict.fromkeys(record.label for record in records))
    read = _texts(spec, records, label_names)
    asked = [text for text in read if text.tokens]
    texts = tuple(text for text in asked if text.query != ())
    _check_classes(spec.path, texts, label_names)
    dropped = {NO_WORDS: len(read) - len(asked), NO_QUERY: len(asked) - len(texts), EMPTY: blank}
    return Corpus(texts, label_names, dropped=dropped, columns=asdict(columns))


def _cells(spec: DataSpec, share: float = 1.0) -> tuple[Columns, list[Cells], int]:
    """Understand every record, and count the empty rows; the rows themselves are let go before words are cut."""
    rows = read_rows(spec.path, spec.kind, share=share)
    columns = find_columns(spec, rows)
    return columns, [read_cells(rows.file, row, columns) for row in rows.records], rows.blank


def _texts(spec: DataSpec, records: Sequence[Cells], label_names: Sequence[str]) -> list[Text]:
    name = Path(spec.path).name
    numbers = {label: number for number, label in enumerate(label_names)}
    texts, large = list[Text](), is_large(spec.path)
    for record in records:
        if large:
            told(f"cutting {name} into words, texts", len(texts), len(records))
        tokens, offsets = tokenise(record.text)
        asked = None if record.query is None else tokenise(record.query)[0]
        text = Text(
            f"{name}:{record.line}",
            record.split,
            numbers[record.label],
            record.text,
            kept_once(tokens[: spec.max_tokens]),
            None,
            spec.path,
            record.line,
            None if asked is None else kept_once(asked[: spec.max_tokens]),
            marked(offsets[: spec.max_tokens], record.spans),
            lost=(_beyond(tokens, spec.max_tokens), _beyond(asked or (), spec.max_tokens)),
        )
        texts.append(text)
    return texts


def _beyond(words: Sequence[str], longest: int) -> int:
    return max(0, len(words) - longest)


def marked(offsets: Sequence[Span], spans: Sequence[Span] | None) -> tuple[bool, ...] | None:
    """Mark the words that have a character of the evidence."""
    if spans is None:
        return None
    return tuple(any(start < end and first < last for first, end in spans) for start, last in offsets)


def _check_classes(file: str, texts: Sequence[Text], label_names: Sequence[str]) -> None:
    if not texts:
        raise DataError("no text has any words; are 'text' and 'query' the right columns?", file)
    if len(labels := {text.label for text in texts}) == 1:
        only = shortened(label_names[labels.pop()])
        raise DataError(f"expected at least two labels, got only {only}; is 'label' the right column?", file)


def shortened(label: str) -> str:
    """Show a label in a message, however long it is."""
    return repr(label if len(label) <= 40 else label[:40] + "…")
