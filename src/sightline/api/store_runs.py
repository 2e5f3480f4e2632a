"""The runs of a store: what each is, how it ended, its numbers, and answers to queries."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import plain
from sightline.experiments.long_table import main_numbers
from sightline.experiments.sql.duckdb_query import check_sql as check_sql
from sightline.experiments.sql.memory_limit import usual_memory as usual_memory
from sightline.experiments.sql.query_process import ask_apart as ask_apart
from sightline.experiments.sql.query_result import check_answer as check_answer
from sightline.experiments.store import Store as Store
from sightline.experiments.store import Summary as Summary
from sightline.report.tables.csv_table import write_rows

HEAD = (
    "key",
    "state",
    "data",
    "model",
    "seed",
    "number",
    "value",
    "low",
    "high",
    "n",
    "seconds",
    "setting",
)


def open_store(folder: Path) -> Store:
    """Open an existing store."""
    return Store.there(folder)


def missing_run(key: str) -> Summary:
    """Describe a run that is torn or changed: nothing is known of it but its key."""
    return Summary(key, "", "", 0, "missing", 0.0)


def runs_as_csv(runs: Sequence[Summary]) -> str:
    """Write one line per run and number, in full."""
    out = io.StringIO()
    write_rows(out, [HEAD, *(row for run in runs for row in _rows(run))])
    return out.getvalue()


def _rows(run: Summary) -> list[list[Any]]:
    about = [run.key, run.state, run.data, run.model, run.seed]
    ended = [run.seconds, run.setting]
    # Undefined numbers are left empty, as the JSON has null.
    rows = [
        plain([*about, one.quantity, one.value, one.low, one.high, one.n, *ended])
        for one in main_numbers(run)
    ]
    return rows or [[*about, "", "", "", "", "", *ended]]
