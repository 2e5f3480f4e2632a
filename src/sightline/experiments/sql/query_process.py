"""Run a query in a process of its own, which can be ended at any moment and has a memory limit.

DuckDB does not check for an interrupt within one call of a function, and ``repeat`` alone can take
minutes and all of the memory. The process writes the whole answer in its final form, so that the
limit covers that, too.
"""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any, cast

from sightline.core.errors import SightlineError, SpecError
from sightline.experiments.executors.child_process import end_with_parent, silence, start

_PIECE = 2**20
"""Bytes, or characters, per piece of an answer."""


def ask_apart(
    root: Path,
    query: str,
    form: str,
    memory: int,
    write: Callable[[Any], object],
    replaced: Path | None = None,
) -> int:
    """Pass an answer to ``write``, piece by piece, in a form of `KINDS` (bytes) or `PRINTED`
    (text); return its number of rows.

    The process has ended afterwards, however this ends. A file that would be ``replaced`` must hold
    such an answer.
    """
    process, pipe = start(_answer, root, query, form, memory, replaced)
    try:
        while isinstance(came := _received(pipe, process, memory), str | bytes):
            write(came)
    finally:
        process.kill()
        process.join()
        pipe.close()
    if isinstance(came, BaseException):
        raise came
    return came


def _received(pipe: Connection, process: BaseProcess, memory: int) -> str | bytes | int | Exception:
    try:
        came: str | bytes | int | Exception = pipe.recv()
    except (EOFError, OSError):  # it was killed, or could not say why it ended
        process.join()
        return _too_large(memory, f"its process ended with {_cause(process.exitcode)}")
    return came


def _too_large(memory: int, why: str) -> SpecError:
    message = f"the query needs more than {memory / 2**20:,.0f} MiB of memory ({why})"
    return SpecError(f"{message}; ask for less, or allow more", field="memory")


def _cause(code: int | None) -> str:
    with suppress(ValueError):
        return signal.Signals(-(code or 0)).name
    return f"code {code}"


def _answer(
    pipe: Connection, root: Path, query: str, form: str, memory: int, replaced: Path | None
) -> None:
    """Answer a query in this process, and send the pieces, then the number of rows; or send the
    error.
    """
    end_with_parent()
    silence()  # the parent reports its errors
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others reserve more than they use
    try:
        pipe.send(_answered(pipe, root, query, form, memory, replaced))
    except SightlineError as error:
        pipe.send(error)
    except MemoryError as error:
        pipe.send(_too_large(memory, str(error) or "Python's"))
    except Exception as error:  # as text: not every error can go through a pipe
        pipe.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _answered(
    pipe: Connection, root: Path, query: str, form: str, memory: int, replaced: Path | None
) -> int:
    from sightline.experiments.sql.duckdb_query import ask, import_duckdb  # noqa: PLC0415
    from sightline.experiments.sql.memory_limit import limit_memory  # noqa: PLC0415
    from sightline.experiments.sql.query_result import KINDS, PRINTED, check_replaced  # noqa: PLC0415  (the parent does without)
    from sightline.experiments.store import Store  # noqa: PLC0415

    import_duckdb()
    limit_memory(memory)
    answer = ask(Store(root), query, memory=memory, typed=form == ".parquet")
    if replaced is not None:
        check_replaced(replaced, answer)
    if form in PRINTED:
        for piece in _pieces(PRINTED[form](answer)):
            pipe.send(piece)
    else:
        with io.BufferedWriter(_Pieces(pipe), _PIECE) as file:
            KINDS[form](answer, cast(IO[bytes], file))
    return len(answer)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


class _Pieces(io.RawIOBase):
    """A file whose bytes go through a pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def writable(self) -> bool:
        """Report that it is writable, as a buffer requires."""
        return True

    def write(self, content: object) -> int:
        """Send what a buffer has gathered."""
        whole = memoryview(cast(bytes, content))
        for begin in range(0, len(whole), _PIECE):
            self._pipe.send(bytes(whole[begin : begin + _PIECE]))
        return len(whole)
