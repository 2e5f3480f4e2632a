"""The summary over several seeds on the terminal: sentences first, then the numbers behind them."""

from __future__ import annotations

from sightline.report.advice import TITLE as WHAT_TO_DO
from sightline.report.column_layout import aligned, points
from sightline.report.multi_seed_summary import (
    TITLE,
    ends,
    notes,
    rows,
    seed_caveats,
    summary_sentence,
)
from sightline.report.seed_advice import together
from sightline.verdict.seed_summary import SeedSummary


def across_lines(across: SeedSummary) -> list[str]:
    """Give the verdicts, the caveats and the advice over all training runs, then every number by
    seed with its mean.
    """
    said = [f"{TITLE}: {summary_sentence(across)}", *points(ends(across))]
    if caveats := seed_caveats(across):
        said += ["Caveats:", *points(caveats)]
    said += [f"{WHAT_TO_DO}:", *points(together(across)), "", "Details."]
    head = ("", *(f"seed {seed}" for seed in across.seeds), "mean", "answers")
    table = [
        (_name(row.name, row.claim), *row.cells, row.mean, row.answers) for row in rows(across)
    ]
    return [*said, *points(notes(across)), *aligned([head, *table])]


def _name(name: str, claim: str) -> str:
    """Name a row: a test by its code, other rows by their words."""
    return f"{name}, {claim}" if claim and name == "verdict" else name
