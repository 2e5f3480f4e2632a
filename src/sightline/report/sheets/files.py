"""The printings of a results table that go into files, by how the name of the file ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.report.sheets.csv import to_csv
from sightline.report.sheets.latex import to_latex
from sightline.report.sheets.markdown import to_markdown
from sightline.results import Table

PRINTINGS: Mapping[str, Callable[[Table], str]] = {".md": to_markdown, ".csv": to_csv, ".tex": to_latex}
