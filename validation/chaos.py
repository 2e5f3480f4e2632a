"""Break a study in every way we could think of: it must end as if nothing had happened.

Eight small configurations. ``chaos``: at seeded random moments a worker, the parent or all
processes get SIGKILL or SIGTERM, after files of half of the runs and trainings were cut short or
had a bit flipped. Then the same command runs to its end (`chaos_stops`). Or the store cannot be
written or locked (`chaos_refused`). ``shared``: two studies work on one store at once
(`chaos_shared`). Every result must equal an undisturbed serial run, bit for bit.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from chaos_refused import refused
from chaos_shared import sharing
from chaos_stops import ALL, PARENT, TERM_ALL, TERM_PARENT, WORKER, stopped
from chaos_study import Ground, make_ground

Counted = tuple[dict[str, Any], list[dict[str, Any]]]
STOPS: Mapping[str, int] = {WORKER: 8, ALL: 10, PARENT: 12, TERM_PARENT: 8, TERM_ALL: 4}
ROUNDS = 3
"""How often two studies share a store, each way."""


def chaos(stops: Mapping[str, int] = STOPS, seed: int = 0) -> dict[str, Any]:
    """Stop a study as often as asked, let its store refuse, and count the kept promises."""

    def broken(ground: Ground) -> Counted:
        label, of_stops = stopped(ground, stops, random.Random(f"stops {seed}"))
        return label, of_stops + refused(ground, random.Random(f"refused {seed}"))

    return _counted(broken, seed)


def shared(rounds: int = ROUNDS, seed: int = 0) -> dict[str, Any]:
    """Let two studies share a store as often as asked, each way, and count the kept promises."""
    return _counted(lambda ground: sharing(ground, rounds, random.Random(f"shared {seed}")), seed)


def _counted(count: Callable[[Ground], Counted], seed: int) -> dict[str, Any]:
    began, used = time.monotonic(), _processor_seconds()
    with tempfile.TemporaryDirectory() as folder:
        ground = make_ground(Path(folder))
        label, gates = count(ground)
        return {
            "configurations": len(ground.grid.specs),
            "undisturbed_seconds": round(ground.seconds, 1),
            **label,
            "minutes": round((time.monotonic() - began) / 60, 1),
            "processor_minutes": round((_processor_seconds() - used) / 60, 1),
            "seed": seed,
            "gates": gates,
        }


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
