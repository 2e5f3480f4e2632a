"""How a study joins a Ray cluster, through a process that speaks to it, and how it leaves."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from typing import Any

from sightline.core.errors import MissingExtra, SightlineError, SpecError
from sightline.core.installation import install_line
from sightline.experiments.executors.ray_proxy import ALONE, LEAVE, Joined, Refused, carry, remove
from sightline.experiments.executors.spawn import start

KNOCK, JOIN = 10.0, 60.0
"""Seconds for a machine to answer at an address, and for Ray to let us in."""
_SHORT, _TEMPORARY = 24, "/tmp"
"""Ray has sockets in its folder, and the path of a socket has 107 characters at most."""


@contextmanager
def joined(address: str) -> Iterator[tuple[Joined, Connection]]:
    """Join a cluster for a while, and end there what was begun; what keeps us out is an error.

    Without an address it is the cluster of this machine, or Ray on this machine alone, started for
    this while.
    """
    _check_installed()
    _knock(address)
    with _courier(address) as (found, pipe):
        if not (isinstance(found, Refused) and found.nobody):
            yield _let_in(found, address), pipe
            return
    with _courier(ALONE) as (found, pipe):
        yield _let_in(found, address), pipe


@contextmanager
def _courier(address: str) -> Iterator[tuple[Joined | Refused, Connection]]:
    """Have a process that speaks to Ray, and what became of its joining."""
    with _room(address) as folder:
        process, pipe = start(carry, address, folder)
        try:
            yield (
                received(pipe) if pipe.poll(JOIN) else Refused(f"no answer in {JOIN:.0f} seconds"),
                pipe,
            )
        finally:
            pipe.close()
            process.join(LEAVE)
            process.kill()
            process.join()


@contextmanager
def _room(address: str) -> Iterator[str]:
    """Make a folder for the files of the Ray that is started alone, and remove it; a cluster has
    its own.

    Ray opens its folder to every user of the machine, so it gets one inside of a folder that only
    this user can enter.
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


def _let_in(found: Joined | Refused, address: str) -> Joined:
    if isinstance(found, Joined):
        return found
    message = f"Ray at {address or 'this machine'}: {found.description}"
    raise SightlineError(
        f"{message}; run this on a machine of the cluster, with its RAY_AUTH_MODE if it has one"
    )


def received(pipe: Connection) -> Any:
    """Wait for what comes next from the cluster."""
    try:
        return pipe.recv()
    except (EOFError, OSError) as error:
        message = "the connection to the Ray cluster was lost; what is done is kept"
        raise SightlineError(
            f"{message}, and the same command goes on when the cluster is back"
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
    """See whether anybody is at an address before Ray, which would wait for minutes."""
    if not address:
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, OverflowError) as error:
        message = f"ray:{address}: nobody answers ({error})"
        raise SpecError(
            f"{message}; `ray start --head` starts a cluster and says its address", field="workers"
        ) from error
