"""Cells as jobs: what every executor promises, and jobs that are killed or cannot work."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline.config.run_keys import run_key
from sightline.core.errors import MissingExtra, SightlineError
from sightline.experiments.executors import slurm_jobs
from sightline.experiments.executors.slurm_jobs import SlurmJobs
from sightline.experiments.executors.worker_choice import Workers, executor_of, read_workers
from sightline.experiments.store import Store, should_run
from tests.contract.test_executors import GOOD, keeps_its_word


@pytest.mark.slow
def test_jobs_keep_the_promises_of_an_executor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("submitit", reason="no submitit")
    monkeypatch.setattr(slurm_jobs, "PAUSE", 0.05)
    keeps_its_word(SlurmJobs(2, cluster="local"), tmp_path / "store")


class UncompletedJobError(RuntimeError):
    """What submitit says of a job that left no result."""


class FailedJobError(UncompletedJobError):
    """What submitit says of a job whose function raised."""


class Job:
    """A job that has ended."""

    job_id = "17"

    def __init__(self, made: list["Job"], error: Exception | None, answer: object = None) -> None:
        made.append(self)
        self.error, self.answer, self.ended, self.cancelled = error, answer, True, False

    def done(self) -> bool:
        return self.ended

    def exception(self) -> Exception | None:
        return self.error

    def result(self) -> object:
        return self.answer

    def cancel(self, check: bool) -> None:
        self.cancelled = True


Hand = Callable[..., list[Job]]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Let each job that is handed in end with an error, or with an answer."""

    def become(error: Exception | None, answer: object = None, ended: bool = True) -> list[Job]:
        made = list[Job]()

        def submit(*arguments: Any) -> Job:
            job = Job(made, error, answer)
            job.ended = ended
            return job

        monkeypatch.setattr(slurm_jobs, "_submitter", lambda logs, cluster: submit)
        monkeypatch.setattr(slurm_jobs, "PAUSE", 0.0)
        return made

    return become


def test_a_cell_whose_jobs_are_killed_is_kept_as_failed(handed: Hand, tmp_path: Path) -> None:
    made, store = handed(UncompletedJobError("no output")), Store(tmp_path / "store")
    ended = [one.ending for one in SlurmJobs(2).run([GOOD], store, again=False)]
    assert ended == ["killed", "killed", "failed"]
    assert len(made) == 3
    assert "job 17 was killed 3 times" in store.summary(run_key(GOOD)).error


@pytest.mark.parametrize(
    ("error", "answer", "message"),
    [
        (FailedJobError("trace"), None, "job 17 could not work; its log is in"),
        (None, RuntimeError("KeyError: 3"), "KeyError: 3"),
    ],
)
def test_what_is_no_fault_of_a_cell_ends_the_study(
    handed: Hand, tmp_path: Path, error: Exception | None, answer: object, message: str
) -> None:
    handed(error, answer)
    store = Store(tmp_path / "store")
    with pytest.raises((SightlineError, RuntimeError), match=message):
        list(SlurmJobs(1).run([GOOD], store, again=False))
    assert should_run(store.state(run_key(GOOD)), again=False)
    with store.claim_run(run_key(GOOD)) as mine:
        assert mine


def test_leaving_cancels_the_jobs_and_lets_go_of_the_claims(handed: Hand, tmp_path: Path) -> None:
    made, store = handed(None, ended=False), Store(tmp_path / "store")
    with store.claim_run(run_key(GOOD)) as mine:
        assert mine
        other = next(iter(SlurmJobs(1).run([GOOD], store, again=False)))
    assert (other.ending, made) == ("missing", [])

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slurm_jobs, "sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            list(SlurmJobs(1).run([GOOD], store, again=False))
    assert [job.cancelled for job in made] == [True]
    with store.claim_run(run_key(GOOD)) as mine:
        assert mine


def test_slurm_is_asked_for_with_its_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_workers("slurm:12") == Workers(jobs=12)
    assert str(Workers(jobs=12)) == "slurm:12"
    assert executor_of(Workers(jobs=12)) == SlurmJobs(12)
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(MissingExtra, match=r"sightline-audit\[slurm\]"):
        list(SlurmJobs(1).run([GOOD], Store(tmp_path / "store"), again=False))
