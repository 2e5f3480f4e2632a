"""Choose the executor: processes here, the processors of a Ray cluster, or jobs of Slurm."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sightline.core.errors import SpecError
from sightline.experiments.executors.executor import Executor

_CLUSTER = re.compile(r"ray(?::(?P<address>(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}))?")
_SLURM = re.compile(r"slurm:(?P<jobs>[1-9][0-9]{0,3})")


@dataclass(frozen=True)
class Workers:
    """So many processes here; or a Ray cluster by its address (empty: the cluster at hand); or so
    many jobs of Slurm.
    """

    processes: int = 1
    cluster: str | None = None
    jobs: int | None = None

    def __str__(self) -> str:
        """Write it as ``--workers`` reads it."""
        if self.jobs is not None:
            return f"slurm:{self.jobs}"
        return (
            str(self.processes) if self.cluster is None else f"ray:{self.cluster}".removesuffix(":")
        )


def read_workers(text: str) -> Workers:
    """Read the number of processes, or the cluster.

    >>> read_workers("2").processes, read_workers("ray:10.0.0.5:6379").cluster
    (2, '10.0.0.5:6379')
    >>> read_workers("slurm:50").jobs
    50
    """
    text = str(text)  # the command line passes its default too
    if text.isascii() and text.isdigit() and int(text):
        return Workers(int(text))
    if found := _CLUSTER.fullmatch(text):
        return Workers(cluster=found["address"] or "")
    if found := _SLURM.fullmatch(text):
        return Workers(jobs=int(found["jobs"]))
    raise SpecError(
        f"expected a number above 0, ray, ray:HOST:PORT or slurm:JOBS, got {text!r}",
        field="workers",
    )


def executor_of(workers: Workers) -> Executor:
    """Make the executor, importing only what it needs: torch and Ray take seconds."""
    if workers.cluster is not None:
        from sightline.experiments.executors.ray_cluster import Cluster  # noqa: PLC0415  (as late as it is needed)

        return Cluster(workers.cluster)
    if workers.jobs is not None:
        from sightline.experiments.executors.slurm_jobs import SlurmJobs  # noqa: PLC0415  (as late as it is needed)

        return SlurmJobs(workers.jobs)
    from sightline.experiments.executors.local import Processes, Serial  # noqa: PLC0415  (as late as it is needed)

    if workers.processes > 1:
        return Processes(workers.processes)
    return Serial()
