"""How much a transformer runs at once: what a short trial finds fastest, within the memory that is
allowed.

What a model was made here runs at once is bounded by `sightline.api.compute_resources`, whose bytes
a token do not grow with its text. A transformer holds weights of every head between all tokens of a
text, so its bound is of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch

from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch, SupportsLayers

FEW, MANY, ELSEWHERE = 2**10, 2**12, 2**13
"""Tokens that are run at once: a processor is often faster on few, which stay in its cache; any
other device takes more.
"""
WORTH = 0.9
"""Of the seconds a token, what many at once must stay below."""
TEXTS = 32
"""Texts of a batch where no memory is named."""
STATES, INNER, WEIGHTS, BYTES = 8, 2, 3, 4
"""Copies of a state, of the inner states and of the weights that a layer holds while it runs, and
the bytes of a number."""


@dataclass(frozen=True)
class RunSize:
    """Tokens of shortened texts that are run at once, and texts of a batch; None leaves either to
    its default.
    """

    tokens: int | None = None
    texts: int | None = None


def run_size(
    model: Auditable, texts: Sequence[Example], memory: int | None, tokens: int | None
) -> RunSize:
    """Find the size of runs; ``tokens`` is what ``memory`` allows a model that was made here."""
    if not isinstance(model, SupportsLayers) or not texts:
        return RunSize(tokens)
    longest = max(texts, key=lambda text: len(text.tokens))
    batch = model.collate([longest])
    width = int(batch.ids.shape[1])
    if memory is None:
        return RunSize(_fastest(model, batch, ELSEWHERE))
    a_token = bytes_a_token(model, width)
    most = max(width, memory // a_token)
    return RunSize(_fastest(model, batch, most), max(1, min(TEXTS, most // width)))


def _fastest(model: Auditable, batch: Batch, most: int) -> int:
    """Choose what is fastest of what is allowed; what is not allowed is not tried either."""
    if batch.ids.device.type != "cpu":
        return min(ELSEWHERE, most)
    if most < MANY:
        return min(FEW, most)
    return FEW if tried(model, batch) else MANY


def bytes_a_token(model: Auditable, width: int) -> int:
    """Say what a token of a text of so many tokens takes while it is run."""
    config: Any = getattr(getattr(model, "module", None), "config", None)
    hidden = int(getattr(config, "hidden_size", 0) or 768)
    inner = int(getattr(config, "intermediate_size", 0) or 4 * hidden)
    heads = int(getattr(config, "num_attention_heads", 0) or 12)
    return BYTES * (STATES * hidden + INNER * inner + WEIGHTS * heads * width)


def tried(model: Auditable, batch: Batch) -> bool:
    """Try whether few tokens at once are about as fast as many; the first run of each is slow."""
    few, many = (_rows(batch, tokens) for tokens in (FEW, MANY))
    with torch.random.fork_rng(devices=[]):
        model.trace(few)
        seconds = [_seconds(model, one) / one.ids.numel() for one in (few, many)]
    return seconds[0] * WORTH <= seconds[1]


def _rows(batch: Batch, tokens: int) -> Batch:
    count = max(1, tokens // int(batch.ids.shape[1]))
    return batch.rows(torch.zeros(count, dtype=torch.long, device=batch.ids.device))


def _seconds(model: Auditable, batch: Batch) -> float:
    began = perf_counter()
    model.trace(batch)
    return perf_counter() - began
