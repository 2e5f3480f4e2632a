"""The machine a command runs on: its device, its threads, and how much it runs at once."""

from __future__ import annotations

import os

BYTES_A_TOKEN = 16 * 1024
"""What one token of a shortened text costs at most while it is run: states, gates and logits of the larger models."""


def prepare(device: str, threads: int | None, before: int | None = None) -> str:
    """Set the threads and give the name of the device.

    Without a number the one of a command that was stopped holds (``before``), then ``OMP_NUM_THREADS``, then what is
    measured.
    """
    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    from sightline.experiments.device import pick_device, pick_threads  # noqa: PLC0415  (torch)

    if (asked := threads or before) is not None:
        torch.set_num_threads(asked)
    elif not named_threads():
        torch.set_num_threads(pick_threads(torch.get_num_threads()))
    return pick_device(device)


def named_threads() -> bool:
    """Tell whether the environment says how many threads there are to be."""
    return bool(os.environ.get("OMP_NUM_THREADS"))


def repeating(words: list[str]) -> list[str]:
    """Add to a command the threads it ran with, where it did not say them: with others its last digits may differ."""
    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    named = any(word == "--threads" or word.startswith("--threads=") for word in words)
    return words if named else [*words, "--threads", str(torch.get_num_threads())]


def tokens_at_once(memory: int | None) -> int:
    """Turn the memory for deletion runs into tokens."""
    from sightline.measures.importance import TOKENS_AT_ONCE  # noqa: PLC0415  (torch)

    return TOKENS_AT_ONCE if memory is None else max(1, memory // BYTES_A_TOKEN)
