"""The result of an audit: verdict, report, files and tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import plain
from sightline.audits.audit_storage import load_results, save_results
from sightline.core.results import Results
from sightline.report.advice import first_of_all
from sightline.report.export.column_frame import ColumnFrame
from sightline.report.export.export_files import export, frames_of
from sightline.report.first_screen import NOT_RUN, WHY, blocks, conclusions
from sightline.report.gates import NOT_SHOWN, closed, outcome, read_gates
from sightline.report.html.audit_page import in_notebook, write_page
from sightline.report.html.comparison_page import write_comparison
from sightline.report.sentences import headline
from sightline.report.transfer_summary import transferred_share
from sightline.verdict.comparison.compare_audits import compared
from sightline.verdict.comparison.comparison_result import SideBySide


@dataclass(frozen=True)
class Audit(Results):
    """The results of one audit, with methods to show, save, load and export them."""

    @property
    def headline(self) -> str:
        """The verdict in a few words, with any predicted classes whose verdict differs."""
        return headline(self.verdict)

    @property
    def may_be_shown_for(self) -> tuple[str, ...]:
        """The predicted classes for whose texts the map may be shown, with or without caveats; none
        where the model has to be fixed first.
        """
        if first_of_all(self):
            return ()
        return tuple(name for name in self.verdict.by_class if self.for_text(name).permits)

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``), starting with the verdict
        in a few words.
        """
        found = transferred_share(self)
        shown = None if found is None else asdict(found)
        values: dict[str, Any] = plain(
            {
                "headline": self.headline,
                "conclusions": [
                    {"verdict": one.level, "classes": one.classes} for one in conclusions(self)
                ],
                "may_be_shown_for": self.may_be_shown_for,
                "shown": shown,
            }
            | super().to_json()
        )
        return values

    def to_html(
        self, path: str | Path, *, texts: bool = True, ids: bool = True, title: str = ""
    ) -> Path:
        """Write the report as one self-contained HTML page; `render` describes ``texts``, ``ids``
        and ``title``.
        """
        return write_page(self, path, texts, ids, title=title)

    def save(self, folder: str | Path) -> Path:
        """Write the audit to a folder, all of it or nothing; `load` reads it back."""
        return save_results(self, folder)

    def frames(self, *, texts: bool = True) -> dict[str, ColumnFrame]:
        """Give every number by text (``texts``) and by word (``words``) as plain columns, each with
        a description.
        """
        return frames_of(self, texts)

    def export(
        self, folder: str | Path, kind: str = "csv", *, texts: bool = True, ids: bool = True
    ) -> Path:
        """Write the columns of `frames` to a folder, as ``csv`` or ``parquet``, with their
        descriptions in `columns.json`; without ``ids``, texts are numbered.
        """
        return export(self, folder, kind, texts=texts, ids=ids)

    def assert_shown(self, *fail_on: str) -> None:
        """Raise `AssertionError` unless the map may be shown for every predicted class, of a model
        that needs no other advice first (`may_be_shown_for`).

        ``fail_on`` names other verdicts and tests that fail, as ``--fail-on`` does:
        ``assert_shown("must-not-be-shown", "SL-301")``. A warning says so if the audit then passes
        although it cannot tell.
        """
        reasons = closed(self, read_gates(fail_on) if fail_on else NOT_SHOWN)
        if reasons:
            failed = (one for one in self.findings if one.bears and one.result == "failed")
            lines = [f"{one.title} {outcome(one)}" for one in failed]
            if not lines:
                said = (block for block in blocks(self) if block.name in (WHY, NOT_RUN))
                lines = [sentence for block in said for sentence in block.sentences]
            raise AssertionError("\n".join(("; ".join(reasons), *lines)))
        if self.verdict.tells_nothing:
            message = (
                "the audit cannot tell whether the map may be shown; name cannot-tell to fail then"
            )
            warnings.warn(message, stacklevel=2)

    @staticmethod
    def load(folder: str | Path) -> Audit:
        """Read an audit that `save` wrote."""
        return Audit(**vars(load_results(folder)))

    def compare(self, *others: Audit) -> Comparison:
        """Compare other audits with this one, on the texts that they share."""
        return compare(self, *others)

    def __repr__(self) -> str:
        named = self.cards.get("model", {}).get("name", "a model")
        return (
            f"<Audit of {named!r} on {len(self.texts)} texts: {self.headline}; next: "
            "audit.to_html('report.html')>"
        )

    def _repr_html_(self) -> str:
        """Show verdict and tests when the audit is the last line of a notebook cell."""
        return in_notebook(self)


@dataclass(frozen=True)
class Comparison(SideBySide):
    """Audits side by side, with the differences between their scores; show them, or export the
    numbers.
    """

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.sides)} audits; next: comparison.to_html('compare.html')>"

    def to_html(self, path: str | Path) -> Path:
        """Write the comparison as one self-contained HTML page."""
        return write_comparison(self, path)


def compare(*audits: Results, places: Sequence[str] = ()) -> Comparison:
    """Compare each audit with the first, on the texts that both have.

    Each difference in scores and in accuracy has an interval; the bootstrap draws the same texts
    for both audits. Differences are significant after adjustment for all comparisons. ``places``
    gives the folder of each audit, for the report.
    """
    return Comparison(**vars(compared(audits, places)))
