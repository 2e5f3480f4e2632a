"""Stop a command on SIGTERM, which job queues and service managers send, as on Ctrl-C; no signal is
lost.

Either signal raises an exception that unwinds the running code. Python drops an exception raised in
a ``__del__`` or in the callback of a weak reference, and other code may catch it. So it is raised
again until it unwinds something; while torch is imported it waits. After a second signal the
unwinding has a few more seconds; then the process ends.
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
"""Seconds after which a lost stop is raised again."""
GRACE = 5.0
"""Seconds that a second signal leaves for unwinding."""
CODES: Mapping[int, int] = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The exit codes of a command that was stopped."""
_SAID = b"error: ended at the second signal; a hidden file may be left next to an output\n"


class Terminated(BaseException):
    """Raised on SIGTERM. It is no `Exception`, as KeyboardInterrupt is none, so that error handlers
    do not catch it.
    """


STOPS = (KeyboardInterrupt, Terminated)
_WORDS = {130: "interrupted", 143: "terminated"}


class _Stop:
    """A requested stop: its first signal, the number of signals, and whether the command
    has ended.
    """

    def __init__(self) -> None:
        self.first, self.signals, self.over = 0, 0, False

    def raised(self) -> BaseException:
        """Make the exception that unwinds the running code."""
        return Terminated() if self.first == signal.SIGTERM else KeyboardInterrupt()


class _Now:
    """The current stop of this process, if any, and the handlers that were replaced."""

    stop = _Stop()
    noted = False
    replaced: tuple[Any, ...] = ()


def heed_stops() -> None:
    """Let SIGTERM and Ctrl-C unwind the running code, unless the parent process ignores them."""
    heed_sigterm()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _heard)


def heed_sigterm() -> None:
    """Let SIGTERM unwind the running code, unless the parent process ignores it."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        _Now.stop = _Stop()
        _note_signals()
        signal.signal(signal.SIGTERM, _heard)


def stop_code() -> int:
    """Return the exit code of the requested stop; 0 if there is none."""
    return CODES.get(_Now.stop.first, 0)


def stopped() -> int:
    """Mark the stop as finished at the end of the command, and return its exit code; 0 if there is
    none.
    """
    stop, code = _Now.stop, stop_code()
    stop.over = True
    _rest()
    stop.first = 0
    return code


def say_stopped(code: int = 0) -> int:
    """Print which signal stopped the command, and return its exit code."""
    code = stopped() or code or CODES[signal.SIGINT]
    print(f"error: {_WORDS[code]}; nothing is half-written", file=sys.stderr)
    return code


def leave(code: int) -> NoReturn:
    """Leave Python with an exit code. From here on a signal ends the process at once: nothing needs
    unwinding.
    """
    stopped()
    for number in CODES:
        if signal.getsignal(number) is _heard:
            signal.signal(number, signal.SIG_DFL)
    sys.exit(code)


def _heard(number: int, frame: FrameType | None) -> None:
    """Raise a stop, or raise it again if it was lost; Python calls this between two steps of the
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
    if _Now.replaced and _torch_begins():
        return  # the timer raises it once torch is imported
    raise stop.raised()


def _raise_again(number: int, frame: FrameType | None) -> None:
    """Raise a stop again that has not ended the command and unwinds nothing any more."""
    stop = _Now.stop
    if stop.first and not stop.over and not _unwinds() and not _torch_begins():
        raise stop.raised()


def _unwinds() -> bool:
    """Tell whether the main thread is handling a stop, or an error raised while handling one."""
    error, seen = sys.exception(), set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, STOPS):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def _torch_begins() -> bool:
    """Tell whether torch is being imported: its C++ parts abort the process when Python code that
    they call raises an exception.
    """
    spec = getattr(sys.modules.get("torch"), "__spec__", None)
    return getattr(spec, "_initializing", False)


def _look_again() -> None:
    """Set a timer that checks again; on systems without one, a lost stop needs a second signal."""
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
    """Stay silent about a stop that Python drops, because it is raised again."""
    if not issubclass(dropped.exc_type, STOPS):
        usual(dropped)


def _note_signals() -> None:
    """Watch for signals in a thread, because the main thread may be in one long step of torch."""
    if _Now.noted:
        return
    _Now.noted = True
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):  # a forked copy of this process has its own signals
        os.register_at_fork(after_in_child=partial(signal.set_wakeup_fd, -1))
    _thread.start_new_thread(_see, (read,))


def _see(read: int) -> None:
    """Count signals; the second one ends the process some seconds later, unless the first has ended
    it.
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
