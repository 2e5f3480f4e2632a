"""A table on the screen and in a file."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sightline.cli import own_files
from sightline.cli.output import print_lines, write_text
from sightline.cli.output_checks import Output
from sightline.core.errors import SpecError
from sightline.core.results import Table
from sightline.report.tables.table_formats import PRINTINGS
from sightline.report.tables.terminal_table import to_text


def check_ending(flag: str, file: Path | None) -> None:
    """Refuse an unknown kind of table before hours are spent on its numbers."""
    if file is not None and file.suffix.lower() not in PRINTINGS:
        raise SpecError(f"{flag} {file}: expected a name that ends in {', '.join(PRINTINGS)}")


def table_at(flag: str, file: Path | None) -> Output | None:
    """Name a table as an output, which replaces only tables."""
    if file is None:
        return None
    return Output(flag, file, like=own_files.TABLES.get(file.suffix.lower(), b""))


def write_table(table: Table, file: Path) -> None:
    """Write a table in the format that the name of its file ends in."""
    write_text(file, PRINTINGS[file.suffix.lower()](table))


def print_table(table: Table) -> None:
    """Print a table; where it is wider than the terminal, its columns continue below."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print_lines([to_text(table, width)])
