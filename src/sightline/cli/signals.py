"""SIGTERM, as a job queue or a service manager sends it, stops a command as Ctrl-C does; and each
is heard.

Either raises an exception that unwinds what runs. Python drops an exception that is raised in a
``__del__`` or in the callback of a weak reference, and others may catch it: as long as it unwinds
nothing it is raised again. A second signal leaves what unwinds a few seconds more, and then the
process ends, whatever it is at.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, NoReturn

AGAIN = 0.1
"""Seconds after which a stop that has been lost is raised again."""
GRACE = 5.0
"""Seconds that a second signal leaves to what the first one ends."""
CODES: Mapping[int, int] = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The exit codes of a command that was stopped."""
_SAID = b"error: ended at the second signal; a hidden file may be left beside an output\n"


class Terminated(BaseException):
    """SIGTERM came. Like KeyboardInterrupt it is no error, so that nobody who catches errors takes
    it for one.
    """


STOPS = (KeyboardInterrupt, Terminated)
_WORDS = {130: "interrupted", 143: "terminated"}


class _Stop:
    """A stop that was asked for: by which signal first, by how many, and whether the command has
    ended.
    """

    def __init__(self) -> None:
        self.first, self.signals, self.over = 0, 0, False

    def raised(self) -> BaseException:
        """Make the exception that unwinds what runs."""
        return Terminated() if self.first == signal.SIGTERM else KeyboardInterrupt()


class _Now:
    """The stop that this process may be at, and what the first signal replaced."""

    stop = _Stop()
    noted = False
    replaced: tuple[Any, ...] = ()


def heed_stops() -> None:
    """Let SIGTERM and Ctrl-C unwind what runs, unless the process that started this one ignores
    them.
    """
    heed_sigterm()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _heard)


def heed_sigterm() -> None:
    """Let SIGTERM unwind what runs, unless whoever started us wants it ignored."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        _Now.stop = _Stop()
        _note_signals()
        signal.signal(signal.SIGTERM, _heard)


def stop_code() -> int:
    """Give the exit code of the stop that was asked for; 0 where none was."""
    return CODES.get(_Now.stop.first, 0)


def stopped() -> int:
    """End a stop, as the command has come to its end, and give its exit code; 0 where none was
    asked for.
    """
    stop, code = _Now.stop, stop_code()
    stop.over = True
    _rest()
    stop.first = 0
    return code


def say_stopped(code: int = 0) -> int:
    """Say in a line by what the command was stopped, and give its exit code."""
    code = stopped() or code or CODES[signal.SIGINT]
    print(f"error: {_WORDS[code]}; nothing is half-written", file=sys.stderr)
    return code


def leave(code: int) -> NoReturn:
    """Leave Python with an exit code: from here on a signal ends the process at once, as there is
    nothing to unwind.
    """
    stopped()
    for number in CODES:
        if signal.getsignal(number) is _heard:
            signal.signal(number, signal.SIG_DFL)
    sys.exit(code)


def _heard(number: int, frame: FrameType | None) -> None:
    """Raise a stop, or raise it again where it was lost; Python calls this between two steps of the
    main thread.
    """
    stop = _Now.stop
    if stop.over:
        os._exit(CODES[number])
    if not stop.first:
        stop.first = number
        _look_again()
    elif _unwinds():
        return
    raise stop.raised()


def _raise_again(number: int, frame: FrameType | None) -> None:
    """Raise a stop that has not ended the command and unwinds nothing any more."""
    stop = _Now.stop
    if stop.first and not stop.over and not _unwinds():
        raise stop.raised()


def _unwinds() -> bool:
    """Tell whether a stop is being handled in the main thread, or an error that came of handling
    one.
    """
    error, seen = sys.exception(), set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, STOPS):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def _look_again() -> None:
    """Have a timer of the system knock; a system without one leaves a stop that was lost to the
    second signal.
    """
    hook = sys.unraisablehook
    sys.unraisablehook = partial(_unraisable, hook)
    with suppress(AttributeError):
        _Now.replaced = hook, signal.signal(signal.SIGALRM, _raise_again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)


def _rest() -> None:
    if _Now.replaced:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook, before = _Now.replaced
        signal.signal(signal.SIGALRM, before)
        _Now.replaced = ()


def _unraisable(usual: Callable[[Any], object], dropped: Any) -> None:
    """Say nothing of a stop that Python drops, as it is raised again."""
    if not issubclass(dropped.exc_type, STOPS):
        usual(dropped)


def _note_signals() -> None:
    """Have a thread see every signal when it comes: the main thread may be within one long step of
    torch.
    """
    if _Now.noted:
        return
    _Now.noted = True
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):  # the signals of a copy of this process are not ours
        os.register_at_fork(after_in_child=partial(signal.set_wakeup_fd, -1))
    _thread.start_new_thread(_see, (read,))


def _see(read: int) -> None:
    """Count signals; the second for one stop ends the process, if the first has not done so some
    seconds later.
    """
    while seen := os.read(read, 1):
        number, stop = seen[0], _Now.stop
        if number in CODES and signal.getsignal(number) is _heard:
            stop.signals += 1
            if stop.signals == 2:
                _thread.start_new_thread(_end, (stop, number))


def _end(stop: _Stop, number: int) -> None:
    time.sleep(GRACE)
    if not stop.over:
        with suppress(OSError):
            os.write(2, _SAID)
        os._exit(CODES[stop.first or number])
