"""The section of a page that says what other seeds would have given."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.findings.seeds import AcrossSeeds
from sightline.report.across import TITLE, AcrossRow, notes, rows, told


@dataclass(frozen=True)
class SeedsView:
    """All seeds together: in one line, in notes, and as rows."""

    title: str
    told: str
    notes: tuple[str, ...]
    seeds: tuple[int, ...]
    rows: tuple[AcrossRow, ...]


def seeds_view(across: AcrossSeeds | None) -> SeedsView | None:
    """Put what seeds say together into text; None where there is one audit alone."""
    if across is None:
        return None
    return SeedsView(TITLE, told(across), tuple(notes(across)), across.seeds, tuple(rows(across)))
