"""What several seeds say together, as plain lines for the terminal."""

from __future__ import annotations

from sightline.findings.seeds import AcrossSeeds
from sightline.report.across import TITLE, notes, rows, told
from sightline.report.sheets.columns import aligned


def across_lines(across: AcrossSeeds) -> list[str]:
    """Give whether verdicts agree, and every number by seed with its mean."""
    head = ("", *(f"seed {seed}" for seed in across.seeds), "mean", "answers")
    table = [(row.name, *row.cells, row.mean, row.answers) for row in rows(across)]
    return [f"{TITLE}: {told(across)}", *(f"  {note}" for note in notes(across)), *aligned([head, *table])]
