"""The user's own tables: a table is named by its ending or as KIND:FILE, and there may be one for
each split.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sightline._io.home_folder import written_from_home
from sightline.config.registry import names_of
from sightline.core.errors import SpecError, setting
from sightline.core.later_fields import LATER

TABLES = names_of("table")
IN_LINES = tuple(kind for kind in TABLES if kind != "parquet")
"""Tables that are read line by line, so a part of one can be read."""
WITH_LABELS = (*TABLES, "files", "hf")
"""Kinds of data with a column of labels, which may hold several labels."""
LABELS_SEPARATOR = ";"
"""The default separator of the labels of a text."""


def columns_of_labels(named: str) -> tuple[str, ...]:
    """Read the names of several columns, one for each label; empty if a single column is named."""
    names = tuple(name for one in named.split(",") if (name := one.strip()))
    return names if len(names) > 1 else ()


EVERY_ROW = "all"
"""The value of the split column that needs no such column: every row is a test text."""
_SPLIT = re.compile(r"(?:^|,)(train|validation|test)=")


@dataclass(frozen=True)
class Table:
    """A file with columns, and its format."""

    kind: str
    path: str

    def __post_init__(self) -> None:
        """Refuse an unknown kind of table, or a missing file name."""
        if self.kind not in TABLES or not self.path:
            raise SpecError(
                f"expected a table as {', '.join(f'{one}:FILE' for one in TABLES)}, got "
                f"{str(self)!r}"
            )

    def __str__(self) -> str:
        return f"{self.kind}:{self.path}"


@dataclass(frozen=True)
class Files:
    """A table for each split. Auditing a trained model needs test texts only; training needs
    training texts.

    Its text is ``train=FILE,validation=FILE,test=FILE``.
    """

    train: Table | None = field(default=None, metadata=LATER)
    validation: Table | None = field(default=None, metadata=LATER)
    test: Table | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        """Refuse a file named for two splits, and a set with neither training nor test texts."""
        if self.train is None:
            self.check_tested()
        first: dict[Path, str] = {}
        for split, table in self.tables.items():
            other = first.setdefault(Path(table.path), split)
            if other != split:
                raise SpecError(
                    (
                        f"names {table.path}, as {setting(other)} does; a text may be in one "
                        "split only"
                    ),
                    field=split,
                )
            if _SPLIT.search(f"{table},"):
                raise SpecError(
                    f"{table.path}: such a name cannot be distinguished from several files; "
                    "rename it",
                    field=split,
                )

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables by split, in the order train, validation, test."""
        return {split: table for split, table in vars(self).items() if table is not None}

    def check_tested(self) -> None:
        """Refuse a set without test texts."""
        if self.test is None:
            raise SpecError("no file of test texts; name one", field="test")

    def seen_from(self, folder: Path) -> Files:
        """Give the same files, with paths relative to a folder."""
        return Files(
            **{s: replace(table, path=str(folder / table.path)) for s, table in self.tables.items()}
        )

    def __str__(self) -> str:
        return ",".join(f"{split}={table}" for split, table in self.tables.items())


def read_files(text: str) -> Files:
    """Read ``train=FILE,validation=FILE,test=FILE``, in any order."""
    start, *pairs = _SPLIT.split(text)
    names, files = pairs[::2], pairs[1::2]
    if start or not names or len(set(names)) < len(names):
        raise SpecError(
            f"expected train=FILE,validation=FILE,test=FILE, each once, got {text!r}", field="data"
        )
    return Files(**{name: read_one(name, file) for name, file in zip(names, files, strict=True)})


def read_one(split: str, text: str) -> Table:
    """Read the table of a split: ``KIND:FILE``, or a path by its ending."""
    kind, colon, path = text.partition(":")
    if colon and kind in TABLES:
        return Table(kind, written_from_home(path))
    if (ending := table_kind(text)) is None:
        endings = ", ".join(f".{one}" for one in TABLES)
        raise SpecError(
            f"{text!r}: expected a file that ends in {endings}, plain or .gz, or KIND:FILE",
            field=split,
        )
    return Table(ending, written_from_home(text))


def table_kind(path: str) -> str | None:
    """Give the format of a table by the ending of its path, in any case; None for other endings."""
    ending = Path(re.sub(r"\.gz$", "", path, flags=re.IGNORECASE)).suffix.lstrip(".").lower()
    return ending if ending in TABLES else None
