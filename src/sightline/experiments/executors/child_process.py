"""Start processes that ignore Ctrl-C, import nothing from the current folder and end with their
parent.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

ORPHANED = 1
"""The exit code of a child whose parent has ended."""
BLOCKS = hasattr(signal, "pthread_sigmask")
"""Whether the system can block a signal; Windows cannot."""


def start(target: Callable[..., None], *given: Any) -> tuple[BaseProcess, Connection]:
    """Start a process with one end of a pipe and the arguments ``given``; return it and the other
    end.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_deaf, args=(target, there, *given), daemon=True)
    with _safe_path(), _sigint_waits():  # the helper that both start imports nothing either
        process.start()
    there.close()
    return process, here


def _deaf(target: Callable[..., None], *given: Any) -> None:
    """Run a child that ignores Ctrl-C; only the parent answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if BLOCKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    target(*given)


@contextmanager
def _sigint_waits() -> Iterator[None]:
    """Block Ctrl-C while a child starts, which inherits that until it ignores it. The parent gets
    what came meanwhile; ignoring it here would lose it.
    """
    if not BLOCKS:
        yield
        return
    resource_tracker.ensure_running()  # otherwise starting it unblocks the signal on the way
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:  # a signal that another thread has seen is raised by the very call that blocks it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Start a process that imports nothing from the current folder: a user's ``core/protocols.py``
    may lie next to a table there.

    A worker starts as ``python -c``, which searches that folder first. An environment variable
    prevents it, because multiprocessing starts a helper process on the way.
    """
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def end_with_parent(grace: float = 0.0) -> None:
    """End this process once its parent has ended; otherwise it would hold its claim and compute in
    vain.

    ``grace`` is the number of seconds it keeps to end what it has started itself. A thread can wait
    for the parent on every system, and torch and numpy let threads run while they compute.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent, grace), daemon=True).start()


def _leave_after(parent: BaseProcess, grace: float) -> None:
    parent.join()
    time.sleep(grace)
    os._exit(ORPHANED)


def silence() -> None:
    """Let this process write nothing to stdout and stderr, not even from outside Python."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
