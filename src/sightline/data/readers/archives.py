"""Read published files safely from a folder, a single file, or a tar archive, plain or gzipped.

Nothing is unpacked to disk. A tar archive is refused if it contains anything but files and folders
with names inside it, or grows beyond its bounds (`sightline._io.limits`).
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast

from sightline._io.limits import FILES, LINE, Bound
from sightline._io.safe_open import file_digest, joint_digest, open_regular
from sightline.core.errors import DataError
from sightline.data.readers.bounded_open import bounded, opened

_ARCHIVES = (".tar", ".tar.gz", ".tgz")
_BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError, OSError, ValueError)
"""The errors of reading; ValueError is a malformed number in an archive header."""

FileFilter = Callable[[str], bool]
"""Selects the files to read, by name with folders and without ``.gz``."""


@dataclass(frozen=True)
class File:
    """One file of a corpus: its name without ``.gz``, its name in messages, and its bytes,
    decompressed while reading.
    """

    name: str
    shown: str
    stream: io.BufferedIOBase

    def lines(self, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
        """Yield each line with its number, without its line end; decoding errors name the line."""
        number = 0
        while line := self.stream.readline(LINE.most):
            number += 1
            if len(line) == LINE.most:
                raise DataError(LINE.passed(), self.shown, number)
            if number == 1 and encoding == "utf-8":
                line = line.removeprefix(b"\xef\xbb\xbf")
            yield (
                number,
                decode(line, self.shown, number, encoding).removesuffix("\n").removesuffix("\r"),
            )

    def ended_lines(self) -> Iterator[str]:
        """Yield each line with a line feed at its end, whatever it was, as CSV readers expect."""
        return (f"{line}\n" for _, line in self.lines())

    def text(self, encoding: str = "utf-8") -> str:
        """Read the whole file as one text."""
        data = self.stream.read(LINE.most + 1)
        if len(data) > LINE.most:
            raise DataError(LINE.passed(), self.shown)
        return decode(data, self.shown, 1, encoding)


def decode(data: bytes, shown: str, line: int, encoding: str = "utf-8") -> str:
    """Decode bytes that start at the given line; an invalid byte or a NUL is an error."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        found, at = f"byte 0x{data[error.start]:02x}", line + data.count(b"\n", 0, error.start)
        raise DataError(
            f"expected UTF-8, as published, got {found}; fetch the file again", shown, at
        ) from None
    if (place := text.find("\0")) >= 0:
        raise DataError(
            "expected text, got a NUL byte; fetch the file again",
            shown,
            line + text.count("\n", 0, place),
        )
    return text


def open_files(
    path: str | Path, wanted: FileFilter, largest: Bound | None = None
) -> Iterator[File]:
    """Open the wanted files of a folder (sorted by name) or a tar archive (in its order), or a
    single file.

    The stream of a file is valid until the next file is requested. Names in a folder begin with the
    folder's own name, so a part of a corpus can be named as well as the whole. ``largest`` bounds
    the size of a file if its content is kept.
    """
    root = Path(path)
    if root.is_dir():
        yield from _folder(root, wanted, largest)
    elif not root.exists():
        raise DataError("there is no such file or folder; check the path", path)
    elif root.name.lower().endswith(_ARCHIVES):
        yield from _archive(root, wanted, largest)
    elif wanted(name := _plain(root.name)):
        with _opened(root, largest) as stream:
            yield File(name, str(root), stream)


def digest(path: str | Path, wanted: FileFilter, largest: Bound | None = None) -> str:
    """Give a SHA-256 of the wanted files' names and bytes; an archive is hashed as a whole."""
    root = Path(path)
    named = (
        [(file.relative_to(root).as_posix(), file) for file, _ in _chosen(root, wanted)]
        if root.is_dir()
        else [("", root)]
    )
    return joint_digest((name, _digest_of(file, largest)) for name, file in named)


def _digest_of(file: Path, largest: Bound | None) -> str:
    with _reading(file):
        return file_digest(file, largest)


def _plain(name: str) -> str:
    return name[:-3] if name.lower().endswith(".gz") else name


def _folder(root: Path, wanted: FileFilter, largest: Bound | None) -> Iterator[File]:
    for file, name in _chosen(root, wanted):
        with _opened(file, largest) as stream:
            yield File(name, str(file), stream)


def _chosen(root: Path, wanted: FileFilter) -> list[tuple[Path, str]]:
    """List the wanted files of a folder; a file both plain and compressed is an error."""
    chosen: dict[str, Path] = {}
    above, seen, most = PurePosixPath(root.resolve().name), 0, FILES.now
    for folder, folders, files in os.walk(root):
        folders.sort()
        if (seen := seen + len(folders) + len(files)) > most:
            raise DataError(FILES.passed(), root)
        inside = (above / Path(folder).relative_to(root)).as_posix()
        for file in sorted(files):
            if wanted(name := _plain(f"{inside}/{file}")):
                place = Path(folder, file)
                if (other := chosen.setdefault(name, place)) != place:
                    raise DataError(
                        f"the same file is there twice, the other is {other.name}; keep one", place
                    )
    return [(place, name) for name, place in chosen.items()]


def _opened(file: Path, largest: Bound | None) -> AbstractContextManager[io.BufferedIOBase]:
    return opened(file, largest, _reading, packed=file.suffix.lower() == ".gz")


def _archive(root: Path, wanted: FileFilter, largest: Bound | None) -> Iterator[File]:
    packed = _is_gzip(root)
    with (
        _reading(root),
        opened(root, largest, _reading, packed=packed) as stream,
        tarfile.open(fileobj=stream, mode="r|") as tar,
    ):
        for member in tar:
            _check_member(member, root)
            if member.isreg() and wanted(name := _plain(str(PurePosixPath(member.name)))):
                shown, inner = (
                    f"{root}/{member.name}",
                    cast(io.BufferedIOBase, tar.extractfile(member)),
                )  # it is a file
                if name != str(PurePosixPath(member.name)):
                    inner = gzip.GzipFile(fileobj=inner)
                yield File(name, shown, bounded(inner, shown, member.size, largest, _reading))


def _is_gzip(root: Path) -> bool:
    """Check whether a tar archive is compressed; its ending is not reliable."""
    with _reading(root), open_regular(root) as raw:
        return raw.read(2) == b"\x1f\x8b"


def _check_member(member: tarfile.TarInfo, root: Path) -> None:
    """Refuse unsafe members of an archive, wanted or not."""
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise DataError(
            f"holds {member.name!r}, a name outside of the archive; fetch it again", root
        )
    if not (member.isreg() or member.isdir()) or member.issparse():
        raise DataError(
            f"holds {member.name!r}, which is a link, a device or a sparse file; fetch it again",
            root,
        )


@contextmanager
def _reading(file: str | Path) -> Iterator[None]:
    """Turn disk errors and damaged archives into one error that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise DataError("there is no such file; check the path", file) from None
    except _BROKEN as error:
        raise DataError(
            f"expected a whole file, as published, got: {error}; fetch it again", file
        ) from None
