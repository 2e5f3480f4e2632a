"""The machine a command runs on: its device, its threads, and how much it runs at once."""

from __future__ import annotations

BYTES_A_TOKEN = 16 * 1024
"""What one token of a shortened text costs at most while it is run: states, gates and logits of the larger models."""


def prepare(device: str, threads: int | None) -> str:
    """Set the threads and give the name of the device."""
    import torch  # noqa: PLC0415  (help and mistakes in flags must not wait for it)

    from sightline.experiments.device import pick_device  # noqa: PLC0415  (torch)

    if threads is not None:
        torch.set_num_threads(threads)
    return pick_device(device)


def tokens_at_once(memory: int | None) -> int:
    """Turn the memory for deletion runs into tokens."""
    from sightline.measures.importance import TOKENS_AT_ONCE  # noqa: PLC0415  (torch)

    return TOKENS_AT_ONCE if memory is None else max(1, memory // BYTES_A_TOKEN)
