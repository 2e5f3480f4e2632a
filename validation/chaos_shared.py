"""Two studies at once on one store: with the same runs, with some of them, and with one killed."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from chaos_study import (
    FIRST,
    LAST,
    SEEDS,
    Ground,
    Popen,
    as_unbroken,
    code_of,
    folders,
    gate,
    start,
    torn,
)

from sightline._io.checksums import MANIFEST
from sightline.experiments.store import Store

SAME, OVERLAPPING, ONE_KILLED = "the same runs", "overlapping runs", "one of the two killed"
FINISHED, UNFINISHED = 0, 4


@dataclass
class Seen:
    """Every version of a run or training that was ever in a store, identified by its file of
    checksums.
    """

    versions: set[tuple[str, int, int]]

    @property
    def once(self) -> int:
        """How many runs and trainings were made exactly once."""
        names = [name for name, _, _ in self.versions]
        return sum(names.count(name) == 1 for name in set(names))


@contextmanager
def watched(store: Store) -> Iterator[Seen]:
    """Look at a store repeatedly, much faster than anything in it is made."""
    seen, over = Seen(set()), threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.versions.update(_versions(store))
            over.wait(0.02)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()
        seen.versions.update(_versions(store))


def _versions(store: Store) -> Iterator[tuple[str, int, int]]:
    for folder in folders(store):
        try:
            found = (folder / MANIFEST).stat()
        except OSError:
            continue  # it is just being put in place
        yield folder.name, found.st_ino, found.st_mtime_ns


def sharing(ground: Ground, rounds: int, chance: random.Random) -> tuple[dict[str, Any], list[Any]]:
    """Let two studies work on one new store, a number of times in each way."""
    label, gates = dict[str, Any](), list[dict[str, Any]]()
    for how in (SAME, OVERLAPPING, ONE_KILLED):
        found = [_Round(ground, how, number, chance).ran() for number in range(rounds)]
        codes = [code for one in found for code in one["codes"]]
        label[how] = {
            "rounds": rounds,
            "exit_codes": {str(code): codes.count(code) for code in sorted(set(codes))},
        }
        for name in found[0]["counts"]:
            counted = [one["counts"][name] for one in found]
            gates.append(
                gate(
                    f"two studies, {how}: {name}",
                    sum(n for n, _ in counted),
                    sum(of for _, of in counted),
                )
            )
    return {"two_studies": label}, gates


class _Round:
    """One round: two studies on one store, and a third that finishes what they left."""

    def __init__(self, ground: Ground, how: str, number: int, chance: random.Random) -> None:
        self.ground, self.how, self.chance = ground, how, chance
        self.folder = ground.folder_for(f"{how} {number}")
        self.store = Store(self.folder / "store")
        self.seeds = (FIRST, LAST) if how == OVERLAPPING else (SEEDS, SEEDS)
        self.tables = [self.folder / f"table{place}.md" for place in range(2)]

    def ran(self) -> dict[str, Any]:
        """Run both, and count the kept promises."""
        with watched(self.store) as seen:
            codes = self._both()
            done = self._done()
            last = code_of(start(self.ground.file, self.store.root, table=self.folder / "last.md"))
        keys, made = self.ground.grid.keys, len(folders(self.ground.whole))
        true = [self._is_true(place, code) for place, code in codes.items()]
        whole = last == FINISHED and (self.folder / "last.md").read_bytes() == self.ground.table
        counts = {
            "ended with 0 and the undisturbed table, or with 4 and one that is marked partial": (
                sum(true),
                len(true),
            ),
            "runs and trainings made, and made once": (seen.once, made),
            "runs and trainings whole": (len(folders(self.store)) - len(torn(self.store)), made),
            "results equal to the undisturbed": (
                as_unbroken(self.ground, self.store, keys),
                len(keys),
            ),
            "a third study ends with 0 and the undisturbed table": (int(whole), 1),
        }
        none_lost = (
            {} if self.how == ONE_KILLED else {"runs done when both had ended": (done, len(keys))}
        )
        return {"codes": list(codes.values()), "counts": counts | none_lost}

    def _both(self) -> dict[int, int]:
        """Start the second while the first runs, or still starts; give the exit codes of the
        studies that were not killed.
        """
        first = self._start(0)
        time.sleep(self.chance.uniform(0, self.ground.seconds / 2))
        second = self._start(1)
        if self.how == ONE_KILLED:
            time.sleep(self.chance.uniform(0, self.ground.seconds / 2))
            first.kill()
        codes = {0: code_of(first), 1: code_of(second)}
        return {place: code for place, code in codes.items() if code != -signal.SIGKILL}

    def _start(self, place: int) -> Popen:
        return start(
            self.ground.files[self.seeds[place]],
            self.store.root,
            workers=1,
            table=self.tables[place],
        )

    def _done(self) -> int:
        return sum(self.store.state(key) == "done" for key in self.ground.grid.keys)

    def _is_true(self, place: int, code: int) -> bool:
        """Whether a table is complete if its study ended with 0, and marked partial if it ended
        with 4.
        """
        description = self.tables[place].read_bytes()
        if code == FINISHED:
            return description == self.ground.tables[self.seeds[place]]
        return code == UNFINISHED and b"(partial: " in description.replace(
            b"\\", b""
        )  # Markdown escapes signs
