"""Audits of several labels of one model: what they come to together, and the folder that holds them.

DIR/labels.json       the labels, with the reason of each that was not audited
DIR/label-001/        a saved audit for each
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import is_free, plain, put_back, write_whole
from sightline._io.checksums import MANIFEST, changed_file, seal
from sightline.audits.audit_result import Audit
from sightline.audits.audit_storage import FILES as OF_AN_AUDIT
from sightline.audits.audit_storage import write_results
from sightline.config.json_reader import parse_json, read_as
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import Table, TableCell
from sightline.report.html.labels_page import write_labels
from sightline.report.label_rows import LabelRow, audited_row, lines, summary
from sightline.stats.intervals import LEVEL

MARK = "labels.json"
FILES = (MARK, MANIFEST)
"""What lies beside the audits; the first is the file by which the folder is known."""
SCHEMA = 1


@dataclass(frozen=True)
class _Mark:
    schema: int
    name: str
    texts: int
    predicted: Mapping[str, int]
    left_out: Mapping[str, str]
    levels: Mapping[str, float]
    folders: Mapping[str, str]


@dataclass(frozen=True)
class LabelAudits:
    """The audits of several labels; draw them, show them, save them."""

    name: str
    """What the model is called."""
    audits: Mapping[str, Audit]
    left_out: Mapping[str, str]
    """Why each label that was asked for was not audited."""
    predicted: Mapping[str, int]
    """For how many texts each label that was asked for is predicted."""
    texts: int
    levels: Mapping[str, float] = field(default_factory=dict)
    """The level of the intervals of each label: higher where they hold over labels."""

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """What each label comes to, in the order of the model."""
        return tuple(self._row(label) for label in self.predicted)

    def _row(self, label: str) -> LabelRow:
        predicted = self.predicted[label]
        if label not in self.audits:
            return LabelRow(label, predicted, self.texts, why=self.left_out[label])
        return audited_row(label, predicted, self.audits[label], self.levels.get(label, LEVEL))

    @property
    def headline(self) -> str:
        """For how many labels which verdict holds."""
        return summary(self.rows)

    def lines(self) -> list[str]:
        """Write them for a terminal."""
        return lines(self.rows)

    def table(self) -> Table:
        """Give a row for each label: texts for which it is predicted, verdict, deciding test and
        score.
        """
        return Table(
            self.headline,
            ("predicted", "verdict", "texts with the label", "decided by", "score"),
            tuple(map(_cells, self.rows)),
            tuple((row.label,) for row in self.rows),
            ("label",),
        )

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values: the rows, and each audit by its label."""
        return {
            "schema": SCHEMA,
            "headline": self.headline,
            "model": self.name,
            "texts": self.texts,
            "labels": [row.to_json() for row in self.rows],
            "audits": {label: one.to_json() for label, one in self.audits.items()},
        }

    def to_html(
        self, path: str | Path, *, texts: bool = True, ids: bool = True, title: str = ""
    ) -> Path:
        """Write a page with the verdict of each label, and one report a label to the folder
        ``NAME-labels`` that lies where the page does.
        """
        return write_labels(self.rows, self.audits, Path(path), texts=texts, ids=ids, title=title)

    def save(self, folder: str | Path) -> Path:
        """Write the audits to a folder, all of them or nothing; `load` reads them back."""
        final = Path(folder)
        if not (is_free(final) or (final / MARK).exists()):
            message = "exists and does not hold the audits of several labels; name a new folder"
            raise StoreError(f"{final}: {message}")
        folders = {label: f"label-{number:03d}" for number, label in enumerate(self.audits, 1)}
        mark = _Mark(
            SCHEMA, self.name, self.texts, self.predicted, self.left_out, self.levels, folders
        )

        def write(aside: Path) -> None:
            aside.mkdir()
            for label, place in folders.items():
                write_results(self.audits[label], aside / place)
                seal(aside / place)
            written = json.dumps(plain(vars(mark)), indent=1)
            (aside / MARK).write_text(written, encoding="utf-8")
            seal(aside)

        return write_whole(final, write, _own(final, folders.values()))

    @staticmethod
    def load(folder: str | Path) -> LabelAudits:
        """Read the audits that `save` wrote."""
        path = Path(folder)
        put_back(path)
        if not (path / MARK).is_file():
            raise StoreError(
                f"{path}: expected a folder with the audits of several labels; it has no {MARK}"
            )
        if changed := changed_file(path):
            raise StoreError(
                f"{changed}: not as it was written, says {MANIFEST} beside it; make the audits again"
            )
        try:
            found = parse_json((path / MARK).read_text(encoding="utf-8"), "")
            mark: _Mark = read_as(_Mark, found, "")
        except (SpecError, UnicodeDecodeError) as error:
            raise StoreError(f"{path / MARK}: {error}") from error
        if mark.schema != SCHEMA:
            raise StoreError(
                f"{path / MARK}: schema {mark.schema}, this version reads {SCHEMA}; make the "
                "audits again"
            )
        audits = {label: Audit.load(path / place) for label, place in mark.folders.items()}
        return LabelAudits(
            mark.name, audits, mark.left_out, mark.predicted, mark.texts, mark.levels
        )

    def __repr__(self) -> str:
        return (
            f"<LabelAudits of {self.name!r}: {self.headline}; next: audits.to_html('report.html')>"
        )


def _cells(row: LabelRow) -> tuple[TableCell, ...]:
    found = row.score
    number = (
        TableCell(None, note=row.why)
        if found is None
        else TableCell(found.value, found.low, found.high, found.n, method=found.method)
    )
    words = (row.verdict or "not audited", row.with_label, row.test or None)
    named = [TableCell(None if word is None else str(word), note=row.why) for word in words]
    return (TableCell(row.predicted, n=row.texts), *named, number)


def _own(folder: Path, places: Any) -> set[str]:
    """Name what is replaced with such a folder: the audits that it holds, and those to come."""
    there = {one.parent.name for one in folder.glob("label-*/audit.json")}
    inside = {f"{place}/{file}" for place in (*there, *places) for file in OF_AN_AUDIT}
    return {*FILES, *inside}
