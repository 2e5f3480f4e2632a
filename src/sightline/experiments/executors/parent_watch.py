"""A worker ends with its parent: left alone it would compute for nobody, and keep its claim from
whoever comes next.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess

ORPHANED = 1
"""The exit code of a worker whose parent is gone, which nobody is left to read."""
_PR_SET_PDEATHSIG = 1


def end_with_parent(grace: float = 0.0) -> None:
    """End this process as soon as the one that started it has ended, whatever is going on here.

    With ``grace`` it has so many seconds more, to end first what it has started itself.
    """
    parent = multiprocessing.parent_process()
    if parent is None or parent.pid is None:
        return
    threading.Thread(target=_wait_for, args=(parent, grace), daemon=True).start()
    if sys.platform == "linux" and not grace:
        _die_with(parent.pid)


def _wait_for(parent: BaseProcess, grace: float) -> None:
    parent.join()
    time.sleep(grace)
    os._exit(ORPHANED)


def _die_with(parent: int) -> None:
    """Have Linux kill this process with its parent: a long computation may let no thread of ours
    look.

    The kernel means the thread that started us, and an executor starts its workers and hears them
    in one.
    """
    with suppress(OSError, AttributeError):  # a system without prctl: the thread that waits must do
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(ORPHANED)
