"""The tables of a store for a query: their columns, and where their rows come from.

The numbers are those of `sightline.experiments.long_table`, one per row; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sightline.core.results import Results
from sightline.experiments.long_table import Number, all_numbers, main_numbers, text_numbers
from sightline.experiments.store import Store, Summary

Kind = Literal["text", "whole number", "number"]
Runs = Iterable[Summary]
TableRow = tuple[Any, ...]


@dataclass(frozen=True)
class TableColumn:
    """One column: its name, the kind of its values, and their meaning."""

    name: str
    kind: Kind
    description: str


@dataclass(frozen=True)
class SqlTable:
    """One table: what a row is, its columns, and how to read its rows from a store, run by run."""

    description: str
    columns: tuple[TableColumn, ...]
    rows: Callable[[Store, Runs], Iterator[TableRow]]


def _run_rows(_: Store, runs: Runs) -> Iterator[TableRow]:
    for run in runs:
        yield (
            run.key,
            run.state,
            run.data,
            run.model,
            run.seed,
            run.setting,
            run.verdict,
            run.row,
            run.error,
            run.seconds,
        )


def _finding_rows(_: Store, runs: Runs) -> Iterator[TableRow]:
    for run in runs:
        for code, answer in (run.findings or {}).items():
            yield *_place(run), code, answer.result


def _main_rows(_: Store, runs: Runs) -> Iterator[TableRow]:
    for run in runs:
        place = _place(run)
        yield from (place + _estimated(one) for one in main_numbers(run, {}))


def _estimate_rows(store: Store, runs: Runs) -> Iterator[TableRow]:
    for run, audit in _audits(store, runs):
        place = _place(run)
        yield from (place + _estimated(one) for one in all_numbers(run, audit, {}))


def _text_rows(store: Store, runs: Runs) -> Iterator[TableRow]:
    for run, audit in _audits(store, runs):
        place, texts = (
            _place(run),
            {text.id: (text.id, text.label, text.predicted) for text in audit.texts},
        )
        for one in text_numbers(run, audit, {}):
            yield *place, *texts[one.text], one.quantity, one.value, one.low, one.high


def _audits(store: Store, runs: Runs) -> Iterator[tuple[Summary, Results]]:
    """Read the audits one after another: a store may hold more than fit into memory."""
    return ((run, store.audit(run.key)) for run in runs if run.state == "done")


def _place(run: Summary) -> TableRow:
    return run.key, run.data, run.model, run.seed, run.setting


def _estimated(one: Number) -> TableRow:
    return one.quantity, one.value, one.low, one.high, one.n, one.method


_ABOUT = (
    TableColumn("data", "text", "its data, as a spec"),
    TableColumn("model", "text", "its model, as a spec"),
    TableColumn("seed", "whole number", "its seed"),
    TableColumn("setting", "text", "what else it sets, such as `fit.epochs=3`; the others default"),
)
_PLACE = (TableColumn("run", "text", "key of the run"), *_ABOUT)
_NUMBER = (
    TableColumn(
        "quantity",
        "text",
        "what is counted: a metric, or the code of a finding for its effect",
    ),
    TableColumn("value", "number", "its value"),
    TableColumn("low", "number", "lower end of its interval"),
    TableColumn("high", "number", "upper end of its interval"),
)
_RESTS = (
    TableColumn("n", "whole number", "texts that it rests on"),
    TableColumn("method", "text", "how its interval was made"),
)
TABLES: Mapping[str, SqlTable] = {
    "runs": SqlTable(
        "a run",
        (
            TableColumn(
                "key",
                "text",
                "key of the run, by which the store names it; `run` in the other tables",
            ),
            TableColumn("state", "text", "`done` or `failed`"),
            *_ABOUT,
            TableColumn("verdict", "text", "its verdict, over all texts"),
            TableColumn(
                "row", "whole number", "the row of the verdict table; 0 where there is no verdict"
            ),
            TableColumn("error", "text", "why it failed"),
            TableColumn("seconds", "number", "how long it took"),
        ),
        _run_rows,
    ),
    "findings": SqlTable(
        "a finding of a run",
        (
            *_PLACE,
            TableColumn("finding", "text", "its code, such as `SL-101`"),
            TableColumn("verdict", "text", "`passed`, `failed`, `inconclusive` or `not run`"),
        ),
        _finding_rows,
    ),
    "numbers": SqlTable(
        "a main number of a run: a metric, or the effect of a finding",
        (*_PLACE, *_NUMBER, *_RESTS),
        _main_rows,
    ),
    "estimates": SqlTable(
        "a number of a run, over all its texts or those of a class",
        (*_PLACE, *_NUMBER, *_RESTS),
        _estimate_rows,
    ),
    "texts": SqlTable(
        "a number of a text of a run",
        (
            *_PLACE,
            TableColumn("text", "text", "id of the text"),
            TableColumn("label", "text", "its gold class"),
            TableColumn("predicted", "text", "its decided class"),
            *_NUMBER,
        ),
        _text_rows,
    ),
}
"""Every table by its name; the last two read whole audits, the others only the index of
the store."""
