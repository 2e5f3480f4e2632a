"""A replacement that is broken at one of its system calls, whichever they are: they are counted,
not listed by hand.

    python -m tests.breaking FOLDER file|folder

replaces in FOLDER once for each call and is killed there, leaving FOLDER/1, FOLDER/2, …
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import write_whole

CALLS = (
    "mkdir",
    "rename",
    "replace",
    "chmod",
    "unlink",
    "rmdir",
    "stat",
    "lstat",
    "open",
    "scandir",
)
OLD, NEW = {"one": "old", "two": "old"}, {"one": "new", "two": "new", "three": "new"}
NAME = "kept"
How = Callable[[], None]


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted() -> None:
    raise KeyboardInterrupt


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Break:
    """Break the call with one number, before its work or after it; ``count`` says how many there
    were.
    """

    def __init__(self, number: int, how: How, *, after: bool = False) -> None:
        self.number, self.how, self.after, self.count = number, how, after, 0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def broken(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            mine = self.count == self.number
            if mine and not self.after:
                self.how()
            done = call(*arguments, **options)
            if mine and self.after:
                self._close(call, done)
                self.how()
            return done

        return broken

    def _close(self, call: Callable[..., Any], done: Any) -> None:
        if call is os.open:
            os.close(done)
        elif hasattr(done, "close"):
            done.close()


@contextmanager
def breaking(one: Break) -> Iterator[None]:
    """Let every system call of a replacement pass by ``one``."""
    plain = {name: getattr(os, name) for name in CALLS}
    try:
        for name, real in plain.items():
            setattr(os, name, one.around(real))
        yield
    finally:
        for name, real in plain.items():
            setattr(os, name, real)


def fill(place: Path, content: dict[str, str], kind: str) -> None:
    """Write a file, or a folder with a file for each name."""
    if kind == "file":
        place.write_text(json.dumps(content))
        return
    place.mkdir()
    for name, text in content.items():
        (place / name).write_text(text)


def found(place: Path) -> str:
    """Say what lies at a place: old, new, nothing, or a mix of them."""
    if not os.path.lexists(place):
        return "nothing"
    held = (
        json.loads(place.read_text())
        if place.is_file()
        else {file.name: file.read_text() for file in place.iterdir()}
    )
    return "old" if held == OLD else "new" if held == NEW else "a mix"


def replace(folder: Path, kind: str) -> Path:
    return write_whole(folder / NAME, lambda aside: fill(aside, NEW, kind))


def broken_at_each(
    folder: Path, kind: str, how: How, *, after: bool
) -> Iterator[tuple[Path, bool]]:
    """Break a replacement at its first call, at its second, and so on; yield each place, and
    whether it was told.
    """
    number = 0
    while True:
        number += 1
        here = folder / str(number)
        here.mkdir(parents=True)
        fill(here / NAME, OLD, kind)
        one, message = Break(number, how, after=after), False
        try:
            with breaking(one):
                replace(here, kind)
        except (OSError, KeyboardInterrupt):
            message = True
        yield here / NAME, message
        if one.count < number:
            return


def killed_at_each(folder: Path, kind: str) -> None:
    """Do the same in processes that are killed, until one is not."""
    status, number = -1, 0
    while status != 0:
        number += 1
        here = folder / str(number)
        here.mkdir(parents=True)
        fill(here / NAME, OLD, kind)
        child = os.fork()
        if child == 0:
            with breaking(Break(number, killed)):
                replace(here, kind)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status in (0, signal.SIGKILL)


if __name__ == "__main__":
    killed_at_each(Path(sys.argv[1]), sys.argv[2])
