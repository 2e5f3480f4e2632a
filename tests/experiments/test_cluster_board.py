"""What a study makes of what it hears from a cluster; the cluster is played, so that each turn can
be had at will.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from sightline.config.run_keys import run_key
from sightline.core.errors import MissingExtra, SightlineError, SpecError, StoreError
from sightline.experiments.executors import ray_cluster, ray_connection
from sightline.experiments.executors.executor import ATTEMPTS
from sightline.experiments.executors.ray_cluster import Cluster
from sightline.experiments.executors.ray_connection import (
    ClusterRefusal,
    JoinedCluster,
    RunReply,
    _words,
    join_cluster,
)
from sightline.experiments.executors.ray_node import NodeReply, Order, work
from sightline.experiments.store import Store
from tests.experiments.one_run import SPEC, same

SPECS = [replace(SPEC, measures=("need",), companions=(), seed=seed) for seed in range(4)]
Play = Callable[[Order], NodeReply | str]


@dataclass
class Played:
    """Stands for the pipe to a cluster: answers each order, or says why its worker was killed."""

    play: Play
    orders: list[Order] = field(default_factory=list)
    taken: int = 0
    most: int = 0

    def send(self, order: Order) -> None:
        self.orders.append(order)
        self.most = max(self.most, len(self.orders) - self.taken)

    def recv(self) -> RunReply:
        order = self.orders[self.taken]
        self.taken += 1
        answer = self.play(order)
        return RunReply(
            order.key, *((None, answer) if isinstance(answer, str) else (answer, "")), 1
        )


def runs(
    monkeypatch: pytest.MonkeyPatch, store: Store, play: Play, *, again: bool = False
) -> tuple[list[Any], Played]:
    pipe = Played(play)

    @contextmanager
    def join(address: str) -> Iterator[tuple[JoinedCluster, Played]]:
        yield JoinedCluster(1, 1), pipe

    monkeypatch.setattr(ray_cluster, "join_cluster", join)
    return list(Cluster().run(SPECS, store, again=again)), pipe


def test_cells_are_handed_out_as_the_cluster_has_use_for_them_and_the_mark_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    done, pipe = runs(monkeypatch, store, work)
    assert [one.ending for one in done] == ["done"] * 4
    assert pipe.most == ray_cluster.AHEAD
    assert [bool(one.description) for one in done] == [True, False, False, False]
    assert "writes to the store itself" in done[0].description
    assert list(store.root.glob("claims/cluster-*")) == []
    assert runs(monkeypatch, store, work)[1].orders == []


def test_a_node_that_does_not_see_the_store_is_asked_again_with_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    done, pipe = runs(monkeypatch, store, lambda order: work(replace(order, mark="of another")))
    assert [one.ending for one in done] == ["done"] * 4
    assert [order.sent is None for order in pipe.orders].count(True) == ray_cluster.AHEAD
    assert [
        "does not see the store, and sends what it makes" in one.description for one in done
    ] == [
        True,
        False,
        False,
        False,
    ]
    assert store.check() == ()


def test_both_ways_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = Store(tmp_path / "one"), Store(tmp_path / "two")
    for store, mark in zip(stores, ("", "of another"), strict=True):
        runs(
            monkeypatch,
            store,
            lambda order, mark=mark: work(replace(order, mark=mark or order.mark)),
        )
    assert all(same(*(store.audit(run_key(spec)) for store in stores)) for spec in SPECS)


def test_a_cell_that_kills_its_workers_is_kept_as_failed_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, bad = Store(tmp_path / "store"), run_key(SPECS[1])
    done, _ = runs(
        monkeypatch, store, lambda order: "NodeDiedError: gone" if order.key == bad else work(order)
    )
    endings = [one.ending for one in done if one.spec == SPECS[1]]
    assert endings == ["killed"] * (ATTEMPTS - 1) + ["failed"]
    assert "its worker was killed (NodeDiedError: gone) 3 times" in store.summary(bad).error
    assert sorted(one.ending for one in done if one.spec != SPECS[1]) == ["done"] * 3


def test_a_worker_that_was_killed_after_its_cell_was_done_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")

    def play(order: Order) -> str:
        assert work(order).ending == "done"
        return "WorkerCrashedError"

    done, pipe = runs(monkeypatch, store, play)
    assert [one.ending for one in done] == ["done"] * len(pipe.orders) == ["done"] * 4


def test_cells_of_others_are_left_to_them_and_failed_ones_are_done_again_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    store.write_failure(SPECS[0], "as it was", 0.0)
    with store.claim_run(run_key(SPECS[1])):
        done, _ = runs(monkeypatch, store, work)
    assert [(one.spec.seed, one.ending) for one in done if one.ending != "done"] == [
        (0, "failed"),
        (1, "missing"),
    ]
    done, _ = runs(monkeypatch, store, work, again=True)
    assert sorted(one.ending for one in done) == ["done"] * 4


def test_claims_are_held_while_cells_are_away_and_let_go_when_the_study_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")

    def play(order: Order) -> NodeReply:
        for spec in SPECS[: ray_cluster.AHEAD]:
            with store.claim_run(run_key(spec)) as mine:
                assert not mine or spec != order.spec
        return NodeReply("node a", "unfit", "it has other texts")

    with pytest.raises(SightlineError, match="it has other texts"):
        runs(monkeypatch, store, play)
    for spec in SPECS:
        with store.claim_run(run_key(spec)) as mine:
            assert mine
    assert (store.keys(), list(store.root.glob("claims/cluster-*"))) == ((), [])


def test_what_a_node_says_it_wrote_must_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.experiments.executors.executor.APPEARS", 0.2)
    store = Store(tmp_path / "store")
    with pytest.raises(
        StoreError, match=r"not visible 0 s after node a wrote it; mount the store so that it is"
    ):
        runs(monkeypatch, store, lambda order: NodeReply("node a", "done"))
    assert store.keys() == ()


def test_a_cluster_that_is_lost_ends_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(order: Order) -> NodeReply:
        raise EOFError

    with pytest.raises(
        SightlineError, match="the connection to the Ray cluster was lost; what is done is kept"
    ):
        runs(monkeypatch, Store(tmp_path / "store"), play)


def test_nothing_to_run_joins_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "join_cluster", None)
    assert list(Cluster().run([], Store(tmp_path / "store"), again=False)) == []


# ---------------------------------------------------------------- joining


def test_an_address_where_nobody_is_and_a_missing_package_are_said_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = (
        r"ray:127\.0\.0\.1:1: no answer \(.*refused\); `ray start --head` starts a cluster "
        r"and says its address"
    )
    with pytest.raises(SpecError, match=message):
        Cluster("127.0.0.1:1").processors()
    monkeypatch.setattr(ray_connection, "version", absent)
    with pytest.raises(
        MissingExtra,
        match=r"pip install 'sightline-audit\[ray\]', or use the processors of this machine",
    ):
        Cluster().processors()


def absent(name: str) -> str:
    raise ray_connection.PackageNotFoundError(name)


def refuse(pipe: Connection, address: str, folder: str) -> None:
    """A courier that is not let in."""
    pipe.send(ClusterRefusal("RuntimeError: Version mismatch"))


def say_nothing(pipe: Connection, address: str, folder: str) -> None:
    """A courier that nobody answers."""
    pipe.poll(None)


@pytest.mark.parametrize(
    ("courier", "message"),
    [(refuse, "RuntimeError: Version mismatch; run"), (say_nothing, "no answer in 0 seconds; run")],
)
def test_who_is_not_let_in_is_told_why(
    courier: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_connection, "carry", courier)
    monkeypatch.setattr(ray_connection, "JOIN", 5.0 if courier is refuse else 0.1)
    monkeypatch.setattr(ray_connection, "start", in_a_thread)
    with pytest.raises(SightlineError, match=message), join_cluster(""):
        pass


def test_without_a_cluster_at_hand_one_is_started_and_an_address_is_never_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def nobody_here(pipe: Connection, address: str, folder: str) -> None:
        asked.append(address)
        pipe.send(
            JoinedCluster(1, 2)
            if address == "local"
            else ClusterRefusal("ConnectionError: none", nobody=not address)
        )

    monkeypatch.setattr(ray_connection, "carry", nobody_here)
    monkeypatch.setattr(ray_connection, "start", in_a_thread)
    monkeypatch.setattr(ray_connection, "_knock", lambda address: None)
    assert Cluster().processors() == 2
    with pytest.raises(SightlineError, match="Ray at a:1: ConnectionError: none"):
        Cluster("a:1").processors()
    assert asked == ["", "local", "a:1"]


RAY = """
import json, os
os.write(1, b"noise")
os.system("echo noise")
def init(**options):
    about = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    asked = {name: options.get(name) for name in ("address", "_temp_dir")}
    with open(os.environ["TOLD"], "w") as file:
        json.dump({"folder": os.getcwd(), **asked, **about}, file)
    raise ConnectionError("as expected")
"""
COURIER = """
import sys
from multiprocessing import Pipe
from sightline.experiments.executors.ray_connection import carry
here, there = Pipe()
carry(there, *sys.argv[1:])
assert here.recv().description == "ConnectionError: as expected"
"""


@pytest.mark.parametrize(("address", "asked"), [("", "auto"), ("a:1", "a:1"), ("local", "local")])
def test_the_courier_says_nothing_stands_nowhere_and_lets_in_nobody(
    tmp_path: Path, address: str, asked: str
) -> None:
    (tmp_path / "ray.py").write_text(RAY)
    usual = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    values = {
        **usual,
        "TOLD": str(tmp_path / "told.json"),
        "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
    }
    command = [sys.executable, "-c", COURIER, address, "/tmp/room"]
    done = subprocess.run(command, capture_output=True, check=True, env=values, cwd=tmp_path)
    about = json.loads((tmp_path / "told.json").read_text())
    assert (done.stdout, done.stderr, about["folder"], about["address"]) == (b"", b"", "/", asked)
    alone = address == "local"
    assert (about["RAY_USAGE_STATS_ENABLED"], about.get("RAY_AUTH_MODE")) == (
        "0",
        "token" if alone else None,
    )
    assert len(about.get("RAY_AUTH_TOKEN", "")) == (64 if alone else 0)
    # With a cluster of several machines loopback would be the end of it.
    assert about.get("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER") == ("0" if alone else None)
    assert about["_temp_dir"] == ("/tmp/room/ray" if alone else None)


def in_a_thread(target: Callable[..., None], *given: object) -> tuple[Any, Connection]:
    """Start a courier without the seconds that a process takes."""
    from multiprocessing import Pipe
    from threading import Thread

    here, there = Pipe()
    thread = Thread(target=_until_closed, args=(target, there, *given), daemon=True)
    thread.kill = lambda: None
    thread.start()
    return thread, here


def _until_closed(target: Callable[..., None], pipe: Connection, *given: object) -> None:
    target(pipe, *given)
    pipe.close()


def test_what_ray_says_in_many_lines_is_said_in_one() -> None:
    many = (
        "ray::work() (pid=3)\n  File x\nRuntimeError: it failed\nModuleNotFoundError: No module "
        "named 'sightline'\n"
    )
    assert (
        _words(ValueError(many)) == "ValueError: ModuleNotFoundError: No module named 'sightline'"
    )
    assert (
        _words(ConnectionError("\nFailed to connect\n at all"))
        == "ConnectionError: Failed to connect"
    )
    assert _words(ValueError()) == "ValueError: "
