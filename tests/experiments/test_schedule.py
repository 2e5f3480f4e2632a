"""Executors: serial ≡ processes bit for bit, a killed worker's run is taken up again, a poisonous
one is kept failed.
"""

import os
import signal
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import SightlineError, StoreError
from sightline.experiments.executors import local
from sightline.experiments.executors.executor import ATTEMPTS
from sightline.experiments.executors.local import Processes, Serial
from sightline.experiments.store import Store
from sightline.training.control_models import trainings_of
from tests.experiments.children import die, give_up, tell_path
from tests.experiments.one_run import same
from tests.living import workers_of

BASE = RunSpec(
    parse_data("planted:needle(n=160,length=8)"),
    parse_model("mlp(hidden=4)+additive"),
    FitSpec(epochs=2),
    limit=12,
    measures=("need",),
)
DRAWS = ("agreement", "erasure", "transplant")
"""Measures that draw."""
SPECS = [replace(BASE, model=parse_model(m), seed=s, measures=DRAWS)
         for m in ("mlp(hidden=4)", "bilstm(hidden=4)") for s in (0, 1)]  # fmt: skip


def test_two_processes_give_the_bits_of_one(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
    endings = [Counter(d.ending for d in Serial().run(SPECS, one, again=False))]
    endings += [Counter(d.ending for d in Processes(2).run(SPECS, two, again=False))]
    assert endings == [{"done": 4}, {"done": 4}]
    assert all(same(one.audit(run_key(s)), two.audit(run_key(s))) for s in SPECS)
    assert sorted(p.name for p in two.root.rglob("model.safetensors")) == ["model.safetensors"] * 8


def test_a_worker_takes_the_next_run_that_waits_for_no_training_of_another(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = replace(BASE, companions=())
    shares, controls = replace(first, limit=6), replace(first, companions=("uniform",))
    others = [replace(first, seed=seed) for seed in (1, 2)]
    crew = [local._Worker(Idle(), Pipe()[0]) for _ in range(4)]

    def given(specs: list[RunSpec]) -> list[RunSpec | None]:
        queue = local._Queue(deque(specs))
        for worker in crew:
            worker.spec = None
        for worker in crew:
            queue.give(worker, crew, store)
        return [worker.spec for worker in crew]

    specs = [first, shares, controls, *others]
    assert given(specs) == [first, *others, shares], "it waits where every run left would"
    assert list(map(training_key, trainings_of(controls))).count(training_key(first)) == 1
    store.training_folder(training_key(first)).mkdir(parents=True)
    assert given(specs) == [first, shares, controls, others[0]], "nobody waits for one that is kept"


@pytest.mark.slow
def test_a_killed_worker_is_told_and_its_cell_taken_up_again(tmp_path: Path) -> None:
    store, endings = Store(tmp_path / "store"), []
    specs = [replace(BASE, seed=seed, fit=FitSpec(epochs=30, patience=30)) for seed in range(4)]

    def kill_one() -> None:
        """Kill a worker as soon as it holds a claim."""
        claims = store.root / "claims"
        while not claims.exists() or not list(claims.glob("run-*")):
            time.sleep(0.01)
        os.kill(workers_of(os.getpid())[0], signal.SIGKILL)

    threading.Thread(target=kill_one, daemon=True).start()
    for ended in Processes(2).run(specs, store, again=False):
        endings.append(ended.ending)
        assert ended.ending != "killed" or "SIGKILL" in ended.description
    assert Counter(endings)["done"] == 4
    assert Counter(endings)["killed"] <= 1  # the one that was killed may have been between two runs
    assert all(store.state(run_key(spec)) == "done" for spec in specs)


@pytest.mark.slow
def test_a_cell_that_kills_its_workers_is_kept_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.experiments.executors.local.work", die)
    store = Store(tmp_path / "store")
    endings = [done.ending for done in Processes(1).run(SPECS[:1], store, again=False)]
    assert endings == ["killed"] * (ATTEMPTS - 1) + ["failed"]
    assert "its worker was killed (SIGKILL) 3 times" in store.summary(run_key(SPECS[0])).error


def test_a_worker_that_gives_up_by_itself_is_no_failure_of_its_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.experiments.executors.local.work", give_up)
    store = Store(tmp_path / "store")
    with pytest.raises(
        SightlineError,
        match=r"a worker ended with code 3 and no result of mlp.* --workers 1 needs no",
    ):
        list(Processes(2).run(SPECS, store, again=False))
    assert store.keys() == ()


@pytest.mark.slow
def test_a_worker_looks_for_modules_where_its_parent_does_and_not_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    hired = local._hire
    monkeypatch.setattr("sightline.experiments.executors.local.work", tell_path)
    result = hired(Store(tmp_path / "store"), False)
    assert result.pipe.recv() == ("1", True)
    result.process.join()
    assert (
        "PYTHONSAFEPATH" not in os.environ
    )  # what else this process starts is none of our business


@pytest.mark.slow
def test_what_the_disk_refuses_ends_the_study(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    (store.root / "trainings").write_text("a file where a folder should be")
    with pytest.raises(StoreError, match="free some space"):
        list(Processes(2).run(SPECS, store, again=False))


def test_a_failed_cell_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = replace(BASE, data=parse_data("planted:needle(n=160,length=600)"))
    store = Store(tmp_path / "store")
    endings = {d.spec: d.ending for d in Serial().run([bad, SPECS[0]], store, again=False)}
    assert endings == {bad: "failed", SPECS[0]: "done"}
    assert "max_tokens" in store.summary(run_key(bad)).error


def test_nothing_to_run_is_no_work(tmp_path: Path) -> None:
    assert list(Processes(2).run([], Store(tmp_path / "store"), again=False)) == []


class Idle(BaseProcess):
    """A process that was never started."""

    def __init__(self) -> None: ...

    def __repr__(self) -> str:
        return "idle"


class Dying(BaseProcess):
    """A process that has ended, but is still seen alive when it is asked for the first time."""

    sentinel = exitcode = 0

    def __init__(self, sentinel: int) -> None:
        self.sentinel, self.exitcode, self.seen_alive = sentinel, -signal.SIGKILL, False

    def is_alive(self) -> bool:
        self.seen_alive, seen = True, self.seen_alive
        return not seen

    def kill(self) -> None: ...

    def join(self, timeout: float | None = None) -> None: ...


@dataclass
class Crew:
    """Hires fake workers, whose ends of their pipes are kept: each has ended by the time it is
    listened to.
    """

    said: tuple[str, ...]
    kept: list[Connection] = field(default_factory=list)

    def hire(self, store: Store, again: bool) -> local._Worker:
        here, there = Pipe()
        reading, writing = Pipe(duplex=False)
        writing.close()  # so the sentinel is ready at once
        self.kept += [there, reading]
        for word in self.said:
            there.send(word)
        return local._Worker(Dying(reading.fileno()), here)


def test_no_cell_is_lost_where_a_worker_dies_between_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_hire", Crew(()).hire)
    store = Store(tmp_path / "store")
    endings = [done.ending for done in Processes(1).run(SPECS[:1], store, again=False)]
    assert endings == ["killed"] * (ATTEMPTS - 1) + ["failed"]
    assert store.state(run_key(SPECS[0])) == "failed"


def test_a_run_whose_worker_was_killed_after_it_was_done_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    assert [one.ending for one in Serial().run(SPECS[:1], store, again=False)] == ["done"]
    monkeypatch.setattr(local, "_hire", Crew(()).hire)
    endings = [one.ending for one in Processes(1).run(SPECS[:1], store, again=False)]
    assert endings == ["done"]
    assert store.state(run_key(SPECS[0])) == "done"


def test_a_run_that_another_study_has_taken_up_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_hire", Crew(()).hire)
    store = Store(tmp_path / "store")
    with store.claim_run(run_key(SPECS[0])) as mine:
        assert mine
        endings = [one.ending for one in Processes(1).run(SPECS[:1], store, again=False)]
    assert endings == ["missing"]
    assert store.keys() == ()


def test_what_a_worker_said_before_it_died_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_hire", Crew(("done",)).hire)
    endings = [
        (done.spec, done.ending)
        for done in Processes(1).run(SPECS, Store(tmp_path / "store"), again=False)
    ]
    assert endings == [(spec, "done") for spec in SPECS]
