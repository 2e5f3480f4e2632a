"""``sightline results --sql``: one question to a store, and its answer on the terminal or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.output import emit, say, writing
from sightline.report.numerals import counted, number
from sightline.report.sheets.columns import aligned

if TYPE_CHECKING:
    from sightline.experiments.store import Store


def check_asked(out: Path | None) -> None:
    """Refuse, before anything is read, where the answer cannot be had or written."""
    from sightline.experiments.sql.answer import check_answer  # noqa: PLC0415  (numpy, for a question alone)
    from sightline.experiments.sql.ask import check_sql  # noqa: PLC0415  (the same)

    if out is not None:
        check_answer(out)
    check_sql()


def answer(store: Store, query: str, out: Path | None, as_json: bool) -> None:
    """Ask, and print the answer, or write it and say so."""
    from sightline.experiments.sql.answer import write_answer  # noqa: PLC0415  (numpy, for a question alone)
    from sightline.experiments.sql.ask import ask  # noqa: PLC0415  (the same)

    found = ask(store, query)
    if out is not None:
        with writing(out):
            write_answer(found, out)
        told = {"out": str(out), "rows": len(found)}
        return emit(told) if as_json else say([f"answer: {out} ({counted(len(found), 'row')})"])
    if as_json:
        return emit(found.records())
    return say([*aligned([found.columns, *map(_shown, found.rows())]), counted(len(found), "row")])


def _shown(row: Sequence[Any]) -> list[str]:
    """Write the cells of a row for a terminal: numbers rounded, and nothing where there is none."""
    return ["" if value is None else number(value) if isinstance(value, float) else str(value) for value in row]
