"""A small study to be broken: how it is started, its processes, and what of its store is whole and
equal.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from checkout import ROOT
from gates import exactly
from repeats import same_arrays

from sightline._io.checksums import is_whole
from sightline.audits.audit_storage import SUMMARY, TEXTS
from sightline.config.run_keys import run_key, training_key
from sightline.experiments.grid import Grid, read_grid
from sightline.experiments.locks import claim
from sightline.experiments.store import CLAIMS, RUNS, TRAININGS, Store
from sightline.training.control_models import companions_of

sys.path.insert(0, str(ROOT))

from tests.living import lives

STUDY = """
name = "chaos"
[base]
data = "planted:needle(n=120,length=6)"
companions = ["base", "seed(by=1)"]
measures = ["agreement", "beside", "information", "transplant"]
[base.fit]
epochs = 2
adversary = "jsd"
adversary_epochs = 2
[axes]
model = ["mlp(hidden=8)+additive+sparsegen(lambda=-1.0)", "mlp(hidden=8)+additive+sparsegen(lambda=0.5)"]
seed = {seeds}
"""
SEEDS, FIRST, LAST = GRIDS = ((0, 1, 2, 3), (0, 1, 2), (1, 2, 3))
"""The seeds of the study, and the seeds of two overlapping studies. The control model of a seed is
the model of the seed before it.

The study contains every kind of training and most measures: a base and its adversary, a λ of
sparse attention, ranks."""
HANGS, HUNG = 600, 1000
"""Seconds after which a study counts as hanging, and the exit code it then gets."""
Before = Callable[[], None]
"""Runs in the new process before the command begins."""
Popen = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Ground:
    """Where a study is broken: its files and their undisturbed output, by the seeds, and the
    seconds it takes.
    """

    folder: Path
    files: Mapping[tuple[int, ...], Path]
    tables: Mapping[tuple[int, ...], bytes]
    whole: Store
    seconds: float

    @property
    def file(self) -> Path:
        """The study with all of its configurations."""
        return self.files[SEEDS]

    @property
    def table(self) -> bytes:
        """Its table."""
        return self.tables[SEEDS]

    @cached_property
    def grid(self) -> Grid:
        """Its configurations."""
        return read_grid(self.file)

    def folder_for(self, name: str) -> Path:
        """Make a folder for one purpose."""
        place = self.folder / name
        place.mkdir()
        return place


def make_ground(folder: Path) -> Ground:
    """Run the study undisturbed, in one process, and once more on two workers to time it."""
    files = {seeds: _write_study(folder, seeds) for seeds in GRIDS}
    whole = Store(folder / "whole")
    tables = {seeds: _table_of(file, whole) for seeds, file in files.items()}
    began = time.monotonic()
    _ended_well(start(files[SEEDS], folder / "timed"))
    return Ground(folder, files, tables, whole, time.monotonic() - began)


def _write_study(folder: Path, seeds: tuple[int, ...]) -> Path:
    file = folder / f"seeds {seeds[0]} to {seeds[-1]}.toml"
    file.write_text(STUDY.format(seeds=list(seeds)), encoding="utf-8")
    return file


def _table_of(file: Path, store: Store) -> bytes:
    """Finish a study, in one process and undisturbed, and give its table."""
    table = file.with_suffix(".md")
    _ended_well(start(file, store.root, workers=1, table=table))
    return table.read_bytes()


def _ended_well(study: Popen) -> None:
    if code := code_of(study):
        raise SystemExit(
            f"the undisturbed study ended with {code}: there is nothing to compare with"
        )


# ---------------------------------------------------------------- its processes


def start(
    file: Path,
    store: Path,
    *,
    workers: int = 2,
    table: Path | None = None,
    errors_file: Path = Path(os.devnull),
    before: Before | None = None,
) -> Popen:
    """Start a study as the leader of a session of its own; ``errors_file`` gets its
    stderr.
    """
    command = [
        sys.executable,
        "-m",
        "sightline",
        "study",
        str(file),
        "--store",
        str(store),
        "--workers",
        str(workers),
    ]
    command += ["--quiet", *([] if table is None else ["--table", str(table)])]
    with errors_file.open("wb") as errors:
        return subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            preexec_fn=before,
        )


def code_of(study: Popen) -> int:
    """Wait for a study and give its exit code; one that hangs is killed."""
    try:
        return study.wait(HANGS)
    except subprocess.TimeoutExpired:
        os.killpg(study.pid, signal.SIGKILL)
        study.wait()
        return HUNG


def small_files(most: int) -> Before:
    """Let no file grow beyond so many bytes, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def workers_of(study: Popen) -> list[int]:
    """Find the workers of a study, on Linux, without the helper process of multiprocessing."""
    return [process for process in session_of(study) if b"spawn_main" in _command(process)]


def session_of(study: Popen) -> list[int]:
    """Find every living process of a study, the study itself included."""
    processes = (int(place.name) for place in Path("/proc").glob("[0-9]*"))
    return [process for process in processes if _session(process) == study.pid and lives(process)]


def _session(process: int) -> int | None:
    try:
        return os.getsid(process)
    except ProcessLookupError:
        return None  # it has ended meanwhile


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


def seconds_until(reached: Callable[[], bool], most: float) -> float:
    """Wait until a condition holds, and return the seconds; infinity if it does not hold in
    time.
    """
    began = time.monotonic()
    while not reached():
        if time.monotonic() - began > most:
            return float("inf")
        time.sleep(0.01)
    return time.monotonic() - began


# ---------------------------------------------------------------- its store


def folders(store: Store) -> list[Path]:
    """Name the folders of a store: every run and every training."""
    return sorted(
        path for room in (RUNS, TRAININGS) for path in (store.root / room).glob("??/[!.]*")
    )


def torn(store: Store) -> set[Path]:
    """Name the runs and trainings that are not whole."""
    return {folder for folder in folders(store) if not is_whole(folder)}


def held(store: Store) -> list[str]:
    """Name what cannot be claimed, though no process works on it."""
    return [file.name for file in (store.root / CLAIMS).glob("*") if not _is_free(file)]


def _is_free(file: Path) -> bool:
    with claim(file, wait=False) as mine:
        return mine


def left_over(store: Store) -> list[Path]:
    """Name files that were written aside and neither put in place nor removed."""
    return list(store.root.rglob(".*"))


def leave_behind(store: Store, chance: random.Random) -> int:
    """Leave a hidden folder next to a run and a training, if there are any: a process leaves it that
    is killed after it has put them in place, in a moment too short to be met by chance.
    """
    there = [[*(store.root / room).glob("??/[!.]*")] for room in (RUNS, TRAININGS)]
    chosen = [chance.choice(sorted(places)) for places in there if places]
    for place in chosen:
        place.with_name(f".{place.name}.killed").mkdir(exist_ok=True)
    return len(chosen)


def as_unbroken(ground: Ground, store: Store, keys: Iterable[str]) -> int:
    """Count the finished runs of a store that equal the runs of the undisturbed study, bit for
    bit.
    """
    return sum(_equal(ground.whole, store, key) for key in keys)


def _equal(first: Store, second: Store, key: str) -> bool:
    """Compare two runs: summary, texts and arrays (an npz holds the time it was written)."""
    here, there = first.run_folder(key), second.run_folder(key)
    if second.state(key) != "done":
        return False
    if any((here / name).read_bytes() != (there / name).read_bytes() for name in (SUMMARY, TEXTS)):
        return False
    return same_arrays(here, there)


def damage(ground: Ground, store: Store, chance: random.Random) -> tuple[str, ...]:
    """Cut a file short, or flip a bit, in half of the runs and in their trainings, and return the
    kind of each damage.
    """
    specs = chance.sample(ground.grid.specs, len(ground.grid.specs) // 2)
    trainings = {
        training_key(one) for spec in specs for one in (spec, *companions_of(spec).values())
    }
    kept = [store.run_folder(run_key(spec)) for spec in specs] + [
        *map(store.training_folder, sorted(trainings))
    ]
    return tuple(_damaged(folder, chance) for folder in kept if is_whole(folder))


def _damaged(folder: Path, chance: random.Random) -> str:
    victim = chance.choice(sorted(path for path in folder.iterdir() if path.is_file()))
    content = bytearray(victim.read_bytes())
    place = chance.randrange(len(content))
    cut = chance.random() < 0.5
    content[place] ^= 1 << chance.randrange(8)
    victim.write_bytes(content[:place] if cut else content)
    return "file cut short" if cut else "bit flipped"


def gate(name: str, count: int, of: int) -> dict[str, Any]:
    """Make a gate of how often something held, out of how often it had to."""
    return exactly(f"chaos: {name}", count, of)
