"""``sightline study list``: every table and figure of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.output import emit, print_lines
from sightline.report.column_layout import aligned
from sightline.report.number_format import count_phrase

if TYPE_CHECKING:
    from sightline.api.list_papers import Params


def show_list(asked: Params, data: Path | None, store: Path | None, as_json: bool) -> None:
    """List every table and figure with its corpora (and which are present), its runs, and their
    hours.
    """
    from sightline.api.list_papers import list_papers  # noqa: PLC0415  (as late as it is needed)

    rows = list_papers(asked, data, store)
    where = "" if data is not None else "; --data DIR says which corpora are there"
    return (
        emit(rows) if as_json else print_lines(_listed(rows, asked.seeds, where, store is not None))
    )


def _listed(rows: list[dict[str, Any]], seeds: int | None, where: str, kept: bool) -> list[str]:
    """Write the list in columns; finished runs and remaining hours only if a store was named."""
    head = ("id", "place", "runs", *(("done", "hours left") if kept else ()), "of", "what")
    lines = [
        (row["id"], row["place"], str(row["runs"]), *_costs(row), _corpora(row), row["about"])
        for row in rows
    ]
    cost = (
        "hours: of one worker, each table alone, by tokens × epochs × the cost of the encoder and of "
        "each measure"
    )
    said = "the seeds of the protocol" if seeds is None else count_phrase(seeds, "seed")
    note = (
        cost
        if kept
        else (
            "--store DIR says which are done, and how long the others would take; --dry-run "
            "tries one"
        )
    )
    return [
        *aligned([head, *lines]),
        f"runs: with {said}, of the corpora named{where}",
        note,
    ]


def _costs(row: dict[str, Any]) -> tuple[str, ...]:
    if "done" not in row:
        return ()
    return str(row["done"]), f"{row['hours_left']:.1f}"


def _corpora(row: dict[str, Any]) -> str:
    there = [name for name in row["corpora"] if name not in row["lacking"]]
    lacking = f" (not there: {', '.join(row['lacking'])})" if row["lacking"] else ""
    return (", ".join(there) or "none") + lacking
