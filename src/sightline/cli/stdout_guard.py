"""What a model prints while it runs goes to stderr, since stdout is for the output of the command
alone.

And a model that ends the process by `os._exit`, which no code can catch, says so first.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import NoReturn, TextIO, TypeVar

from sightline.cli.exit_codes import WRONG_INPUT
from sightline.cli.output import tell

T = TypeVar("T")
OUT, ERROR = 1, 2
"""File descriptors of the process."""


@contextmanager
def printed_aside() -> Iterator[None]:
    """Send to stderr what is printed meanwhile, by Python and by libraries below it."""
    with _exits_said(), _below(sys.stdout), redirect_stdout(sys.stderr):
        yield


def each_aside(items: Iterable[T]) -> Iterator[T]:
    """Give items one by one, and send to stderr what is printed while one is made."""
    waiting = iter(items)
    while True:
        with printed_aside():
            try:
                item = next(waiting)
            except StopIteration:
                return
        yield item


@contextmanager
def _exits_said() -> Iterator[None]:
    """Say who ended the process where a model calls `os._exit`; a process that it forks may leave
    as it likes.
    """
    leave, mine = os._exit, os.getpid()

    def said(status: int) -> NoReturn:
        if os.getpid() == mine:
            tell(
                "error: the code of the model ended this process, by "
                f"os._exit({status!r:.20}); nothing was written"
            )
            sys.stderr.flush()
            leave(WRONG_INPUT)
        leave(status)

    os._exit = said
    try:
        yield
    finally:
        os._exit = leave


@contextmanager
def _below(own: TextIO) -> Iterator[None]:
    """Do it for the file descriptor as well, where Python's stdout is that of the process."""
    if not _is_of_process(own):
        yield
        return
    own.flush()
    kept = os.dup(OUT)
    try:
        os.dup2(ERROR, OUT)
        yield
    finally:
        with suppress(OSError, AttributeError):
            own.flush()  # what was written past the redirection
            ctypes.CDLL(None).fflush(None)  # what C has printed and not yet written
        os.dup2(kept, OUT)
        os.close(kept)


def _is_of_process(stream: TextIO) -> bool:
    with suppress(OSError, AttributeError, ValueError):
        return stream.fileno() == OUT
    return False
