"""Read a table's bytes as lines of text, piece by piece, so that large files need little memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, cast

from sightline._io.limits import FILE, Bound
from sightline._io.safe_open import file_digest
from sightline.core.errors import DataError
from sightline.data.read_progress import is_large, report_progress
from sightline.data.readers.bounded_open import opened

Ends = Literal["", "\n"]
"""The line ends: any, or a line feed only, because a JSON text may contain U+2028 and similar
characters."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OTHERS: Mapping[bytes, str] = {
    b"\x1f\x8b": "a gzip file; let its name end in .gz",
    b"PK\x03\x04": "a zip archive, as a spreadsheet (.xlsx) is; save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls); save it as CSV",
    b"PAR1\x15": "a Parquet file; let its name end in .parquet",
    b"\xfd7zXZ\x00": "an xz file; unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it first",
}
"""First bytes of files that are often named like a table by mistake, with advice."""
_CHUNK = 2**20


def decoded_lines(file: str, ends: Ends) -> Iterator[str]:
    """Yield each line of a UTF-8 file with its line end; a byte order mark is allowed."""
    path = Path(file)
    with opened(path, FILE, reading, packed=path.suffix.lower() == ".gz") as stream:
        pieces = _Pieces(file, stream)
        lines = io.TextIOWrapper(
            cast("io.BufferedReader", pieces), encoding="utf-8-sig", newline=ends
        )
        try:
            yield from lines
        except UnicodeDecodeError as error:
            raise _not_utf8(file, error, pieces) from None


def _not_utf8(file: str, error: UnicodeDecodeError, pieces: _Pieces) -> DataError:
    """Name the first byte that is not UTF-8, and how to mend it.

    A file with UTF-8 before that byte is of two encodings. Converting it as a whole would garble
    what is right, and a conversion from Latin 1 never fails.
    """
    line = pieces.lines + error.object.count(b"\n", 0, error.start) + 1
    found = f"byte 0x{error.object[error.start]:02x}"
    if pieces.wide or not error.object[: error.start].isascii():
        advice = "the lines before it are UTF-8, so mend this line and leave those"
    else:
        advice = "save the file as UTF-8, for example: iconv -f CP1252 -t UTF-8 OLD > NEW"
    return DataError(f"expected UTF-8 text, got {found}; {advice}", file, line)


class _Pieces(io.BufferedIOBase):
    """Passes on a table in pieces and counts lines; the first piece shows whether it is text.

    ``wide`` says whether there was more than ASCII before the last piece.
    """

    def __init__(self, file: str, stream: io.BufferedIOBase) -> None:
        self.lines, self.wide = 0, False
        self._file, self._stream, self._last = file, stream, b""
        self._size = Path(file).stat().st_size if stream.seekable() and is_large(file) else 0

    def readable(self) -> bool:
        """Return True: this stream is for reading."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Read the next piece, ignoring ``size``: small pieces would cost more calls."""
        with reading(self._file):
            piece = self._stream.read(_CHUNK)
        if self._size:
            report_progress(
                f"reading {Path(self._file).name}, MiB", self._stream.tell() >> 20, self._size >> 20
            )
        if not self._last:
            _check_beginning(self._file, piece)
        self.lines += self._last.count(b"\n")
        self.wide = self.wide or not self._last.isascii()
        self._last = piece
        if (place := piece.find(b"\0")) >= 0:
            line = self.lines + piece.count(b"\n", 0, place) + 1
            message = "expected text, got a NUL byte; remove it, or save the file as UTF-8 text"
            raise DataError(message, self._file, line)
        return piece


def _check_beginning(file: str, piece: bytes) -> None:
    if piece.startswith(_UTF16):
        raise DataError("expected UTF-8, got UTF-16; save the file as UTF-8", file, 1)
    if found := next((label for begin, label in _OTHERS.items() if piece.startswith(begin)), None):
        raise DataError(f"expected text, got {found}", file)


@contextmanager
def reading(file: str | Path) -> Iterator[None]:
    """Turn disk errors and damaged gzip files into one error that names the file."""
    if Path(file).is_dir():
        raise DataError("expected a file, got a folder; name the table inside it", file)
    try:
        yield
    except FileNotFoundError:
        raise DataError("there is no such file; check the path", file) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"expected a whole gzip file, got {error}; write it again or drop .gz", file
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"the file cannot be read: {error}", file) from None


def read_digest(file: str | Path, largest: Bound) -> str:
    """Give the SHA-256 of a file's bytes; errors name the file."""
    with reading(file):
        return file_digest(file, largest)
