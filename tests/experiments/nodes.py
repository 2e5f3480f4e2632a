"""A Ray cluster of two nodes on this machine, a processor each, in a process of its own that tests
can end.

It prints its address, kills its second node when a line comes in, and ends when no more can.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

from tests.living import lives, told, wait_for

ROOT = Path(__file__).resolve().parents[2]
MARK = "SIGHTLINE_TEST_CLUSTER"
"""In the environment of whatever the cluster starts, so that all of it is found again."""
SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 300,
    "health_check_failure_threshold": 3,
    "worker_niceness": 0,
}
"""A node that died is missed after a second: as it comes it takes a quarter of a minute. Ray's own
niceness of 15 leaves workers no turn for minutes where other tests keep all processors busy."""
SMALL = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_log_monitor": False}


@dataclass(frozen=True)
class Nodes:
    """A cluster that runs: its address, the process that has it, and the environment of who is let
    in.
    """

    address: str
    process: subprocess.Popen[str]
    environment: Mapping[str, str]

    def kill_one(self) -> None:
        """Kill the second node, as a machine that loses its power."""
        print(file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "killed\n"

    def at_work(self) -> list[int]:
        """Name the workers that have a run, or had one for the study that runs."""
        return [
            process
            for process in started_by(str(self.process.pid))
            if "ray::work" in command_of(process)
        ]


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Start a cluster, and leave nothing of it behind, whatever happens."""
    with TemporaryDirectory(
        prefix="ray-", dir="/tmp", ignore_cleanup_errors=True
    ) as folder:  # a socket's path is short
        yield from _started(Path(folder))


def _started(folder: Path) -> Iterator[Nodes]:
    # A token of its own: others on the network are kept out, and what the user's own clusters ask
    # for plays no part.
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex()}
    environment = {
        **os.environ,
        **secret,
        MARK: "",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": str(folder),
    }
    with (folder / "said.txt").open("w") as said, subprocess.Popen(
        [sys.executable, "-m", "tests.experiments.nodes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=said, text=True, cwd=ROOT, env=environment, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            address = process.stdout.readline().strip()
            assert address, (folder / "said.txt").read_text()
            yield Nodes(address, process, {**os.environ, **secret})
        finally:
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            for left in started_by(str(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(left, signal.SIGKILL)
            wait_for(lambda: not started_by(str(process.pid)), 10)


def started_by(name: str) -> list[int]:
    """Name the processes of a cluster that live."""
    every = [int(place.name) for place in Path("/proc").glob("[0-9]*")]
    found = [one for one in every if f"{MARK}={name}" in told(one, "environ").split("\0")]
    return [process for process in found if lives(process)]


def command_of(process: int) -> str:
    return told(process, "cmdline")


def main() -> None:
    os.environ[MARK] = str(os.getpid())
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        True, head_node_args={**SMALL, "include_dashboard": False, "_system_config": SOON}
    )
    second = cluster.add_node(**SMALL)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        os.kill(second.all_processes["raylet"][0].process.pid, signal.SIGKILL)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
