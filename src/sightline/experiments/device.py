"""Choose the device of a model, and the number of threads that is fastest on a processor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter

import torch

from sightline.core.errors import ModelError

_ROUNDS = 5
_WORTH = 1.1
"""How many times as fast several threads must be, because threads also wait for each other."""
_AT_MOST = 0.4
"""Seconds for the trial; a machine that needs longer has no processor to spare."""
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute with one thread: equal threads, equal bits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def pick_device(name: str) -> str:
    """Turn ``auto`` into an available device, and refuse a missing one."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=name).item()  # a device that holds no numbers fails here
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        message = f"{name}: {str(error).splitlines()[0]}; use auto, cpu or cuda"
        raise ModelError(message, field="device") from error
    return name


def check_place(model: str, found: torch.device, asked: str) -> None:
    """Refuse to move a model that was built on another device: objects that its functions use would
    stay behind.
    """
    if asked != "auto" and torch.empty(0, device=asked).device.type != found.type:
        raise ModelError(
            f"{asked}: the model of {model} is on {found}; put it there in its factory",
            field="device",
        )


def pick_threads(most: int) -> int:
    """Choose between one thread and torch's maximum by trying both for a moment.

    On a shared machine, or in a container with fewer processors than it sees, many threads wait for
    each other and are several times slower than one.
    """
    many = min(most, _processors())
    if many < 2:
        return 1
    seconds = _tried((1, many))
    if len(seconds[many]) < _ROUNDS:
        return 1
    # The first round of each count is slow. The median of many threads must beat the best of one.
    middle = sorted(seconds[many][1:])[_ROUNDS // 2]
    return many if _WORTH * middle <= min(seconds[1][1:]) else 1


def _tried(counts: tuple[int, ...]) -> dict[int, list[float]]:
    """Time a small encoder under each number of threads in turn, so that other load on the machine
    affects all equally.
    """
    with torch.random.fork_rng(devices=[]):
        states = torch.nn.LSTM(100, 64, batch_first=True, bidirectional=True)
    texts, seconds = torch.zeros(32, 24, 100), {count: list[float]() for count in counts}
    started = perf_counter()
    with torch.no_grad():
        for count in counts * _ROUNDS:
            if perf_counter() - started > _AT_MOST:
                break
            torch.set_num_threads(count)
            began = perf_counter()
            states(texts)
            seconds[count].append(perf_counter() - began)
    return seconds


def _processors() -> int:
    """Count the processors available to this process, within its affinity and its container's
    quota.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # not everywhere
    found = os.cpu_count() or 1 if affinity is None else len(affinity(0))
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        quota, period = map(int, _QUOTA.read_text(encoding="ascii").split())
        found = min(found, max(1, quota // period))
    return found
