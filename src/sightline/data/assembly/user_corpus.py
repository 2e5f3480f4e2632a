"""Read the user's own texts into a corpus: tables or a folder, in file order. Everything dropped is
counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.config.specs import OWN, DataSpec
from sightline.core.error_excerpts import show
from sightline.core.errors import DataError, SpecError, setting
from sightline.core.interning import Span, kept_once
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.corpus import Corpus, Text, count_cut_words
from sightline.data.assembly.data_warnings import ONE_LABEL
from sightline.data.assembly.split_tables import Sheet, sheets_of
from sightline.data.read_progress import is_large, report_progress
from sightline.data.readers.csv_jsonl import Records
from sightline.data.readers.table_columns import (
    Columns,
    RecordCells,
    as_one_label,
    find_columns,
    holds_one_label,
    read_group,
    read_ids,
    read_records,
)
from sightline.data.readers.text_folder import Document, find_documents, read_document

NO_WORDS, NO_QUERY, EMPTY = "no words in the text", "no words in the query", "empty row"
_TRAINED = "or name a model that is trained already: this one learns from training texts first"


def read_table(spec: DataSpec, share: float = 1.0, *, training: bool = True) -> Corpus:
    """Read a table (plain or compressed), one table for each split, or a folder of texts; ``share``
    limits the rows.

    A record whose text or query has no words is left out and counted, and so is an empty row.
    Labels are numbered in order of appearance; the split rule sorts them later. Texts and queries
    are cut to ``max_tokens`` while reading, to save memory. If no ``training`` texts are needed,
    one label is enough.
    """
    if spec.kind not in OWN:
        raise SpecError(
            f"{spec}: expected a table, got a {'planted' if spec.part else 'published'} corpus"
        )
    if training and spec.files is not None and spec.files.train is None:
        raise SpecError(f"no file of training texts; name one, {_TRAINED}", field="train")
    if spec.kind == "folder":
        return _corpus(spec, _from_folder(spec), training)
    return _corpus(spec, _from_tables(spec, *sheets_of(spec, share)), training)


def read_in_memory(spec: DataSpec, rows: Records, *, training: bool = True) -> Corpus:
    """Read rows in memory like the rows of a table."""
    return _corpus(spec, _from_tables(spec, [Sheet("", lambda: rows)]), training)


def _corpus(spec: DataSpec, found: _Found, training: bool) -> Corpus:
    """Drop texts without words, and check that there are enough splits and classes."""
    texts, dropped = with_words(found.texts)
    if training and spec.every_row and all(text.split == "test" for text in texts):
        raise SpecError(
            f"'all' makes every row a test text; leave it out, {_TRAINED}", field="split"
        )
    _check_classes(spec, texts, found.label_names, training)
    return Corpus(
        texts,
        found.label_names,
        dropped={**dropped, **found.left},
        notes=found.notes,
        columns=found.columns,
        splits_by=_splits_by(spec, texts),
    )


def with_words(texts: Sequence[Text]) -> tuple[tuple[Text, ...], dict[str, int]]:
    """Drop texts without words, or with an empty query, and count them by reason."""
    asked = [text for text in texts if text.tokens]
    kept = tuple(text for text in asked if text.query != ())
    return kept, {NO_WORDS: len(texts) - len(asked), NO_QUERY: len(asked) - len(kept)}


@dataclass(frozen=True)
class _Found:
    """All texts, the number of dropped records by reason, and notes on anything else left out."""

    texts: Sequence[Text]
    label_names: tuple[str, ...]
    columns: Mapping[str, str | None]
    left: Mapping[str, int]
    notes: tuple[str, ...] = ()


def _splits_by(spec: DataSpec, texts: Sequence[Text]) -> str:
    """Describe what names the splits, if anything does."""
    if spec.every_row and all(text.split == "test" for text in texts):
        return "every row is a test text (split: all)"
    what = {
        "files": "the files are given",
        "folder": "the folders name them",
        "hf": "the saved dataset names them",
    }
    return f"splits as {what.get(spec.kind, 'the split column names them')}"


# ---------------------------------------------------------------- tables


@dataclass(frozen=True)
class _Read:
    """One parsed table; ``ids`` and ``groups`` are empty unless requested."""

    file: str
    columns: Columns
    cells: Sequence[RecordCells]
    ids: Sequence[str]
    groups: Sequence[str]
    split: str
    """The split of all its records; empty if a column names the splits, or nothing does."""
    blank: int
    one_label: bool
    """Whether its column of labels says 0 or 1 in every row."""


def _from_tables(spec: DataSpec, sheets: Sequence[Sheet], notes: tuple[str, ...] = ()) -> _Found:
    read = [_read(spec, sheet) for sheet in sheets]
    shared = _share_ids(read)
    written = dict.fromkeys(record.label for one in read for record in one.cells)
    # All tables together: one of them may lack the other labels by chance.
    if all(one.one_label for one in read):
        notes = (*notes, f"the column {spec.label!r} {ONE_LABEL}")
        read_as = {label: as_one_label(label, spec.label) for label in written}
    else:
        read_as = {label: label for label in written}
    label_names = tuple(dict.fromkeys(read_as.values()))
    named_by = {name: number for number, name in enumerate(label_names)}
    numbers = {label: named_by[name] for label, name in read_as.items()}
    before = [f"{sheet.split}/" if shared else "" for sheet in sheets]
    named, longest = zip(_names(sheets, read), before, read, strict=True), spec.max_tokens
    texts = [
        text for name, split, one in named for text in _texts(one, name, split, numbers, longest)
    ]
    first, *others = (one.columns.description() for one in read)
    columns = {name: next((c[name] for c in (first, *others) if c[name]), None) for name in first}
    if shared:
        notes = (*notes, "files have ids in common: a text is named SPLIT/ID")
    if trimmed := sum(record.trimmed for one in read for record in one.cells):
        some = "1 label" if trimmed == 1 else f"{trimmed:,} labels"
        notes = (*notes, f"{some} had blanks before or after, which were left out")
    return _Found(texts, label_names, columns, {EMPTY: sum(one.blank for one in read)}, notes)


def _read(spec: DataSpec, sheet: Sheet) -> _Read:
    """Parse every record of a table; the raw rows are freed before tokenising."""
    rows = sheet.read()
    columns = find_columns(spec, rows, sheet.split)
    cells = read_records(rows.file, rows.records, columns)
    ids = read_ids(rows.file, rows.records, columns.id) if columns.id else []
    groups = (
        [read_group(rows.file, row, columns.group) for row in rows.records] if columns.group else []
    )
    split = "test" if spec.every_row and not columns.split else sheet.split
    one_label = holds_one_label(rows.records, columns)
    return _Read(rows.file, columns, cells, ids, groups, split, rows.blank, one_label)


def _share_ids(read: Sequence[_Read]) -> bool:
    """Tell whether two tables have an id in common."""
    return len(read) > 1 and len(set[str]().union(*(one.ids for one in read))) < sum(
        len(one.ids) for one in read
    )


def _names(sheets: Sequence[Sheet], read: Sequence[_Read]) -> list[str]:
    """Name each table, as the prefix of text ids: by its file, plus its split if two files have the
    same name.
    """
    files = [Path(one.file).name for one in read]
    return (
        files
        if len(set(files)) == len(files)
        else [f"{s.split}/{f}" for s, f in zip(sheets, files, strict=True)]
    )


def _texts(
    read: _Read, table: str, before: str, numbers: Mapping[str, int], longest: int
) -> Iterator[Text]:
    """Tokenise the texts of a table; ``before`` is the prefix of its own ids."""
    large = is_large(read.file)
    for number, record in enumerate(read.cells):
        if large:
            report_progress(f"cutting {table} into words, texts", number, len(read.cells))
        tokens, offsets = tokenise(record.text)
        asked = None if record.query is None else tokenise(record.query)[0]
        yield Text(
            f"{before}{read.ids[number]}" if read.ids else f"{table}:{record.line}",
            record.split or read.split,
            numbers[record.label],
            record.text,
            kept_once(tokens[:longest]),
            None,
            read.file,
            record.line,
            None if asked is None else kept_once(asked[:longest]),
            marked(offsets[:longest], record.spans),
            read.groups[number] if read.groups else "",
            count_cut_words(len(tokens), len(asked or ()), longest),
            query_text=record.query,
        )


def marked(offsets: Sequence[Span], spans: Sequence[Span] | None) -> tuple[bool, ...] | None:
    """Mark the words that overlap the rationale's character spans."""
    if spans is None:
        return None
    return tuple(
        any(start < end and first < last for first, end in spans) for start, last in offsets
    )


# ---------------------------------------------------------------- a folder


def _from_folder(spec: DataSpec) -> _Found:
    documents, left = find_documents(spec.path)
    label_names = tuple(dict.fromkeys(document.label for document in documents))
    numbers = {label: number for number, label in enumerate(label_names)}
    split = "test" if spec.every_row else ""
    texts = [_document(one, numbers, split or one.split, spec.max_tokens) for one in documents]
    return _Found(texts, label_names, {"text": "the file", "label": "the folder"}, left)


def _document(document: Document, numbers: Mapping[str, int], split: str, longest: int) -> Text:
    text = read_document(document)
    tokens = tokenise(text)[0]
    words, beyond = kept_once(tokens[:longest]), count_cut_words(len(tokens), 0, longest)
    return Text(
        document.name,
        split,
        numbers[document.label],
        text,
        words,
        None,
        document.file,
        1,
        lost=beyond,
    )


# ---------------------------------------------------------------- what both must have


def _check_classes(
    spec: DataSpec, texts: Sequence[Text], label_names: Sequence[str], training: bool
) -> None:
    folder = spec.kind == "folder"
    if not texts:
        asked = (
            "is it the right folder?"
            if folder
            else f"do {setting('text')} and {setting('query')} name the right columns?"
        )
        raise DataError(f"no text has any words; {asked}", spec.places[0])
    if training and len(labels := {text.label for text in texts}) == 1:
        only = show(label_names[labels.pop()])
        asked = (
            "is it the folder above those of the classes?"
            if folder
            else f"does {setting('label')} name the right column?"
        )
        raise DataError(f"expected at least two labels, got only {only}; {asked}", spec.places[0])
