"""Bound how much a transformer runs at once, within the memory that is allowed.

For models built here, `sightline.api.compute_resources` sets the bound; their bytes per token do
not grow with the text. A transformer holds the weights of every head between all tokens of a text,
so it has its own bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sightline.audits.measure_pass import BATCH
from sightline.core.example import Example
from sightline.core.protocols import Auditable, SupportsLayers

ON_CPU, ELSEWHERE = 2**9, 2**13
"""Tokens that are run at once: a processor is often faster on few, which stay in its cache; other
devices take more. The sizes are fixed: float32 results differ in their last digits with the size,
and the same command must give the same numbers."""
MEMORY = 2**27
"""Bytes that a batch may take on a processor if no memory is named: the default of `--memory`. A
batch of 32 texts of 256 tokens took four times as much."""
STATES, INNER, WEIGHTS, BYTES = 8, 2, 3, 4
"""Copies of a hidden state, of the inner states and of the weights that a layer holds while it
runs, and the bytes of a number."""


@dataclass(frozen=True)
class RunSize:
    """Tokens of shortened texts that are run at once, and texts per batch; None means
    the default.
    """

    tokens: int | None = None
    texts: int | None = None


def run_size(
    model: Auditable, texts: Sequence[Example], memory: int | None, tokens: int | None
) -> RunSize:
    """Find the size of runs; ``tokens`` is what ``memory`` allows a model that was built here."""
    if not isinstance(model, SupportsLayers) or not texts:
        return RunSize(tokens)
    longest = max(texts, key=lambda text: len(text.tokens))
    batch = model.collate([longest])
    width = int(batch.ids.shape[1])
    usual = ON_CPU if batch.ids.device.type == "cpu" else ELSEWHERE
    if memory is None and usual == ELSEWHERE:
        return RunSize(usual)
    most = max(width, (memory or MEMORY) // bytes_a_token(model, width))
    tokens = usual if memory is None else min(usual, most)
    return RunSize(tokens, max(1, min(BATCH, most // width)))


def bytes_a_token(model: Auditable, width: int) -> int:
    """Return the bytes that a token takes while a text of so many tokens is run."""
    config: Any = getattr(getattr(model, "module", None), "config", None)
    hidden = int(getattr(config, "hidden_size", 0) or 768)
    inner = int(getattr(config, "intermediate_size", 0) or 4 * hidden)
    heads = int(getattr(config, "num_attention_heads", 0) or 12)
    return BYTES * (STATES * hidden + INNER * inner + WEIGHTS * heads * width)
