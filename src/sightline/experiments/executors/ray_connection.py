"""Join a Ray cluster, and run the process that talks to Ray for a study.

Ray gets a process of its own because it takes over its host process: it prints, answers signals,
waits minutes for an unused address, and ends the process if a node is lost. We can always end the
process that we started.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from pathlib import Path
from secrets import token_hex
from typing import Any

from sightline.core.errors import MissingExtra, SightlineError, SpecError
from sightline.core.installation import install_line
from sightline.experiments.executors.child_process import end_with_parent, silence, start
from sightline.experiments.executors.ray_node import NodeReply, Order, work

KNOCK, JOIN = 10.0, 60.0
"""Seconds for a machine to answer at an address, and for Ray to let us join."""
_SHORT, _TEMPORARY = 24, "/tmp"
"""Ray keeps sockets in its folder, and the path of a socket has 107 characters at most."""
ALONE = "local"
"""Used instead of an address."""
LEAVE = 10.0
"""Seconds to end what was started on a cluster, once the parent has finished or ended."""
TURN = 0.1
"""Seconds between two checks for new runs while others execute."""
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Makes Ray listen only on the loopback of this machine, its default on macOS and Windows. It has
no other switch: it replaces an address of 127.0.0.1 by one on the network."""
_TRIES = 20


@dataclass(frozen=True)
class JoinedCluster:
    """The cluster answers: its numbers of nodes and processors."""

    nodes: int
    processors: int


@dataclass(frozen=True)
class ClusterRefusal:
    """Ray refused, in its own words; ``nobody`` says that no cluster was found."""

    description: str
    nobody: bool = False


@dataclass(frozen=True)
class RunReply:
    """How a run ended, by its key: its reply, or why there is none. The cluster may have grown
    meanwhile.
    """

    key: str
    answer: NodeReply | None
    description: str
    processors: int


# ---------------------------------------------------------------- in the process of the study


@contextmanager
def join_cluster(address: str) -> Iterator[tuple[JoinedCluster, Connection]]:
    """Join a cluster for a while, and end there what was started; a failure to join is an error.

    Without an address it is the cluster of this machine, or else Ray started on this machine alone
    for this while.
    """
    _check_installed()
    _knock(address)
    with _courier(address) as (found, pipe):
        if not (isinstance(found, ClusterRefusal) and found.nobody):
            yield _let_in(found, address), pipe
            return
    with _courier(ALONE) as (found, pipe):
        yield _let_in(found, address), pipe


@contextmanager
def _courier(address: str) -> Iterator[tuple[JoinedCluster | ClusterRefusal, Connection]]:
    """Start the process that talks to Ray, and report whether it joined."""
    with _room(address) as folder:
        process, pipe = start(carry, address, folder)
        try:
            yield (
                received(pipe)
                if pipe.poll(JOIN)
                else ClusterRefusal(f"no answer in {JOIN:.0f} seconds"),
                pipe,
            )
        finally:
            pipe.close()
            process.join(LEAVE)
            process.kill()
            process.join()


@contextmanager
def _room(address: str) -> Iterator[str]:
    """Make a folder for the files of a Ray that is started alone, and remove it later; a cluster
    has its own.

    Ray opens its folder to every user of the machine, so it gets a folder inside one that only this
    user can enter.
    """
    if address != ALONE:
        yield ""
        return
    place = tempfile.gettempdir()
    private = tempfile.mkdtemp(
        prefix="sightline-ray-", dir=place if len(place) <= _SHORT else _TEMPORARY
    )
    try:
        yield private
    finally:
        remove(private)


def _let_in(found: JoinedCluster | ClusterRefusal, address: str) -> JoinedCluster:
    if isinstance(found, JoinedCluster):
        return found
    message = f"Ray at {address or 'this machine'}: {found.description}"
    raise SightlineError(
        f"{message}; run this on a machine of the cluster, with its RAY_AUTH_MODE if it has one"
    )


def received(pipe: Connection) -> Any:
    """Wait for the next message from the cluster."""
    try:
        return pipe.recv()
    except (EOFError, OSError) as error:
        message = "the connection to the Ray cluster was lost; what is done is kept"
        raise SightlineError(
            f"{message}, and the same command resumes when the cluster is back"
        ) from error


def _check_installed() -> None:
    try:
        version("ray")
    except PackageNotFoundError as error:
        message = f"--workers ray needs Ray: {install_line('ray')}"
        raise MissingExtra(
            f"{message}, or use the processors of this machine with --workers N"
        ) from error


def _knock(address: str) -> None:
    """Check that an address answers before Ray tries it: Ray would wait for minutes."""
    if not address:
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, OverflowError) as error:
        message = f"ray:{address}: no answer ({error})"
        raise SpecError(
            f"{message}; `ray start --head` starts a cluster and says its address", field="workers"
        ) from error


# ---------------------------------------------------------------- in the process that speaks to Ray


def carry(pipe: Connection, address: str, folder: str) -> None:
    """Carry runs to a cluster and replies back, until the pipe is closed.

    Without an address it is the cluster at hand. `ALONE` is Ray started on this machine for this
    while, with its files in ``folder``, which is removed at the end.
    """
    end_with_parent(LEAVE)
    silence()  # Ray also writes to stdout, and from outside Python
    os.chdir(
        os.sep
    )  # every worker of Ray imports from this folder, so it must not hold the user's tables
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == ALONE:
        # Anyone who can talk to Ray can run code. By default Ray would write a token that all later
        # clusters require.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex()} | _LOOPBACK
    import ray  # noqa: PLC0415  (an extra, and only this process has it)

    try:
        with suppress(EOFError, BrokenPipeError):  # the parent has ended, or is done
            _carry(ray, pipe, address, folder)
    finally:
        remove(folder)  # here as well: the parent may have been killed


def _carry(ray: Any, pipe: Connection, address: str, folder: str) -> None:
    try:
        _join(ray, address, folder)
    except ConnectionError as error:
        return pipe.send(ClusterRefusal(_words(error), nobody=not address))
    except Exception as error:  # any error means that there is no cluster
        return pipe.send(ClusterRefusal(_words(error)))
    try:
        pipe.send(JoinedCluster(sum(bool(node["Alive"]) for node in ray.nodes()), _processors(ray)))
        _serve(ray, pipe)
    finally:
        ray.shutdown()


def remove(folder: str) -> None:
    """Remove the files of a Ray that was started alone; its last processes may still write some."""
    for _ in range(_TRIES if folder else 0):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return
        time.sleep(TURN)


def _join(ray: Any, address: str, folder: str) -> None:
    quiet = {"log_to_driver": False, "configure_logging": False}
    if address == ALONE:
        ray.init(
            address="local", include_dashboard=False, _temp_dir=str(Path(folder, "ray")), **quiet
        )
    else:
        ray.init(address=address or "auto", **quiet)


def _serve(ray: Any, pipe: Connection) -> None:
    # We count killed workers ourselves: Ray would restart their run silently.
    task = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(work)
    waiting: dict[Any, str] = {}
    try:
        while True:
            while pipe.poll(0 if waiting else None):
                order: Order = pipe.recv()
                waiting[task.remote(order)] = order.key
            for ref in ray.wait([*waiting], timeout=TURN)[0]:
                pipe.send(RunReply(waiting.pop(ref), *_answer(ray, ref), _processors(ray)))
    finally:
        for ref in waiting:
            ray.cancel(ref, force=True)


def _answer(ray: Any, ref: Any) -> tuple[NodeReply | None, str]:
    try:
        return ray.get(ref), ""
    except ray.exceptions.RayTaskError as error:  # sightline is missing there, or differs
        text = (
            f"a node could not start a run ({_words(error)}); install this machine's version of "
            "sightline there"
        )
        return NodeReply("", "unfit", text), ""
    except ray.exceptions.RayError as error:
        return None, _words(error)


def _processors(ray: Any) -> int:
    return int(ray.cluster_resources().get("CPU", 0))


def _words(error: Exception) -> str:
    """Shorten a message of Ray to one line: the last of a traceback, the first of anything else."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    chosen = (
        lines[-1]
        if any(line.startswith("Traceback") or "(pid=" in line for line in lines)
        else lines[0]
    )
    return f"{type(error).__name__}: {chosen}"[:400]
