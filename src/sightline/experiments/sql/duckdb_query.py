"""Answer one SQL query on a store: DuckDB in memory sees the tables of the store and
nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sightline.core.errors import MissingExtra, SpecError, StoreError
from sightline.core.installation import install_line
from sightline.experiments.sql.dates import dates_as_text
from sightline.experiments.sql.query_result import QueryResult
from sightline.experiments.sql.store_tables import TABLES, SqlTable
from sightline.experiments.sql.table_streams import Stream
from sightline.experiments.store import Store, Summary

_SEALED = {
    # no file is read or written, nothing attached, no extension loaded
    "enable_external_access": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "python_enable_replacements": "false",  # a name in a query is a table, never a Python variable
    # a query that does not fit into memory is refused, so nothing is written next to the user's
    # files
    "temp_directory": "",
    "threads": "1",  # rows keep their order, and equal queries give equal bytes
}
"""How a query is confined to the tables it is given; `docs/decisions/0080-sql.md` says what each
setting closes."""
_QUERIES = ("SELECT", "MULTI")
"""The statements that are queries, as DuckDB names them; the second is PIVOT, which first queries
its columns."""

_PACKAGES = ("pyarrow", "duckdb")


def check_sql() -> None:
    """Refuse if the packages for SQL are not installed; they are imported only where the query
    runs.
    """
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise _missing(f"{' and '.join(missing)} not installed")


def ask(store: Store, query: str, *, memory: int | None = None, typed: bool = False) -> QueryResult:
    """Answer a query from what the store holds now. Only tables that it names are read; two of them
    read whole audits.

    DuckDB takes at most ``memory`` bytes to sort and group. Dates and times become text, as DuckDB
    writes them, unless ``typed`` asks for their types: Python has no date before the year 1, after
    9999 or at infinity.
    """
    duckdb = import_duckdb()
    runs = cache(partial(_every_run, store))  # all tables of an answer describe the same runs
    streams = {
        name: Stream(table, partial(_rows, table, store, runs)) for name, table in TABLES.items()
    }
    config = _SEALED if memory is None else {**_SEALED, "memory_limit": f"{memory}B"}
    try:
        with closing(duckdb.connect(":memory:", config=config)) as sealed:
            for name, stream in streams.items():
                sealed.register(name, stream)
            _check_query(sealed, query)
            found = sealed.sql(query)
            return QueryResult((found if typed else dates_as_text(found)).to_arrow_table())
    except duckdb.OutOfMemoryException as error:
        raise MemoryError(str(error).partition("\n")[0]) from error
    except duckdb.Error as error:
        raise _failure(streams) or SpecError(_describe(str(error)), field="sql") from error


def _every_run(store: Store) -> tuple[Summary, ...]:
    """Read every summary; a run that is missing would make a count wrong without a word."""
    found, torn = store.listed()
    if torn:
        raise StoreError(
            f"{store.run_folder(torn[0])}: torn or changed, so the query would miss it; make the run "
            "again, or remove its folder (`sightline results --check` finds all such runs)"
        )
    return found


def _rows(table: SqlTable, store: Store, runs: Any) -> Any:
    return table.rows(store, runs())


def _check_query(sealed: Any, query: str) -> None:
    """Refuse anything but one query."""
    kinds = [statement.type.name for statement in sealed.extract_statements(query)]
    if len(kinds) != 1:
        raise SpecError(
            f"expected one query, got {len(kinds) or 'none'}; ask one at a time", field="sql"
        )
    if kinds[0] not in _QUERIES:
        raise SpecError(
            f"expected a query such as SELECT, got {kinds[0]}; a store is only read here",
            field="sql",
        )


def _failure(streams: Mapping[str, Stream]) -> BaseException | None:
    """Return the error raised while rows were read, if that ended the query."""
    return next((one.failure for one in streams.values() if one.failure is not None), None)


def _describe(message: str) -> str:
    """Write DuckDB's message on one line, without the markers that point into the query, and name
    the tables.
    """
    lines = [line for line in map(str.strip, message.splitlines()) if line.strip("^")]
    return (
        f"{' '.join(lines)}; the tables are {', '.join(TABLES)} (DESCRIBE runs names the columns "
        "of one)"
    )


def import_duckdb() -> Any:
    """Import the packages for SQL, which are an extra."""
    try:
        return [import_module(name) for name in _PACKAGES][-1]
    except ImportError as error:
        raise _missing(str(error)) from error


def _missing(why: str) -> MissingExtra:
    return MissingExtra(f"SQL needs DuckDB and pyarrow ({why}): {install_line('duckdb')}")
