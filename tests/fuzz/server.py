"""A process that has imported everything once, and runs each case it is told of in a fork of its
own.

Told on stdin, a line of JSON a case; it answers with a line of JSON: how the case ended, and what
it took. The fork ends as the command does, by the door of the command line; where it is about
stdout, through the shutdown of the interpreter as well, which is what writes last.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
from typing import Any

import sightline
from sightline.cli.entry_point import main

WALL, PROCESSOR = 60, 30
"""Seconds after which a case is killed; far above what it may take, so that what it took is known
as a rule."""
_STEP = 0.005
LATE = 10.0
"""Seconds after which a process that a case has left counts as one that stays."""


def serve() -> bool:
    """Run cases until there are no more; returns in the fork that is to run one, and whether it may
    leave at once.
    """
    _import_everything()
    gc.freeze()  # so that a fork copies no page for the sake of counting
    print("ready", flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        if (pid := os.fork()) == 0:
            _become(case)
            return bool(case["stdout"] == "file")
        print(json.dumps(_waited(pid)), flush=True)
    sys.exit(0)


def _import_everything() -> None:
    importlib.import_module("transformers.models.bert.modeling_bert")
    for module in pkgutil.walk_packages(sightline.__path__, "sightline."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _become(case: dict[str, Any]) -> None:
    """Take the folder, the streams, the limits and the arguments of a command that a shell had
    started.
    """
    sys.dont_write_bytecode = True  # the code of a user's own model lies in the folder
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    os.environ.update(case["environ"])
    os.chdir(case["folder"])
    sys.argv = ["sightline", *case["argv"]]
    out = os.open(
        "/dev/full" if case["stdout"] == "full" else case["out"],
        os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    )
    error = os.open(case["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream, to in ((0, os.open(os.devnull, os.O_RDONLY)), (1, out), (2, error)):
        os.dup2(to, stream)
        os.close(to)
    if case["stdout"] == "closed":
        os.close(1)
        sys.stdout = None  # type: ignore[assignment]  # as Python does where it finds none


def _waited(pid: int) -> dict[str, Any]:
    began, killed = time.monotonic(), False
    while True:
        found, status, used = os.wait4(pid, os.WNOHANG)
        if found:
            break
        if not killed and time.monotonic() - began > WALL:
            killed = bool(_signal(pid, signal.SIGKILL))
        time.sleep(_STEP)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": used.ru_utime + used.ru_stime,
        "bytes": used.ru_maxrss * 1024,
        "left_running": _lives_on(pid),
    }


def _lives_on(group: int) -> bool:
    """Tell whether anything of a case is still there a moment later, and end it: a helper of
    Python's ends after it.
    """
    end = time.monotonic() + LATE
    while _signal(group, 0) and time.monotonic() < end:
        time.sleep(_STEP)
    return _signal(group, signal.SIGKILL)


def _signal(group: int, number: int) -> bool:
    """Send a signal to all that is left of a case; tells whether anything was."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def _leave(code: object) -> None:
    """Leave without taking the interpreter down, which costs more than most cases."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    at_once = serve()
    try:
        main()
    except SystemExit as ended:
        if at_once:
            _leave(ended.code)
        raise
