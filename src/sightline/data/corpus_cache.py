"""Cache parsed corpora on disk, so that the second reading is fast: one npz file for each corpus.

The file name is a hash of the source bytes, the recipe, the options and `MEANING`. Words are stored
once and texts as their indices; offsets likewise. A file is written aside and renamed, so two
processes may write the same one. Zip checksums detect damage, and a damaged file is written again.
The folder is ``SIGHTLINE_CACHE`` (empty: no cache), or ``sightline`` in ``XDG_CACHE_HOME``, or
``~/.cache/sightline``; it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, pairwise, repeat
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from sightline._io.atomic_write import write_whole
from sightline._io.safe_open import joint_digest
from sightline.config.specs import OFFICIAL, DataSpec
from sightline.core.errors import SightlineError, StoreError
from sightline.data.assembly.corpus import WHOLE, Corpus, Text, copy_number, count_cut_words
from sightline.data.corpora.corpus_registry import FORMATS, source_digest
from sightline.data.readers.csv_jsonl import table_digest
from sightline.data.readers.hf_datasets import saved_digest
from sightline.data.readers.text_folder import folder_digest

MEANING = 3
"""Raised by hand when a reader or the tokeniser gives other texts for the same bytes, or more of
them is stored."""
Arrays = dict[str, np.ndarray]
_DIGESTS = {"folder": folder_digest, "hf": saved_digest}
Value = TypeVar("Value", bound=Hashable)


def content_digest(spec: DataSpec) -> str:
    """Give the SHA-256 that identifies texts in the cache and in run keys; a planted corpus needs
    none.
    """
    if spec.kind == "planted":
        return ""
    if spec.files is not None:
        tables = spec.files.tables.items()
        return joint_digest((split, table_digest(table.path)) for split, table in tables)
    return (
        source_digest(spec)
        if spec.kind in OFFICIAL
        else _DIGESTS.get(spec.kind, table_digest)(spec.path)
    )


def read_corpus(spec: DataSpec, digest: str, longest: int | None = None) -> Corpus:
    """Read a published corpus, from the cache if possible; ``digest`` identifies its files.

    Words beyond the ``longest`` length may be left out; they count as lost (`Text.lost`).
    """
    options = spec.options()
    file = _place(spec, digest, options)
    if file is not None and (kept := read_kept(file, spec.path, longest)) is not None:
        return kept
    corpus = FORMATS[spec.kind].read(spec.path, options, spec.recipe)
    corpus = replace(corpus, copies=tuple(map(copy_number, corpus.texts)))
    if file is not None:
        # A full disk or a read-only folder costs time, but does not fail.
        with suppress(OSError, StoreError):
            write_whole(file, lambda aside: keep(corpus, aside, spec.path))
    return corpus


def _place(spec: DataSpec, digest: str, options: dict[str, Any]) -> Path | None:
    folder = cache_folder() if FORMATS[spec.kind].kept else None
    about = [MEANING, spec.kind, spec.recipe, sorted(options.items()), digest, sys.version_info[:2]]
    name = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]
    return None if folder is None else folder / "corpora" / f"{spec.kind}-{name}.npz"


def cache_folder() -> Path | None:
    """Give the cache folder; None if caching is off."""
    named = os.environ.get("SIGHTLINE_CACHE")
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or ""
    if Path(base).is_absolute():  # the XDG standard says to ignore relative paths
        return Path(base) / "sightline"
    return Path("~").expanduser() / ".cache" / "sightline"


def keep(corpus: Corpus, file: Path, path: str) -> None:
    """Write a corpus; its file names are stored relative to ``path``, which may differ on reading."""
    texts = corpus.texts
    assert all(text.answers is None for text in texts)  # only uncached corpora have answers
    about = {
        "label_names": corpus.label_names,
        "found": dict(corpus.found),
        "published": dict(corpus.published),
        "dropped": dict(corpus.dropped),
        "notes": corpus.notes,
    }
    arrays: Arrays = {"about": _bytes(json.dumps(about))}
    arrays |= _strings("text", (text.text for text in texts)) | _strings(
        "name", (text.name for text in texts)
    )
    arrays |= _strings("file", (text.file.removeprefix(path) for text in texts))
    arrays |= _strings("split", (text.split for text in texts)) | _strings(
        "group", (text.group for text in texts)
    )
    arrays |= _shared_words("tokens", [text.tokens for text in texts])
    arrays |= _shared_words("query", [text.query or () for text in texts])
    arrays |= _strings("query_text", (text.query_text or "" for text in texts))
    spans, arrays["span_numbers"] = _numbered(span for text in texts for span in text.places or ())
    arrays["spans"] = np.array(spans, dtype=np.int32).reshape(-1, 2)
    arrays |= {
        "copies": np.array(corpus.copies, dtype=np.uint64),
        "label": np.array([text.label for text in texts], dtype=np.int32),
        "line": np.array([text.line for text in texts], dtype=np.int64),
        "asked": np.array([text.query is not None for text in texts], dtype=bool),
        "explained": np.array([text.rationale is not None for text in texts], dtype=bool),
        "rationale": np.array(
            [mark for text in texts for mark in text.rationale or ()], dtype=bool
        ),
    }
    with file.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_kept(file: Path, path: str, longest: int | None = None) -> Corpus | None:
    """Read a corpus that `keep` wrote; None if it is missing or damaged.

    Each array is read only when it is needed: together they take as much memory as the texts.
    """
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            return _corpus(stored, path, longest)
    except SightlineError:
        raise
    # Whatever error the damage causes, the remedy is to parse the corpus again.
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        EOFError,
        NotImplementedError,
        BadZipFile,
        zlib.error,
    ):
        return None


def _corpus(arrays: Mapping[str, np.ndarray], path: str, longest: int | None) -> Corpus:
    about = json.loads(arrays["about"].tobytes())
    spans = [(start, end) for start, end in arrays["spans"].tolist()]
    asked, explained = arrays["asked"].tolist(), arrays["explained"].tolist()
    lengths, asked_lengths = (arrays[f"{name}_lengths"].tolist() for name in ("tokens", "query"))
    marks = iter(
        _cut(
            arrays["rationale"].tolist(),
            [n for n, known in zip(lengths, explained, strict=True) if known],
        )
    )
    columns = zip(
        _read_strings("name", arrays),
        map(sys.intern, _read_strings("split", arrays)),
        arrays["label"].tolist(),
        _read_strings("text", arrays),
        _read_words("tokens", arrays, longest),
        _rows(spans, arrays["span_numbers"], lengths, longest),
        [sys.intern(path + rest) for rest in _read_strings("file", arrays)],
        arrays["line"].tolist(),
        [
            words if known else None
            for words, known in zip(_read_words("query", arrays, longest), asked, strict=True)
        ],
        [tuple(next(marks)[:longest]) if known else None for known in explained],
        map(sys.intern, _read_strings("group", arrays)),
        [
            WHOLE if longest is None else count_cut_words(*both, longest)
            for both in zip(lengths, asked_lengths, strict=True)
        ],
        repeat(None, len(lengths)),  # only uncached corpora have answers
        (written or None for written in _read_strings("query_text", arrays)),
        strict=True,
    )
    texts = tuple(Text(*column) for column in columns)
    about |= {"label_names": tuple(about["label_names"]), "notes": tuple(about["notes"])}
    return Corpus(texts, **about, copies=tuple(arrays["copies"].tolist()))


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _strings(name: str, values: Iterable[str]) -> Arrays:
    encoded = [value.encode() for value in values]
    lengths = np.array([len(one) for one in encoded], dtype=np.int64)
    return {
        f"{name}_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        f"{name}_lengths": lengths,
    }


def _read_strings(name: str, arrays: Mapping[str, np.ndarray]) -> list[str]:
    data = arrays[f"{name}_bytes"].tobytes()
    return [one.decode() for one in _cut(data, arrays[f"{name}_lengths"].tolist())]


def _shared_words(name: str, rows: Sequence[Sequence[str]]) -> Arrays:
    words, flat = _numbered(word for row in rows for word in row)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    return _strings(f"{name}_words", words) | {f"{name}_numbers": flat, f"{name}_lengths": lengths}


def _read_words(
    name: str, arrays: Mapping[str, np.ndarray], longest: int | None
) -> list[tuple[str, ...]]:
    words = list(map(sys.intern, _read_strings(f"{name}_words", arrays)))
    return _rows(words, arrays[f"{name}_numbers"], arrays[f"{name}_lengths"].tolist(), longest)


def _cut(flat: Any, lengths: Sequence[int]) -> list[Any]:
    """Split a flat sequence into rows of given lengths; lengths that do not fit mean damage."""
    ends = [0, *accumulate(lengths)]
    if ends[-1] != len(flat):
        raise ValueError(f"expected {ends[-1]} values, got {len(flat)}")
    return [flat[start:end] for start, end in pairwise(ends)]


def _numbered(values: Iterable[Value]) -> tuple[list[Value], np.ndarray]:
    """Give the distinct values in order of appearance, and the index of each value."""
    numbers: dict[Value, int] = {}
    flat = np.fromiter(
        (numbers.setdefault(value, len(numbers)) for value in values), dtype=np.int32
    )
    return list(numbers), flat


def _rows(
    values: Sequence[object], numbers: np.ndarray, lengths: Sequence[int], longest: int | None
) -> list[Any]:
    """Undo `_numbered` row by row, so that no list holds all ten million words of a corpus."""
    known = np.fromiter(values, dtype=object, count=len(values))
    return [tuple(known[row[:longest]].tolist()) for row in _cut(numbers, lengths)]
