"""What may be asked for as workers: a number of processes here, or a Ray cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.core.errors import SpecError

if TYPE_CHECKING:
    from sightline.experiments.executors.executor import Executor

_CLUSTER = re.compile(r"ray(?::(?P<address>(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}))?")


@dataclass(frozen=True)
class Workers:
    """So many processes here; or those of a cluster, by its address, which is empty where it is the
    one at hand.
    """

    processes: int = 1
    cluster: str | None = None

    def __str__(self) -> str:
        """Write it as it is asked for."""
        return (
            str(self.processes) if self.cluster is None else f"ray:{self.cluster}".removesuffix(":")
        )


def read_workers(text: str) -> Workers:
    """Read how many processes, or which cluster.

    >>> read_workers("2"), read_workers("ray:10.0.0.5:6379")
    (Workers(processes=2, cluster=None), Workers(processes=1, cluster='10.0.0.5:6379'))
    """
    text = str(text)  # the command line hands its default over, too
    if text.isascii() and text.isdigit() and int(text):
        return Workers(int(text))
    if found := _CLUSTER.fullmatch(text):
        return Workers(cluster=found["address"] or "")
    raise SpecError(
        f"expected a number above 0, ray or ray:HOST:PORT, got {text!r}", field="workers"
    )


def executor_of(workers: Workers) -> Executor:
    """Make what runs cells as they were asked for."""
    if workers.cluster is not None:
        from sightline.experiments.executors.ray_cluster import Cluster  # noqa: PLC0415  (as late as it is needed)

        return Cluster(workers.cluster)
    if workers.processes > 1:
        from sightline.experiments.executors.processes import Processes  # noqa: PLC0415  (as late as it is needed)

        return Processes(workers.processes)
    from sightline.experiments.executors.serial import Serial  # noqa: PLC0415  (torch)

    return Serial()
