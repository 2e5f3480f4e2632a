"""Runs as jobs of a Slurm cluster, one job each, submitted with submitit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

from sightline.config.specs import RunSpec
from sightline.core.errors import MissingExtra, SightlineError, StoreError
from sightline.core.installation import install_line
from sightline.experiments.executors.executor import RemoteRuns, RunOutcome, appeared
from sightline.experiments.store import CLAIMS, State, Store

PAUSE = 0.5
"""Seconds between two checks of the jobs."""
_A_DAY = 24 * 60
"""Minutes that a job may take; the environment variable SBATCH_TIMELIMIT overrides it."""


@dataclass(frozen=True)
class SlurmJobs:
    """Executes so many jobs at a time, with one processor and one torch thread each; every node
    sees the store.

    This process holds the claims, so no lock has to work between machines.
    """

    jobs: int
    cluster: str = "slurm"
    """Where submitit submits jobs: ``local`` makes them processes of this machine, for tests."""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Execute the runs; unfinished jobs are cancelled, however this ends."""
        if not specs:
            return
        logs = store.root.absolute() / CLAIMS / "slurm"
        submitted, root = _submitter(logs, self.cluster), store.root.absolute()
        queue = _Queue(deque(specs), store, again, logs=logs)
        try:
            while queue.left or queue.flying:
                yield from queue.send(
                    self.jobs, lambda spec: submitted(execute_run, spec, root, Path.cwd())
                )
                yield from queue.hear()
                sleep(PAUSE if queue.flying else 0)
        finally:
            queue.close()


def _submitter(logs: Path, cluster: str) -> Callable[..., Any]:
    """Return the function that submits a job: a function and its arguments."""
    try:
        import submitit  # noqa: PLC0415  (optional)
    except ImportError:
        message = f"slurm: submitit is not installed; install it: {install_line('slurm')}"
        raise MissingExtra(message) from None
    executor = submitit.AutoExecutor(folder=logs, cluster=cluster)
    executor.update_parameters(name="sightline", timeout_min=_A_DAY, cpus_per_task=1, nodes=1)
    submit: Callable[..., Any] = executor.submit
    return submit


@dataclass
class _Queue(RemoteRuns):
    """Runs that wait, and runs that are jobs."""

    logs: Path = field(kw_only=True)

    def hear(self) -> Iterator[RunOutcome]:
        """Report how finished jobs ended; a run whose job was killed waits again."""
        for key in [key for key, (_, job, _) in self.flying.items() if job.done()]:
            spec, job, claim = self.flying.pop(key)
            with claim:
                outcome = self._outcome(spec, job)
            yield outcome

    def _outcome(self, spec: RunSpec, job: Any) -> RunOutcome:
        error = job.exception()
        if error is None and isinstance(answer := job.result(), Exception):
            raise answer
        if error is None:
            return RunOutcome(spec, appeared(spec, self.store, f"job {job.job_id}"))
        if type(error).__name__ == "FailedJobError":  # our function returns errors: no run failed
            raise SightlineError(f"job {job.job_id} could not work; its log is in {self.logs}")
        return self.killed(spec, f"its job {job.job_id} was killed")

    def close(self) -> None:
        """Cancel the jobs and release every claim."""
        for _, job, _ in self.flying.values():
            job.cancel(check=False)
        super().close()


def execute_run(spec: RunSpec, root: Path, folder: Path) -> State | Exception:
    """Execute one run on a node; return errors of the disk and bugs of ours as text."""
    from sightline.experiments.run_in_store import run_claimed  # noqa: PLC0415  (torch)

    try:
        with chdir(folder):
            return run_claimed(spec, Store(root))
    except StoreError as error:
        return error
    except Exception as error:  # not every error can be written down and read again
        return RuntimeError(f"{type(error).__name__}: {error}")
