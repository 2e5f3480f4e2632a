"""The part of a page about other seeds: sentences at its head, and a section of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.report.multi_seed_summary import (
    TITLE,
    SeedRow,
    ends,
    notes,
    rows,
    seed_caveats,
    summary_sentence,
)
from sightline.report.seed_advice import together
from sightline.verdict.seed_summary import SeedSummary


@dataclass(frozen=True)
class SeedsView:
    """All seeds together: a summary in sentences, then notes and rows."""

    title: str
    description: str
    ends: tuple[str, ...]
    caveats: tuple[str, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    seeds: tuple[int, ...]
    rows: tuple[SeedRow, ...]


def seeds_view(across: SeedSummary | None) -> SeedsView | None:
    """Put the summary over seeds into text; None for a single audit."""
    if across is None:
        return None
    said = tuple(ends(across)), tuple(seed_caveats(across)), tuple(together(across))
    return SeedsView(
        TITLE,
        summary_sentence(across),
        *said,
        tuple(notes(across)),
        across.seeds,
        tuple(rows(across)),
    )
