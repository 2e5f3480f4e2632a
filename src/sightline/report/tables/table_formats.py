"""The file formats of a results table, by the file name's ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.core.results import Table
from sightline.report.tables.csv_table import to_csv
from sightline.report.tables.latex_table import to_latex
from sightline.report.tables.markdown_table import to_markdown

PRINTINGS: Mapping[str, Callable[[Table], str]] = {
    ".md": to_markdown,
    ".csv": to_csv,
    ".tex": to_latex,
}
