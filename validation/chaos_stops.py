"""A study stopped again and again, at any moment: a worker, the parent or all, by SIGKILL or
SIGTERM.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from chaos_study import (
    Ground,
    Popen,
    as_unbroken,
    code_of,
    damage,
    folders,
    gate,
    held,
    leave_behind,
    left_over,
    seconds_until,
    session_of,
    start,
    torn,
    workers_of,
)

from sightline.experiments.store import Store

Stop = Callable[[Popen, random.Random], bool]
"""Sends a signal, and says whether a process received it."""
WORKER, ALL, PARENT = "SIGKILL to a worker", "SIGKILL to all", "SIGKILL to the parent"
TERM_PARENT, TERM_ALL = "SIGTERM to the parent", "SIGTERM to all"
IN_TIME = 10.0
"""Seconds in which every process of a study must end after its parent."""
LATER, SOONER = 1.1, 0.7
"""The span of random stops adapts to the load of the machine: it grows after a stop that came in
time."""
TERMINATED = {143, -signal.SIGTERM}
"""Exit codes of SIGTERM: a shell also reports 143 if the signal came before Python listened, and
-15 is the same."""
EXPECTED: Mapping[str, set[int]] = {
    WORKER: {0},  # its configuration is taken up again, and the study continues
    ALL: {-signal.SIGKILL},
    PARENT: {-signal.SIGKILL},
    TERM_PARENT: TERMINATED,
    TERM_ALL: TERMINATED,
}


def _to_a_worker(study: Popen, chance: random.Random) -> bool:
    seconds_until(lambda: bool(workers_of(study)) or study.poll() is not None, IN_TIME)
    if not (workers := workers_of(study)):
        return False
    with suppress(ProcessLookupError):
        os.kill(chance.choice(workers), signal.SIGKILL)
        return True
    return False  # it had just ended


def _to(send: Callable[[int, int], None], number: int) -> Stop:
    def stop(study: Popen, chance: random.Random) -> bool:
        send(study.pid, number)
        return True

    return stop


STOPS: Mapping[str, Stop] = {
    WORKER: _to_a_worker,
    ALL: _to(os.killpg, signal.SIGKILL),
    PARENT: _to(os.kill, signal.SIGKILL),
    TERM_PARENT: _to(os.kill, signal.SIGTERM),
    TERM_ALL: _to(os.killpg, signal.SIGTERM),
}


@dataclass(frozen=True)
class Stopped:
    """What a stop left behind, and how the next start of the study ended."""

    how: str
    code: int
    seconds: float
    """How long the last process of the study lived after its parent."""
    half_written: int
    held: int
    planted: int
    """The hidden folders that were put next to runs and trainings before that start."""
    restart: int
    left: int
    """The hidden files and folders in the store after it."""
    equal: int


def stopped(
    ground: Ground, counts: Mapping[str, int], chance: random.Random
) -> tuple[dict[str, Any], list[Any]]:
    """Stop a study as often as asked, in each way, in a random order, and count the kept
    promises.
    """
    store, damaged, early, span = (
        Store(ground.folder / "stopped"),
        Counter[str](),
        0,
        ground.seconds,
    )
    rounds: list[Stopped] = []
    order = [how for how, count in counts.items() for _ in range(count)]
    chance.shuffle(order)
    while len(rounds) < len(order):
        damaged.update(damage(ground, store, chance))  # so that there is something left to do
        found = _round(ground, store, order[len(rounds)], span, chance)
        early += found is None
        span *= SOONER if found is None else LATER
        rounds += [found] if found else []
    values = {
        "stops": {how: counts[how] for how in STOPS},
        "ended_before": early,
        "damaged": dict(sorted(damaged.items())),
        "left_behind": sum(one.planted for one in rounds),
        "exit_codes": _codes(rounds),
        "longest_seconds_after_the_parent": round(max(one.seconds for one in rounds), 2),
    }
    last = [
        gate("runs and trainings in the store", len(folders(store)), len(folders(ground.whole))),
        gate("of these whole", len(folders(store)) - len(torn(store)), len(folders(ground.whole))),
        gate("files left over", len(left_over(store)), 0),
        gate(
            "tables as undisturbed",
            int((ground.folder / "stopped.md").read_bytes() == ground.table),
            1,
        ),
    ]
    return values, [
        one for how in STOPS for one in _gates(how, rounds, len(ground.grid.specs))
    ] + last


def _round(
    ground: Ground, store: Store, how: str, span: float, chance: random.Random
) -> Stopped | None:
    """Stop a study at a moment within a span, and let the next one finish; None if it ended
    before.
    """
    before, table = torn(store), ground.folder / "stopped.md"
    workers = 1 if how == TERM_PARENT and chance.random() < 0.5 else 2
    study = start(ground.file, store.root, workers=workers, table=table)
    time.sleep(chance.uniform(0, span))
    came = study.poll() is None and STOPS[how](study, chance)
    all_done = as_unbroken(ground, store, ground.grid.keys) == len(ground.grid.keys)
    code = code_of(study)
    if not came or (how != WORKER and code == 0 and all_done):  # it had ended, or all but ended
        return None
    seconds = seconds_until(lambda: not session_of(study), IN_TIME)
    half = len(torn(store) - before) + (table.exists() and table.read_bytes() != ground.table)
    blocked = len(held(store))
    planted = leave_behind(store, chance)
    restart = code_of(start(ground.file, store.root, workers=1, table=table))
    left, equal = len(left_over(store)), as_unbroken(ground, store, ground.grid.keys)
    return Stopped(how, code, seconds, half, blocked, planted, restart, left, equal)


def _codes(rounds: list[Stopped]) -> dict[str, dict[str, int]]:
    counted = {how: Counter(str(one.code) for one in rounds if one.how == how) for how in STOPS}
    return {how: dict(sorted(codes.items())) for how, codes in counted.items()}


def _gates(how: str, rounds: list[Stopped], runs: int) -> list[dict[str, Any]]:
    mine = [one for one in rounds if one.how == how]

    def counted(what: str, holds: Callable[[Stopped], bool]) -> dict[str, Any]:
        return gate(f"{how}: {what}", sum(map(holds, mine)), len(mine))

    return [
        counted("exit code as promised", lambda one: one.code in EXPECTED[how]),
        counted(f"no process left after {IN_TIME:.0f} s", lambda one: one.seconds <= IN_TIME),
        counted("nothing half-written", lambda one: not one.half_written),
        counted("no claim left that blocks", lambda one: not one.held),
        counted("started again, ended with 0", lambda one: one.restart == 0),
        counted("nothing left behind then", lambda one: not one.left),
        counted("every result equal to the undisturbed", lambda one: one.equal == runs),
    ]
