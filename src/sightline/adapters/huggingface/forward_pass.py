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

from sightline.adapters.huggingface.prompted_model import PromptedModel
from sightline.adapters.onednn_linear import faster_linear
from sightline.adapters.tap.embedding_lookup import embedded
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change, RecordedWeights, Weights, reading


@dataclass(frozen=True)
class ForwardResult:
    """Logits, what was used at the sites that were asked for, and how many first tokens were not
    run again.
    """

    logits: Float[torch.Tensor, "B L"]
    kept: RecordedWeights
    shared: int = 0


def run(
    module: Any,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    embeddings: Float[torch.Tensor, "B T E"] | None = None,
    sites: Collection[Site] = (),
    changes: Mapping[Site, Change] = MappingProxyType({}),
    valued: Collection[Site] = (),
    *,
    every_row: bool = False,
    **beside: torch.Tensor,
) -> ForwardResult:
    """Run the module; it is asked by ``input_ids`` always, because heads find the place they read
    by the padding.

    A prompted model does not run again what all texts begin with, unless embeddings are handed in
    or ``every_row`` of the weights is read or changed.
    """
    whole = every_row or embeddings is not None or not isinstance(module, PromptedModel)
    shared = 0 if whole else module.shared(ids)
    reuse = {"reuse": True} if shared else {}
    later = {site: _behind(change, shared) for site, change in changes.items()}
    with (
        embedded(_tables(module), ids, embeddings),
        reading(module, {*sites, *changes}, len(ids), later, valued) as kept,
        faster_linear(),
    ):
        found = module(input_ids=ids, attention_mask=mask.long(), **reuse, **beside)
    kept.weights.update({site: _with_first(one, shared) for site, one in kept.weights.items()})
    return ForwardResult(found.logits, kept, shared)


def plain_logits(
    module: Any,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    **beside: torch.Tensor,
) -> Float[torch.Tensor, "B L"]:
    """Run the module for its logits alone, as it is."""
    again = isinstance(module, PromptedModel) and module.shared(ids)
    reuse = {"reuse": True} if again else {}
    with faster_linear():
        found: torch.Tensor = module(
            input_ids=ids, attention_mask=mask.long(), **reuse, **beside
        ).logits
    return found


def _behind(change: Change, shared: int) -> Change:
    """Change weights of which the first rows are not made, as if they were."""
    if not shared:
        return change
    return lambda weights: change(_with_first(weights, shared))[:, :, shared:]


def _with_first(weights: Weights, shared: int) -> Weights:
    """Put rows in the place of those that were not made, in which each token sees itself alone.

    No word is seen from there. With a weight of 1 in all, rollout keeps the share of the words.
    """
    if not shared:
        return weights
    first = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)[:shared]
    return torch.cat([first.expand(*weights.shape[:2], -1, -1), weights], dim=2)


def _tables(module: Any) -> list[nn.Module]:
    """Give the parts that look words up: an encoder and a decoder may have a part each around one
    table.

    Embeddings are put in there and not through ``inputs_embeds``: without ids a decoder's head
    reads the last place, padding or not.
    """
    table = module.get_input_embeddings().weight
    parts = [part for part in module.modules() if getattr(part, "weight", None) is table]
    return [part for part in parts if isinstance(part, nn.Embedding)]
