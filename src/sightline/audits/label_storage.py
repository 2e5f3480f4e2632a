"""The folder that holds the audits of several labels.

DIR/labels.json       the labels, with the reason of each that was not audited
DIR/label-001/        a saved audit for each
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sightline._io.atomic_write import is_free, plain, put_back, write_whole
from sightline._io.checksums import MANIFEST, check_unchanged, seal
from sightline._io.home_folder import from_home
from sightline.audits.audit_storage import FILES as OF_AN_AUDIT
from sightline.audits.audit_storage import LABELS, SUMMARY, files_of_labels, write_results
from sightline.config.json_reader import parse_json, read_as
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import Results

MARK = LABELS
FILES = (MARK, MANIFEST)
"""The files next to the audits; the first one marks the folder."""
SCHEMA = 1
_MADE_AGAIN = "make the audits again"


@dataclass(frozen=True)
class LabelIndex:
    """The labels without their audits; ``folders`` names the folder of each, and ``failed``
    the labels whose audit ended with an error. ``about`` says how they were made.
    """

    schema: int
    name: str
    texts: int
    predicted: Mapping[str, int]
    left_out: Mapping[str, str]
    levels: Mapping[str, float]
    folders: Mapping[str, str]
    failed: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)


def holds_labels(folder: Path) -> bool:
    """Whether a folder holds the audits of several labels."""
    put_back(folder)
    return (folder / MARK).is_file()


def folders_of(labels: Iterable[str]) -> dict[str, str]:
    """Give each label a numbered folder, because a label may contain any character."""
    return {label: f"label-{number:03d}" for number, label in enumerate(labels, 1)}


def save_labels(index: LabelIndex, audits: Mapping[str, Results], folder: str | Path) -> Path:
    """Write the audits to a folder, all of them or nothing; saved audits there are replaced."""
    final = from_home(folder)
    if not (is_free(final) or any((final / one).exists() for one in (MARK, SUMMARY))):
        message = "exists and does not hold the audits of several labels; name a new folder"
        raise StoreError(f"{final}: {message}")

    def write(aside: Path) -> None:
        aside.mkdir()
        for label, place in index.folders.items():
            write_results(audits[label], aside / place)
            seal(aside / place)
        written = json.dumps(plain(vars(index)), indent=1)
        (aside / MARK).write_text(written, encoding="utf-8")
        seal(aside)

    return write_whole(final, write, _own(final, index.folders.values()))


def _own(folder: Path, places: Iterable[str]) -> set[str]:
    """Name the files and folders to replace: the audits already there, and the new ones."""
    inside = {f"{place}/{file}" for place in places for file in OF_AN_AUDIT}
    return {*OF_AN_AUDIT, MARK, *files_of_labels(folder), *inside}


def load_index(folder: Path) -> LabelIndex:
    """Read the files next to the audits; a damaged file is an error."""
    file = folder / MARK
    if not holds_labels(folder):
        raise StoreError(
            f"{folder}: expected a folder with the audits of several labels; it has no {MARK}"
        )
    check_unchanged(folder, StoreError, _MADE_AGAIN)
    try:
        found = parse_json(file.read_text(encoding="utf-8"), "")
        index: LabelIndex = read_as(LabelIndex, found, "")
    except (SpecError, UnicodeDecodeError) as error:
        raise StoreError(f"{file}: {error}; {_MADE_AGAIN}") from error
    if index.schema != SCHEMA:
        raise StoreError(
            f"{file}: schema {index.schema}, this version reads {SCHEMA}; {_MADE_AGAIN}"
        )
    return index
