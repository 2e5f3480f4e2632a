"""A study that is killed again and again must end as if nothing had happened.

24 small cells on 2 workers. At seeded random moments one of the processes, all of them, or the parent alone, with which
its workers end, get SIGKILL; once the file size limit is hit, once a file is cut short, once a bit is flipped. When the
study has been let finish, every result must equal that of an unbroken serial run, none may be lost, and nothing may be
left over.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store

STUDY = """
name = "chaos"
[base]
data = "planted:needle(n=240,length=10)"
model = "mlp(hidden=8)+additive"
[base.fit]
epochs = 3
[axes]
model = ["mlp(hidden=8)+additive", "mlp(hidden=8)+additive+random", "bilstm(hidden=6)+additive"]
"fit.learning_rate" = [0.001, 0.003]
seed = [0, 1, 2, 3]
"""
SMALL_FILE = 20_000
"""Bytes a file may have when the limit is hit: less than the arrays of one run."""


def chaos(kills: int = 30, study: str = STUDY, seed: int = 0) -> dict[str, Any]:
    """Break a study ``kills`` times and compare what it ends with."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(study, encoding="utf-8")
        grid, began = read_grid(file), time.monotonic()
        whole, broken = Store(Path(folder) / "whole"), Store(Path(folder) / "broken")
        unbroken = Counter(done.ending for done in Serial().run(grid.cells, whole, again=False))
        told = _break(file, broken, kills, chance)
        last = _start(file, broken.root).wait()
        same = [key for key in grid.keys if _equal(whole, broken, key)]
        left = [str(path.relative_to(broken.root)) for path in broken.root.rglob(".*")]
        return {
            "cells": len(grid.cells),
            "unbroken": dict(unbroken),
            "broken_by": dict(told),
            "minutes": round((time.monotonic() - began) / 60, 1),
            "seed": seed,
            "gates": [
                _gate("kills", _kills(told), kills, f"= {kills}"),
                _gate("file size limit hit", told["file size limit"], 1, "= 1"),
                _gate("file cut short", told["file cut short"], 1, "= 1"),
                _gate("bit flipped", told["bit flipped"], 1, "= 1"),
                _gate("last run ended with 0", int(last == 0), 1, "= 1"),
                _gate("results equal to the unbroken serial run", len(same), len(grid.cells), f"= {len(grid.cells)}"),
                _gate("runs in the store", _count(broken, "runs"), len(grid.cells), f"= {len(grid.cells)}"),
                _gate("trainings in the store", _count(broken, "trainings"), _count(whole, "trainings"), "as unbroken"),
                _gate("files left over", len(left), 0, "= 0"),
            ],
        }


def _break(file: Path, store: Store, kills: int, chance: random.Random) -> Counter[str]:
    """Start the study again and again, and stop it at random moments."""
    told: Counter[str] = Counter()
    while _kills(told) < kills:
        count = sum(told.values())
        if count == kills // 4:
            told["file size limit"] += int(_start(file, store.root, SMALL_FILE).wait() == 2)
        if count == kills // 2 + 2:
            _damage(store, chance, lambda content: content[: len(content) // 2])
            told["file cut short"] += 1
        if count == kills * 3 // 4 + 3:
            _damage(store, chance, _flipped(chance))
            told["bit flipped"] += 1
        told[_kill(_start(file, store.root), chance)] += 1
        if _count(store, "runs") >= 20:
            _forget(store, chance)  # so that there is always something to break
    return told


def _kills(told: Counter[str]) -> int:
    return sum(count for name, count in told.items() if name.startswith("SIGKILL"))


def _start(file: Path, store: Path, limit: int | None = None) -> subprocess.Popen[bytes]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [
        sys.executable,
        "-m",
        "sightline",
        "study",
        str(file),
        "--store",
        str(store),
        "--workers",
        "2",
        "--quiet",
    ]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limited
    )


def _kill(study: subprocess.Popen[bytes], chance: random.Random) -> str:
    """Kill a worker, the study with all of its workers, or the study alone, at a random moment."""
    time.sleep(chance.uniform(3.0, 9.0))
    workers = _children(study.pid)
    if study.poll() is not None:
        return "ended before it was killed"
    if workers and chance.random() < 0.5:
        os.kill(chance.choice(workers), signal.SIGKILL)
        time.sleep(chance.uniform(0.0, 3.0))
        os.killpg(study.pid, signal.SIGTERM)
        study.wait()
        _gone(workers)
        return "SIGKILL to a worker"
    alone = chance.random() < 0.5
    (os.kill if alone else os.killpg)(study.pid, signal.SIGKILL)
    study.wait()
    _gone(workers)
    return "SIGKILL to the parent" if alone else "SIGKILL to all"


def _children(parent: int) -> list[int]:
    """Find the workers of a study, on Linux; the helper process of multiprocessing is not one."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    children = listed.read_text(encoding="utf-8").split() if listed.exists() else []
    return [int(child) for child in children if b"spawn_main" in _command(child)]


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


def _gone(processes: list[int]) -> None:
    """Wait until none of the workers is left, so that the next study is alone."""
    while any(Path(f"/proc/{pid}").exists() for pid in processes):
        time.sleep(0.05)


def _damage(store: Store, chance: random.Random, change: Any) -> None:
    files = sorted(path for path in (store.root / "runs").glob("??/*/*") if path.is_file())
    victim = chance.choice(files)
    victim.write_bytes(change(victim.read_bytes()))


def _flipped(chance: random.Random) -> Any:
    def flip(content: bytes) -> bytes:
        place = chance.randrange(len(content))
        return content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]

    return flip


def _forget(store: Store, chance: random.Random) -> None:
    """Cut a file of several runs, so that they are done again."""
    for _ in range(6):
        _damage(store, chance, lambda content: content[:-1])


def _equal(first: Store, second: Store, key: str) -> bool:
    """Compare two runs: summary, texts and arrays, bit for bit (an npz holds the time it was written)."""
    here, there = first.run_folder(key), second.run_folder(key)
    if second.state(key) != "done":
        return False
    if any((here / name).read_bytes() != (there / name).read_bytes() for name in ("audit.json", "texts.jsonl")):
        return False
    with np.load(here / "arrays.npz") as one, np.load(there / "arrays.npz") as other:
        return one.files == other.files and all(one[n].tobytes() == other[n].tobytes() for n in one.files)


def _count(store: Store, room: str) -> int:
    return sum(path.name[0] != "." for path in (store.root / room).glob("??/*"))


def _gate(name: str, count: int, of: int, limit: str) -> dict[str, Any]:
    return {"name": f"chaos: {name}", "count": count, "of": of, "limit": limit, "holds": count == of}
