"""Runs as jobs of a Slurm cluster, one job each, submitted with submitit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.errors import MissingExtra, SightlineError, StoreError
from sightline.core.installation import install_line
from sightline.experiments.executors.executor import KillCounts, RunOutcome, appeared
from sightline.experiments.run_guard import should_run
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
        queue = _Queue(deque(specs), store, again, _submitter(logs, self.cluster), logs)
        try:
            while queue.left or queue.flying:
                yield from queue.send(self.jobs)
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
class _Queue:
    """Runs that wait, and runs that are jobs, with their claims."""

    left: deque[RunSpec]
    store: Store
    again: bool
    submit: Callable[..., Any]
    logs: Path
    flying: dict[RunSpec, tuple[Any, ExitStack]] = field(default_factory=dict)
    tries: KillCounts = field(default_factory=KillCounts)

    def send(self, most: int) -> Iterator[RunOutcome]:
        """Submit runs up to so many jobs; report runs that another process has, or had."""
        while self.left and len(self.flying) < most:
            spec = self.left.popleft()
            with ExitStack() as claim:
                mine = claim.enter_context(self.store.claim_run(run_key(spec)))
                state = self.store.state(run_key(spec))
                if mine and should_run(state, again=self.again):
                    job = self.submit(do_cell, spec, self.store.root.absolute(), Path.cwd())
                    self.flying[spec] = job, claim.pop_all()
                    continue
            yield RunOutcome(spec, state)

    def hear(self) -> Iterator[RunOutcome]:
        """Report how finished jobs ended; a run whose job was killed waits again."""
        for spec in [spec for spec, (job, _) in self.flying.items() if job.done()]:
            job, claim = self.flying.pop(spec)
            with claim:
                outcome = self._outcome(spec, job)
            if outcome.ending == "killed":
                self.left.append(spec)
            yield outcome

    def _outcome(self, spec: RunSpec, job: Any) -> RunOutcome:
        error = job.exception()
        if error is None and isinstance(answer := job.result(), Exception):
            raise answer
        if error is None:
            return RunOutcome(spec, appeared(spec, self.store, f"job {job.job_id}"))
        if type(error).__name__ == "FailedJobError":  # our function returns errors: no run failed
            raise SightlineError(f"job {job.job_id} could not work; its log is in {self.logs}")
        return self.tries.killed(spec, f"its job {job.job_id} was killed", self.store)

    def close(self) -> None:
        """Cancel the jobs and release every claim."""
        for job, claim in self.flying.values():
            job.cancel(check=False)
            claim.close()


def do_cell(spec: RunSpec, root: Path, folder: Path) -> State | Exception:
    """Execute one run on a node; return errors of the disk and bugs of ours as text."""
    from sightline.experiments.run_in_store import run_claimed  # noqa: PLC0415  (torch)

    try:
        with chdir(folder):
            return run_claimed(spec, Store(root))
    except StoreError as error:
        return error
    except Exception as error:  # not every error can be written down and read again
        return RuntimeError(f"{type(error).__name__}: {error}")
