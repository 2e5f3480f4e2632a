"""SIGTERM, as a job queue or a service manager sends it, stops a command as Ctrl-C does."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(BaseException):
    """SIGTERM came. Like KeyboardInterrupt it is no error, so that nobody who catches errors takes it for one."""


def heed_sigterm() -> None:
    """Let SIGTERM unwind what runs, unless whoever started us wants it ignored."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not cut short what the first one ends
    raise Terminated
