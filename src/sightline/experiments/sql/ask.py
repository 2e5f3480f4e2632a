"""One question to a store, in SQL: DuckDB in memory, which sees the tables of the store and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from functools import cache, partial
from importlib import import_module
from threading import Event
from typing import Any

from sightline.errors import MissingExtra, SpecError
from sightline.experiments.sql.answer import Answer
from sightline.experiments.sql.streams import Stream
from sightline.experiments.sql.tables import TABLES, SqlTable
from sightline.experiments.store import Store
from sightline.installing import install_line

_SEALED = {
    "enable_external_access": "false",  # no file is read or written, nothing attached, no extension loaded
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "python_enable_replacements": "false",  # a name in a query is a table, and no variable of ours
    "temp_directory": "",  # what does not fit into memory is refused, not written beside the user's files
    "threads": "1",  # rows come one after another; and equal questions have equal bits
}
"""How a query is kept to the tables it is given; `docs/decisions/0080-sql.md` says what each closes."""
_QUERIES = ("SELECT", "MULTI")
"""The statements that are queries, as DuckDB calls them; the second is PIVOT, which asks for its columns first."""


def check_sql() -> None:
    """Refuse where what answers SQL is not installed."""
    _duckdb()


def ask(store: Store, query: str) -> Answer:
    """Answer a query from what the store holds now; only tables that it names are read, and whole audits for two."""
    duckdb = _duckdb()
    runs = cache(store.summaries)  # every table of an answer is of the same runs
    streams = {name: Stream(table, partial(_rows, table, store, runs)) for name, table in TABLES.items()}
    with closing(duckdb.connect(":memory:", config=_SEALED)) as sealed:
        for name, stream in streams.items():
            sealed.register(name, stream)
        try:
            _check_query(sealed, query)
            return Answer(_interruptible(sealed, lambda: sealed.sql(query).to_arrow_table()))
        except duckdb.Error as error:
            raise _failure(streams) or SpecError(_told(str(error)), field="sql") from error


def _rows(table: SqlTable, store: Store, runs: Any) -> Any:
    return table.rows(store, runs())


def _interruptible(sealed: Any, work: Callable[[], Any]) -> Any:
    """Do what takes long beside this thread: DuckDB would tell Ctrl-C and SIGTERM from no other end of a query."""
    gate, stopped, job = Event(), Event(), None

    def begin() -> Any:
        gate.wait()  # until whoever waits for it would notice a signal
        return None if stopped.is_set() else work()

    with ThreadPoolExecutor(max_workers=1) as beside:
        try:
            job = beside.submit(begin)
            gate.set()
            return job.result()
        except BaseException:
            stopped.set()
            gate.set()
            while job is not None and not job.done():  # a query that has not quite begun is deaf to it
                sealed.interrupt()
                wait([job], timeout=0.05)
            raise


def _check_query(sealed: Any, query: str) -> None:
    """Refuse what is not one query."""
    kinds = [statement.type.name for statement in sealed.extract_statements(query)]
    if len(kinds) != 1:
        raise SpecError(f"expected one query, got {len(kinds) or 'none'}; ask one at a time", field="sql")
    if kinds[0] not in _QUERIES:
        raise SpecError(f"expected a query such as SELECT, got {kinds[0]}; a store is only read here", field="sql")


def _failure(streams: Mapping[str, Stream]) -> BaseException | None:
    """Give what went wrong while rows were read, if that is why the query ended."""
    return next((one.failure for one in streams.values() if one.failure is not None), None)


def _told(message: str) -> str:
    """Put DuckDB's message on a line, without the signs that point into the query; and say what could be asked."""
    lines = [line for line in map(str.strip, message.splitlines()) if line.strip("^")]
    return f"{' '.join(lines)}; the tables are {', '.join(TABLES)} (DESCRIBE runs names the columns of one)"


def _duckdb() -> Any:
    try:
        import_module("pyarrow")
        return import_module("duckdb")
    except ImportError as error:
        raise MissingExtra(f"SQL needs DuckDB and pyarrow ({error}): {install_line('duckdb')}") from error
