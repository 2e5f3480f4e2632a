"""Read word vectors from GloVe or fastText text files, ``word v1 … vd`` on each line, as a stream.

fastText has ``count dimension`` on the first line. Only the rows of wanted words are kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from gzip import GzipFile
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sightline._io.atomic_write import write_whole
from sightline._io.limits import WIDTH
from sightline._io.safe_open import naming_what_needs_memory
from sightline.config.specs import ModelSpec
from sightline.core.errors import DataError
from sightline.data.readers.archives import File, digest, open_files

MANY = 0.05
"""The share of tokens without a vector above which a note warns: 3 % on SST cost nothing, 31 % on
20 Newsgroups half of F1."""
_HEADER = re.compile(r"\d+ \d+")


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors, one row each, in file order."""

    words: tuple[str, ...]
    rows: np.ndarray


def read_dimension(path: str | Path) -> int:
    """Give the length of a file's vectors from the first one, because a header may be wrong."""
    for file in _files(path):
        promised = 0
        for number, line in file.lines():
            if number == 1 and _HEADER.fullmatch(line.strip()):
                promised = int(line.split()[1][:18])
                continue
            width = (
                _as_promised(file, number, line, promised)
                if promised
                else _width(file, number, line)
            )
            if width > WIDTH.most:
                raise DataError(WIDTH.passed(width), file.shown, number)
            return width
    raise DataError(
        "expected word vectors, a word and its numbers on each line, got an empty file", path
    )


def _as_promised(file: File, number: int, line: str, promised: int) -> int:
    if (found := line.rstrip(" ").count(" ")) < promised:
        message = f"expected a word and {promised:,} numbers, as the first line says, got {found:,}"
        raise DataError(message, file.shown, number)
    return promised


def read_vectors(path: str | Path, wanted: Iterable[str]) -> WordVectors:
    """Read the vectors of the wanted words; a word that comes twice keeps its first vector."""
    with naming_what_needs_memory(path):
        return _read(path, set(wanted))


def _read(path: str | Path, missing: set[str]) -> WordVectors:
    words, rows = list[str](), list[np.ndarray]()
    dimension = read_dimension(path)
    for file, number, line in _lines(path):
        if line.count(" ") < dimension:
            raise _uneven(file, number, dimension, line)
        word, *values = line.rsplit(" ", dimension)
        # A word may contain blanks (GloVe has ". . ."), but not end in a number, which would be an
        # extra column.
        if _is_number(word.rpartition(" ")[2]) and " " in word:
            raise _uneven(file, number, dimension, line)
        if word in missing:
            missing.remove(word)
            words.append(word)
            rows.append(_row(file, number, values))
    return WordVectors(tuple(words), np.array(rows, dtype=np.float32).reshape(-1, dimension))


def with_vectors(model: ModelSpec, path: str | Path) -> ModelSpec:
    """Initialise embeddings from a file: record its digest, and set the embedding size to its
    vectors.
    """
    dimension = read_dimension(path)  # first, so that an invalid file is not read whole
    return replace(
        model, vectors=str(path), vectors_digest=vectors_digest(path), embedding=dimension
    )


def vectors_digest(path: str | Path) -> str:
    """Give the SHA-256 of a file of vectors; a large file is hashed once until it changes."""
    _files(path)
    about = Path(path).stat()
    return _digest(str(path), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _digest(path: str, touched: int, size: int) -> str:
    return digest(path, lambda name: True)


def write_vectors(path: str | Path, words: Sequence[str], rows: np.ndarray) -> Path:
    """Write vectors in GloVe's format, whole or not at all; gzipped if the name ends in ``.gz``."""
    packed = Path(path).suffix.lower() == ".gz"

    def write(aside: Path) -> None:
        with aside.open("wb") as raw, _packing(raw) if packed else nullcontext(raw) as file:
            for word, row in zip(words, rows, strict=True):
                file.write(f"{word} {' '.join(f'{value:.6f}' for value in row)}\n".encode())

    return write_whole(path, write)


def _files(path: str | Path) -> Iterator[File]:
    if Path(path).is_dir():
        raise DataError(
            "expected a file of word vectors, got a folder; name the file inside it", path
        )
    if not Path(path).exists():
        raise DataError(
            "expected a file of word vectors; there is no such file, check the path", path
        )
    return open_files(path, lambda name: True)  # of any size: only the wanted rows are kept


def _lines(path: str | Path) -> Iterator[tuple[File, int, str]]:
    for file in _files(path):
        for number, line in file.lines():
            line = line.rstrip(" ")
            if line and not (number == 1 and _HEADER.fullmatch(line)):
                yield file, number, line


def _width(file: File, number: int, line: str) -> int:
    width = len(line.split()) - 1
    if width < 1 or not _is_number(line.split()[-1]):
        raise DataError(f"expected a word and its numbers, got {line[:40]!r}", file.shown, number)
    return width


def _uneven(file: File, number: int, dimension: int, line: str) -> DataError:
    found = len(line.split()) - 1
    return DataError(
        f"expected a word and {dimension} numbers as on the first line, got {found}",
        file.shown,
        number,
    )


def _row(file: File, number: int, values: Sequence[str]) -> np.ndarray:
    try:
        row = np.array([float(value) for value in values], dtype=np.float32)
    except ValueError as error:
        raise DataError(f"expected a word and its numbers: {error}", file.shown, number) from None
    if not np.isfinite(row).all():
        raise DataError("expected finite numbers, got one that is not", file.shown, number)
    return row


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _packing(raw: BinaryIO) -> GzipFile:
    """Compress without name and time, so that the same vectors are the same bytes."""
    return GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
