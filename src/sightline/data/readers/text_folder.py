"""Read a folder of texts: one folder for each class, with text files in it; folders of splits may
stand above.

Files outside the class folders, and hidden files, are counted and left out. Links are followed only
to files inside the folder.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sightline._io.limits import FILE, FILES, LINE
from sightline._io.safe_open import joint_digest, open_regular
from sightline.core.errors import DataError
from sightline.data.readers.line_stream import read_digest, reading
from sightline.data.readers.table_columns import SPLIT_NAMES

OUTSIDE, HIDDEN = "file outside the class folders", "hidden file"


@dataclass(frozen=True)
class Document:
    """A text file: its name relative to the folder, its path, and its class and split from the
    folders above it.
    """

    name: str
    file: str
    split: str
    label: str


def find_documents(path: str) -> tuple[list[Document], Counter[str]]:
    """Find all text files, sorted by name, and count the other files."""
    root = Path(path)
    if not root.is_dir():
        raise DataError("there is no such folder; check the path", path)
    names, left = _names(root)
    split = _has_splits(root, names)
    found = []
    for name in names:
        parts = name.parts
        if len(parts) < 2 + split:
            left[OUTSIDE] += 1
            continue
        named = SPLIT_NAMES[parts[0].lower()] if split else ""
        found.append(Document(str(name), str(root / name), named, parts[split]))
    if not found:
        raise DataError(
            "expected a folder for each class with text files in it; found no such file", path
        )
    return found, left


def read_document(document: Document) -> str:
    """Read a text file; binary content is refused, as in a table."""
    file = document.file
    with reading(file), open_regular(file, LINE) as stream:
        data = stream.read(LINE.most)
    if (place := data.find(b"\0")) >= 0:
        message = (
            "expected a text file, got a NUL byte; take it out of the folder, or save it as "
            "UTF-8 text"
        )
        raise DataError(message, file, data.count(b"\n", 0, place) + 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = (
            f"expected UTF-8 text, got byte 0x{data[error.start]:02x}; save the file as UTF-8, or "
            "take it out"
        )
        raise DataError(message, file, data.count(b"\n", 0, error.start) + 1) from None


def folder_digest(path: str) -> str:
    """Give the SHA-256 of the names and bytes of all texts, which identifies the folder."""
    documents = find_documents(path)[0]
    return joint_digest((one.name, read_digest(one.file, LINE)) for one in documents)


def _names(root: Path) -> tuple[list[PurePosixPath], Counter[str]]:
    names, left, size = list[PurePosixPath](), Counter[str](), 0
    inside = Path(os.path.realpath(root))
    for number, file in enumerate(_walk(root), 1):
        if number > FILES.now:
            raise DataError(FILES.passed(), root)
        name = file.relative_to(root)
        if any(part.startswith(".") for part in name.parts):
            left[HIDDEN] += 1
            continue
        _check_name(file, name)
        _check_link(file, inside)
        with reading(file):
            size += file.stat().st_size
        if size > FILE.now:
            raise DataError(f"its texts together: {FILE.passed()}", root)
        names.append(PurePosixPath(name.as_posix()))
    return sorted(names), left


def _walk(root: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise DataError(f"the folder cannot be read: {error.strerror}", error.filename)

    for folder, folders, files in os.walk(root, onerror=fail):
        for name in folders:
            if (place := Path(folder, name)).is_symlink():
                raise DataError(
                    "is a link to a folder, which is not followed; put the texts themselves there",
                    place,
                )
        yield from (Path(folder, name) for name in files)


def _check_name(file: Path, name: Path) -> None:
    """Refuse a name of other bytes than UTF-8: it names the text, and its folder the class."""
    try:
        str(name).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(file).decode("utf-8", "backslashreplace")
        raise DataError("expected a name in UTF-8, got other bytes; rename it", shown) from None


def _check_link(file: Path, inside: Path) -> None:
    if file.is_symlink() and not Path(os.path.realpath(file)).is_relative_to(inside):
        raise DataError("is a link that leads out of the folder; put the text itself there", file)


def _has_splits(root: Path, names: list[PurePosixPath]) -> bool:
    """Tell whether the folders are splits; a mix of splits and classes is ambiguous and refused."""
    above = sorted({name.parts[0] for name in names if len(name.parts) > 1})
    splits = [name for name in above if name.lower() in SPLIT_NAMES]
    if splits and len(splits) < len(above):
        other = next(name for name in above if name not in splits)
        message = (
            f"expected folders of splits or of classes, got both: {splits[0]!r} is a split and "
            f"{other!r} is none"
        )
        raise DataError(f"{message}; take it out, or move it into one", root)
    return bool(splits)
