"""Runs a case in a room of its own and says what is wrong with how it ended; nothing, as a rule."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.basis import Basis, write_basis
from tests.fuzz.case import Case, Drawn
from tests.terminal import OBEYED

ROOT = Path(__file__).resolve().parents[2]
CODES = (0, 2, 4)
SECONDS, BYTES = 10, 2**30
"""What a case may take: of one processor, and of memory."""
_OF_OTHERS = ("cache", "tmp/torchinductor_", "here/st/index.sqlite")
"""What is made again from what was read, wherever it is missing, and a folder that torch makes
where it trains."""
Tree = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Ended:
    """How a case ended, what it took, and what is wrong with that."""

    code: int
    seconds: float
    bytes: int
    faults: tuple[str, ...]


class Watch:
    """A server of cases and a place for their rooms; to be used in a ``with``."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.server"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()
        self.basis = Basis(place / "basis")
        write_basis(
            self.basis.folder, lambda *argv: self._run(Case(argv), self.basis.folder, place)["code"]
        )

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def play(self, drawn: Drawn, seed: str) -> tuple[Case, Ended]:
        """Draw a case, run it, and look at what it left."""
        room = self.place / "room"
        here = room / "here"
        for folder in (here, room / "home", room / "tmp", room / "beside"):
            folder.mkdir(parents=True)
        (room / "beside" / "keep.txt").write_text("of somebody else\n", encoding="utf-8")
        try:
            case = drawn(Random(seed), here, self.basis)
            before = tree(room)
            result = self._run(case, here, room)
            return case, Ended(
                result["code"],
                result["seconds"],
                result["bytes"],
                tuple(self._faults(case, result, before)),
            )
        finally:
            for path in room.rglob("*"):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
            shutil.rmtree(room)

    def printed(self) -> str:
        """What the last case printed."""
        return "\n".join(
            (self.place / name).read_text(encoding="utf-8", errors="replace")
            for name in ("out", "err")
        )

    def _run(self, case: Case, here: Path, room: Path) -> dict[str, Any]:
        """Run a case in a folder; its streams go to files beside all rooms."""
        own = {"HOME": room / "home", "TMPDIR": room / "tmp", "SIGHTLINE_CACHE": room / "cache"}
        values = {
            "argv": case.argv,
            "folder": str(here),
            "stdout": case.stdout,
            "out": str(self.place / "out"),
            "err": str(self.place / "err"),
            "environ": {name: str(path) for name, path in own.items()},
        }
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(values) + "\n")
        self._server.stdin.flush()
        return dict(json.loads(self._answer()))

    def _answer(self) -> str:
        assert self._server.stdout is not None
        if not (line := self._server.stdout.readline()):
            raise AssertionError("the server of cases has ended")
        return line

    def _faults(self, case: Case, message: Mapping[str, Any], before: Tree) -> Iterator[str]:
        out, error = (self.place / "out").read_bytes(), (self.place / "err").read_bytes()
        last = error.rstrip(b"\n").rpartition(b"\n")[2]
        if message["code"] not in CODES or b"Traceback" in error:
            yield f"ended with {message['code']}: {error[-2000:].decode(errors='replace')}"
        if message["code"] == 2 and not last.startswith((b"error: ", b"FAILED")):
            yield f"does not say what is wrong: {error[-500:]!r}"
        if obeyed := OBEYED.findall((out + error).decode(errors="replace")):
            yield f"prints what a terminal obeys: {obeyed[:5]!r}"
        if message["seconds"] > SECONDS:
            yield f"took {message['seconds']:.1f} s"
        if message["bytes"] > BYTES:
            yield f"took {message['bytes'] / 2**20:.0f} MiB"
        if message["left_running"]:
            yield "left a process running"
        yield from left_behind(case, message["code"], before, tree(self.place / "room"))


def left_behind(case: Case, code: int, before: Tree, after: Tree) -> Iterator[str]:
    """Say what was changed that was there, and what is new where it may not be."""
    may = code != 2 or case.stdout == "full"  # which is found out last
    allowed = [os.path.normpath(f"here/{place}") for place in case.writes] if may else []
    for name in sorted({*before, *after}):
        inside = any(name == place or name.startswith(f"{place}/") for place in allowed)
        if before.get(name) == after.get(name) or name.startswith(_OF_OTHERS):
            continue
        if name not in after or (name in before and not inside):
            yield f"{'changed' if name in after else 'removed'} {name!r}"
        elif not inside and not any(
            place.startswith(f"{name}/") for place in allowed
        ):  # a folder above is made, too
            yield f"left {name!r}"
        elif any(part.startswith(".") for part in Path(name).parts):
            yield f"left something hidden: {name!r}"


def tree(folder: Path) -> Tree:
    """Describe all that is in a folder: kinds, permissions, and what is in files."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        content: Any = None
        if stat.S_ISREG(about.st_mode):
            content = (
                about.st_size,
                hashlib.sha256(path.read_bytes()).hexdigest() if about.st_size < 2**24 else "",
            )
        elif stat.S_ISLNK(about.st_mode):
            content = str(path.readlink())
        found[str(path.relative_to(folder))] = (about.st_mode, content)
    return found
