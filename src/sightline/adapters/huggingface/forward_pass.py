"""One run of a classifier: from embeddings that are handed in, with weights that are handed in,
keeping its weights.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import nn

from sightline.adapters.onednn_linear import faster_linear
from sightline.adapters.tap.embedding_lookup import embedded
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change, RecordedWeights, reading


@dataclass(frozen=True)
class ForwardResult:
    """Logits, and what was used at the sites that were asked for."""

    logits: Float[torch.Tensor, "B L"]
    kept: RecordedWeights


def run(
    module: Any,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    embeddings: Float[torch.Tensor, "B T E"] | None = None,
    sites: Collection[Site] = (),
    changes: Mapping[Site, Change] = MappingProxyType({}),
    valued: Collection[Site] = (),
    **beside: torch.Tensor,
) -> ForwardResult:
    """Run the module; it is asked by ``input_ids`` always, because heads find the place they read
    by the padding.
    """
    with (
        embedded(_tables(module), ids, embeddings),
        reading(module, {*sites, *changes}, len(ids), changes, valued) as kept,
        faster_linear(),
    ):
        found = module(input_ids=ids, attention_mask=mask.long(), **beside)
    return ForwardResult(found.logits, kept)


def _tables(module: Any) -> list[nn.Module]:
    """Give the parts that look words up: an encoder and a decoder may have a part each around one
    table.

    Embeddings are put in there and not through ``inputs_embeds``: without ids a decoder's head
    reads the last place, padding or not.
    """
    table = module.get_input_embeddings().weight
    parts = [part for part in module.modules() if getattr(part, "weight", None) is table]
    return [part for part in parts if isinstance(part, nn.Embedding)]
