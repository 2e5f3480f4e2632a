"""`--limit` of a study: which of the missing runs are made, and what is said of them before."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from sightline.api import study as api
from sightline.api.study import PlannedStudy, RunSettings, plan_file, run_study
from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.experiments.executors.executor import RunOutcome, training_folders
from sightline.experiments.store import Store

BASE = {
    "data": "planted:needle(n=60,length=6)",
    "fit": {"epochs": 1},
    "measures": ["need"],
    "limit": 12,
    "companions": "none",
}


def planned(**axes: Sequence[object]) -> PlannedStudy:
    return plan_file({"name": "s", "base": {"model": "mlp(hidden=4)", **BASE}, "axes": axes})


class Recorded:
    """Makes nothing, says of some runs that another process has them, and records the others."""

    def __init__(self, elsewhere: set[str]) -> None:
        self.elsewhere, self.made = elsewhere, list[str]()

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        for spec in specs:
            if (key := run_key(spec)) in self.elsewhere:
                yield RunOutcome(spec, "missing")
            else:
                self.made.append(key)
                yield RunOutcome(spec, "killed")
                yield RunOutcome(spec, "done")


def test_a_limit_takes_a_run_before_those_that_borrow_its_attention(tmp_path: Path) -> None:
    (lender,) = planned(seed=[0]).grid.keys
    study = planned(model=[f"mlp(hidden=4)+given(run={lender})", "mlp(hidden=4)"])
    one = run_study(study, Store(tmp_path), RunSettings(limit=1))
    assert {key: summary.state for key, summary in one.found.items()} == {lender: "done"}
    both = run_study(study, Store(tmp_path), RunSettings(limit=1))
    assert [summary.state for summary in both.found.values()] == ["done", "done"]


@pytest.mark.parametrize(
    ("limit", "elsewhere", "made"),
    [(1, {0}, [1]), (2, {0, 2}, [1, 3]), (2, set(), [0, 1]), (None, {1}, [0, 2, 3]), (4, {0}, [1, 2, 3])],
)  # fmt: skip
def test_runs_of_another_process_do_not_count_toward_the_limit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: int | None,
    elsewhere: set[int],
    made: list[int],
) -> None:
    study = planned(seed=[0, 1, 2, 3])
    keys = study.grid.keys
    recorded = Recorded({keys[one] for one in elsewhere})
    monkeypatch.setattr(api, "executor_of", lambda workers: recorded)
    shown = list[str]()

    @contextmanager
    def progress(total: int, states: int) -> Iterator[api.OnRun]:
        yield lambda ending, description: shown.append(ending)
        ended = [one for one in shown if one != "killed"]
        assert len(ended) <= total == (limit or 4)

    found = run_study(study, Store(tmp_path), RunSettings(limit=limit), progress)
    assert recorded.made == [keys[one] for one in made]
    reached = {*keys} if limit is None else {*keys[: max((*made, -1)) + 1]}
    assert {*found.elsewhere} == recorded.elsewhere & reached


def test_saved_states_of_the_runs_to_make_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, store = planned(seed=[0, 1]), Store(tmp_path)
    for spec in study.grid.specs:
        (training,) = training_folders(spec, store)
        store.partway_folder(training.name).mkdir(parents=True)
    store.partway_folder("of another study").mkdir()
    monkeypatch.setattr(api, "executor_of", lambda workers: Recorded(set()))
    told = list[tuple[int, int]]()

    @contextmanager
    def progress(total: int, states: int) -> Iterator[api.OnRun]:
        told.append((total, states))
        yield lambda ending, description: None

    for limit in (1, None):
        run_study(study, store, RunSettings(limit=limit), progress)
    assert told == [(1, 1), (2, 2)]
