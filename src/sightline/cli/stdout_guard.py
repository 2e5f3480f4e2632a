"""Send the output of a model's code to stderr, because stdout is reserved for the command's output.

If a model calls `os._exit`, which no code can catch, a message is printed first.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import NoReturn, TextIO, TypeVar

from sightline.cli.exit_codes import WRONG_INPUT
from sightline.cli.output import print_message

T = TypeVar("T")
OUT, ERROR = 1, 2
"""File descriptors of the process."""


@contextmanager
def printed_aside() -> Iterator[None]:
    """Send to stderr what Python, and libraries below it, print meanwhile."""
    with _exits_said(), _below(sys.stdout), redirect_stdout(sys.stderr):
        yield


def each_aside(items: Iterable[T]) -> Iterator[T]:
    """Yield items one by one; what is printed while making an item goes to stderr."""
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
    """Print a message if a model ends the process with `os._exit`; processes that it forks may do
    so.
    """
    leave, mine = os._exit, os.getpid()

    def said(status: int) -> NoReturn:
        if os.getpid() == mine:
            print_message(
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
    """Redirect the file descriptor too, if Python's stdout is the stdout of the process."""
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
            own.flush()  # flush what was written past the redirection
            ctypes.CDLL(None).fflush(None)  # flush what C has printed
        os.dup2(kept, OUT)
        os.close(kept)


def _is_of_process(stream: TextIO) -> bool:
    with suppress(OSError, AttributeError, ValueError):
        return stream.fileno() == OUT
    return False
