"""What every executor promises: each run ends once, done runs are stored and equal, failed ones
stop no other.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.experiments.executors.executor import Executor, RunOutcome
from sightline.experiments.executors.local import Processes, Serial
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from tests.experiments.one_run import same

GOOD = RunSpec(
    parse_data("planted:needle(n=160,length=8)"),
    parse_model("mlp(hidden=4)+additive"),
    FitSpec(epochs=1),
    limit=20,
    companions=(),
    measures=("agreement",),
)
BAD = replace(GOOD, data=parse_data("planted:needle(n=160,length=600)"))
SPECS = (BAD, GOOD, replace(GOOD, seed=1))
EXECUTORS: dict[str, Callable[[], Executor]] = {"serial": Serial, "processes": lambda: Processes(2)}
"""Those that need nothing installed; that of a cluster:
``tests/experiments/test_ray_cluster.py``."""


def keeps_its_word(executor: Executor, folder: Path) -> Store:
    """Make good runs and a bad one, twice, and check what is promised of both times."""
    assert isinstance(executor, Executor)
    store = Store(folder)
    for ended in executor.run(SPECS, store, again=False):
        if ended.ending in ("done", "failed"):
            assert store.state(run_key(ended.spec)) == ended.ending, "said before it was kept"
    assert [store.state(run_key(spec)) for spec in SPECS] == ["failed", "done", "done"]
    assert "max_tokens" in store.summary(run_key(BAD)).error
    before = _written(store)
    _end_once(executor.run(SPECS, store, again=False))
    assert _written(store) == before, "a run was made again"
    _end_once(executor.run(SPECS, store, again=True))
    after = _written(store)
    assert {spec: after[spec] != before[spec] for spec in SPECS} == {
        spec: spec == BAD for spec in SPECS
    }
    for spec in SPECS:
        with store.claim_run(run_key(spec)) as mine:
            assert mine, "a claim is still held"
    return store


def _end_once(ended: Iterator[RunOutcome]) -> None:
    endings = Counter(one.spec for one in ended if one.ending != "killed")
    assert endings == dict.fromkeys(SPECS, 1), "a run ended twice, or never"


def _written(store: Store) -> dict[RunSpec, int]:
    """Say when each run was written last."""
    return {
        spec: max(file.stat().st_mtime_ns for file in store.run_folder(run_key(spec)).iterdir())
        for spec in SPECS
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("reference"))
    _end_once(Serial().run(SPECS, store, again=False))
    return store


@pytest.mark.parametrize("name", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_an_executor_keeps_its_word(name: str, tmp_path: Path, reference: Store) -> None:
    store = keeps_its_word(EXECUTORS[name](), tmp_path / "store")
    assert all(
        same(store.audit(run_key(spec)), reference.audit(run_key(spec))) for spec in SPECS[1:]
    )


@dataclass(frozen=True)
class Wrong:
    """An executor that does one thing wrongly."""

    how: str

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        for spec in specs:
            if self.how == "says it first" and store.state(run_key(spec)) == "missing":
                yield RunOutcome(spec, "done")
            ending = run_stored(spec, store, again=again or self.how == "makes failed runs again")
            if self.how != "is silent":
                yield RunOutcome(spec, ending)
            if self.how == "says it twice":
                yield RunOutcome(spec, ending)
            if self.how == "stops at a failure" and ending == "failed":
                return


@pytest.mark.parametrize(
    "how",
    [
        "says it first",
        "says it twice",
        "is silent",
        "stops at a failure",
        "makes failed runs again",
    ],
)
def test_a_wrong_executor_breaks_its_word(how: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        keeps_its_word(Wrong(how), tmp_path / "store")


def test_the_same_executor_without_a_fault_keeps_its_word(tmp_path: Path) -> None:
    keeps_its_word(Wrong(""), tmp_path / "store")


def test_nothing_to_run_ends_nothing(tmp_path: Path) -> None:
    store: Any = Store(tmp_path / "store")
    assert all(list(make().run((), store, again=False)) == [] for make in EXECUTORS.values())
