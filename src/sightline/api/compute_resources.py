"""The resources of a command: its device, its threads, and how much it runs at once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

BYTES_A_TOKEN = 16 * 1024
"""The most bytes that one token of a shortened text takes while it is run: states, gates and logits
of the larger models."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where a run computes, and how much of it at once; neither changes what is audited."""

    device: str = "cpu"
    tokens_at_once: int | None = None
    memory: int | None = None


@dataclass(frozen=True, kw_only=True)
class Resources:
    """The device, threads and memory (in bytes) that a caller asks for; None leaves it to
    `prepare`.
    """

    device: str = "auto"
    threads: int | None = None
    memory: int | None = None

    def machine(self, before: int | None = None) -> Machine:
        """Set the threads of this process and return the machine; ``before`` is the number of
        threads of a stopped run.
        """
        return Machine(
            device=prepare(self.device, self.threads, before),
            tokens_at_once=None if self.memory is None else tokens_at_once(self.memory),
            memory=self.memory,
        )


def prepare(device: str, threads: int | None, before: int | None = None) -> str:
    """Set the threads and return the name of the device.

    Without a number, use the threads of the stopped command (``before``), then ``OMP_NUM_THREADS``,
    then a measurement.
    """
    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    from sightline.experiments.device import pick_threads  # noqa: PLC0415  (torch)

    if (asked := threads or before) is not None:
        torch.set_num_threads(asked)
    elif not named_threads():
        torch.set_num_threads(pick_threads(torch.get_num_threads()))
    return pick_device(device)


def pick_device(name: str) -> str:
    """Turn ``auto`` into an available device, and refuse a missing one."""
    from sightline.experiments.device import pick_device as picked  # noqa: PLC0415  (torch)

    return picked(name)


def named_threads() -> bool:
    """Tell whether the environment sets the number of threads."""
    return bool(os.environ.get("OMP_NUM_THREADS"))


def made_by(words: Sequence[str]) -> dict[str, str]:
    """Return the command that repeats a run, with its threads, and the date, for a report."""
    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    named = any(word == "--threads" or word.startswith("--threads=") for word in words)
    # With other threads the last digits may differ.
    threads = [] if named else ["--threads", str(torch.get_num_threads())]
    command = shlex.join(["sightline", *words, *threads])
    return {"command": command, "date": today()}


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(UTC).date().isoformat()


def tokens_at_once(memory: int | None) -> int:
    """Convert the memory for leave-one-out runs to tokens."""
    from sightline.measures.importance import TOKENS_AT_ONCE  # noqa: PLC0415  (torch)

    return TOKENS_AT_ONCE if memory is None else max(1, memory // BYTES_A_TOKEN)
