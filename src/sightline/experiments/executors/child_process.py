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
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

ORPHANED = 1
"""The exit code of a child whose parent is gone."""


def start(target: Callable[..., None], *given: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that is handed its end of a pipe and what is ``given``; give it, and the
    other end.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, *given), daemon=True)
    with _deaf(), _safe_path():
        process.start()
    there.close()
    return process, here


@contextmanager
def _deaf() -> Iterator[None]:
    """Start a process that never hears Ctrl-C, not even while it imports: that is the parent's to
    answer.
    """
    if (
        threading.current_thread() is not threading.main_thread()
    ):  # only the main thread may set a handler
        yield
        return
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Start a process that imports nothing from the current folder, where a table may lie beside a
    ``core/protocols.py``.

    A worker begins as ``python -c``, which looks there first. By the environment, because the
    helper process of multiprocessing is started on the way.
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
    """End this process once its parent has ended; it would hold its claim and compute for nobody.

    ``grace`` is how many seconds it keeps to end what it has started itself. A thread can wait for
    the parent on every system, and torch and numpy let threads run while they compute.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent, grace), daemon=True).start()


def _leave_after(parent: BaseProcess, grace: float) -> None:
    parent.join()
    time.sleep(grace)
    os._exit(ORPHANED)
