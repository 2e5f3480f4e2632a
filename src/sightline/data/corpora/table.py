"""A table to a corpus: its records as texts, in the order of the file; nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from sightline.data.corpora.corpus import Corpus, Text
from sightline.data.sources.columns import Cells, Columns, find_columns, read_cells
from sightline.data.sources.rows import read_rows
from sightline.errors import DataError, SpecError
from sightline.sharing import Span, kept_once
from sightline.spec.values import TABLES, DataSpec
from sightline.tokeniser import tokenise

NO_WORDS, NO_QUERY, EMPTY = "no words in the text", "no words in the query", "empty row"


def read_table(spec: DataSpec) -> Corpus:
    """Read a CSV, TSV or JSONL file, plain or gzipped.

    A record whose text, or whose query, has no words is left out and counted, and so is an empty row. Labels are
    numbered as they appear, and texts are whole: whoever divides them cuts them and puts their labels in order.
    """
    if spec.kind not in TABLES:
        raise SpecError(f"{spec}: expected a table, got a {'planted' if spec.part else 'published'} corpus")
    columns, records, blank = _cells(spec)
    label_names = tuple(dict.fromkeys(record.label for record in records))
    read = _texts(spec.path, records, label_names)
    asked = [text for text in read if text.tokens]
    texts = tuple(text for text in asked if text.query != ())
    _check_classes(spec.path, texts, label_names)
    dropped = {NO_WORDS: len(read) - len(asked), NO_QUERY: len(asked) - len(texts), EMPTY: blank}
    return Corpus(texts, label_names, dropped=dropped, columns=asdict(columns))


def _cells(spec: DataSpec) -> tuple[Columns, list[Cells], int]:
    """Understand every record, and count the empty rows; the rows themselves are let go before words are cut."""
    rows = read_rows(spec.path, spec.kind)
    columns = find_columns(spec, rows)
    return columns, [read_cells(rows.file, row, columns) for row in rows.records], rows.blank


def _texts(file: str, records: Sequence[Cells], label_names: Sequence[str]) -> list[Text]:
    name = Path(file).name
    numbers = {label: number for number, label in enumerate(label_names)}
    texts = []
    for record in records:
        tokens, offsets = tokenise(record.text)
        query = None if record.query is None else kept_once(tokenise(record.query)[0])
        text = Text(
            f"{name}:{record.line}",
            record.split,
            numbers[record.label],
            record.text,
            kept_once(tokens),
            None,
            file,
            record.line,
            query,
            marked(offsets, record.spans),
        )
        texts.append(text)
    return texts


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
