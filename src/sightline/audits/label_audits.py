"""Audits of several labels of one model, and their summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline._io.home_folder import from_home
from sightline.audits.audit_result import Audit
from sightline.audits.label_storage import SCHEMA, LabelIndex, folders_of, load_index, save_labels
from sightline.core.results import Table, TableCell
from sightline.report.card import Card, card
from sightline.report.card_text import CARDS
from sightline.report.html.labels_page import write_labels
from sightline.report.label_rows import (
    COLUMNS,
    NOT_AUDITED,
    LabelRow,
    audited_row,
    by_verdict,
    lines,
    reasons,
    summary,
)
from sightline.report.number_format import count
from sightline.report.redact import redacted
from sightline.report.sentences import opened
from sightline.stats.intervals import LEVEL

ENDED = "its audit ended with an error, its message left out"


@dataclass(frozen=True)
class LabelAudits:
    """The audits of several labels, with methods to show and save them."""

    name: str
    """The name of the model."""
    audits: Mapping[str, Audit]
    left_out: Mapping[str, str]
    """For each requested label without an audit, the reason."""
    predicted: Mapping[str, int]
    """For each requested label, the number of texts for which it is predicted."""
    texts: int
    levels: Mapping[str, float] = field(default_factory=dict)
    """The confidence level of each label's intervals: higher where false discoveries are held over
    labels."""
    failed: tuple[str, ...] = ()
    """The labels of ``left_out`` whose audit ended with an error."""
    about: Mapping[str, str] = field(default_factory=dict)
    """How they were made: ``data``, ``seed``, ``version``, and if known ``date`` and ``command``."""

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """The summary of each label, in the order of the model."""
        return tuple(self._row(label) for label in self.predicted)

    def _row(self, label: str) -> LabelRow:
        predicted = self.predicted[label]
        if label not in self.audits:
            return LabelRow(label, predicted, self.texts, why=self.left_out[label])
        level = self.levels.get(label, LEVEL)
        return audited_row(label, predicted, self.texts, self.audits[label], level)

    @property
    def headline(self) -> str:
        """How many labels have each verdict, for texts predicted to have the label."""
        return summary(self.rows)

    def lines(self) -> list[str]:
        """The summary as lines for a terminal."""
        return lines(self.rows)

    def table(self) -> Table:
        """Give a row for each label: number of predictions, verdicts, deciding test and score."""
        return Table(
            self.headline,
            COLUMNS,
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
        """Write a page with the verdict of each label, and one report a label into the folder
        ``NAME-labels`` next to it.
        """
        rows = self.redacted(texts=texts, ids=ids).rows
        return write_labels(rows, self.audits, Path(path), texts=texts, ids=ids, title=title)

    def card(self, ending: str) -> str:
        """Give a summary and the cards of all labels as text, ``.md`` or ``.html``."""
        _, left = by_verdict(self.rows)
        lists = {opened(NOT_AUDITED): tuple(reasons(left))} if left else {}
        # The card of an audit says how it was made; without one, the summary does.
        how = {} if self.audits else self.about
        summed = Card(self.headline, self._facts(how), lists, command=how.get("command", ""))
        return "\n".join(CARDS[ending](one) for one in (summed, *map(card, self.audits.values())))

    def _facts(self, how: Mapping[str, str]) -> dict[str, str]:
        if not how:
            return {}
        facts = {
            "Model": self.name,
            "Data": f"{how['data']}, {count(self.texts)} texts",
            "Seed": how["seed"],
            "Date": how.get("date", ""),
            "Made by": f"sightline {how['version']}",
        }
        return {name: value for name, value in facts.items() if value}

    def redacted(self, *, texts: bool = True, ids: bool = True) -> LabelAudits:
        """Give the audits as they are shown without texts or ids."""
        if texts and ids:
            return self
        # The error that ended an audit may quote a text or name an id, too.
        why = {**self.left_out, **dict.fromkeys(self.failed, ENDED)}
        shown = {label: redacted(one, texts=texts, ids=ids) for label, one in self.audits.items()}
        return replace(self, audits=shown, left_out=why)

    def save(self, folder: str | Path) -> Path:
        """Write the audits to a folder, all of them or nothing; `load` reads them back."""
        index = LabelIndex(
            SCHEMA,
            self.name,
            self.texts,
            self.predicted,
            self.left_out,
            self.levels,
            folders_of(self.audits),
            self.failed,
            self.about,
        )
        return save_labels(index, self.audits, folder)

    @staticmethod
    def load(folder: str | Path) -> LabelAudits:
        """Read the audits that `save` wrote."""
        place = from_home(folder)
        index = load_index(place)
        audits = {label: Audit.load(place / one) for label, one in index.folders.items()}
        return LabelAudits(
            index.name,
            audits,
            index.left_out,
            index.predicted,
            index.texts,
            index.levels,
            index.failed,
            index.about,
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
    words = (row.with_label or NOT_AUDITED, row.verdict, row.test or None)
    named = [TableCell(None if word is None else str(word), note=row.why) for word in words]
    return (TableCell(row.predicted, n=row.texts), *named, number)
