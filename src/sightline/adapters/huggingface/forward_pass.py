"""One run of a classifier, from given embeddings and with given weights, that records its weights."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
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

NO_TOKEN = -1
"""The number of a padding token that no text has."""


@contextmanager
def without_padding(module: Any) -> Iterator[None]:
    """Let a module without a padding token run several texts of one length.

    The head of a decoder looks for the padding behind each text, and refuses several texts if its
    configuration names none.
    """
    configs = {id(one): one for one in (module.config, module.config.get_text_config())}
    unset = [one for one in configs.values() if getattr(one, "pad_token_id", NO_TOKEN) is None]
    for config in unset:
        config.pad_token_id = NO_TOKEN
    try:
        yield
    finally:
        for config in unset:
            config.pad_token_id = None


@dataclass(frozen=True)
class ForwardResult:
    """The logits, the weights used at the requested sites, and the number of first tokens that were
    not run again.
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
    **extra: torch.Tensor,
) -> ForwardResult:
    """Run the module, always with ``input_ids``, because some heads find the token they read by the
    padding.

    A prompted model skips the tokens that all texts begin with, unless embeddings are given or
    ``every_row`` of the weights is read or changed.
    """
    whole = every_row or embeddings is not None or not isinstance(module, PromptedModel)
    shared = 0 if whole else module.shared(ids)
    reuse = {"reuse": True} if shared else {}
    later = {site: _behind(change, shared) for site, change in changes.items()}
    with (
        embedded(_tables(module), ids, embeddings),
        reading(module, {*sites, *changes}, len(ids), later, valued) as kept,
        without_padding(module),
        faster_linear(),
    ):
        found = module(input_ids=ids, attention_mask=mask.long(), **reuse, **extra)
    kept.weights.update({site: _with_first(one, shared) for site, one in kept.weights.items()})
    return ForwardResult(found.logits, kept, shared)


def plain_logits(
    module: Any,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    **extra: torch.Tensor,
) -> Float[torch.Tensor, "B L"]:
    """Run the module for its logits alone, as it is."""
    again = isinstance(module, PromptedModel) and module.shared(ids)
    reuse = {"reuse": True} if again else {}
    with without_padding(module), faster_linear():
        found: torch.Tensor = module(
            input_ids=ids, attention_mask=mask.long(), **reuse, **extra
        ).logits
    return found


def _behind(change: Change, shared: int) -> Change:
    """Apply a change to weights whose first rows were not computed, as if they were there."""
    if not shared:
        return change
    return lambda weights: change(_with_first(weights, shared))[:, :, shared:]


def _with_first(weights: Weights, shared: int) -> Weights:
    """Add rows for the tokens that were not run, in which each token sees only itself.

    These tokens see no word. With a weight of 1 on themselves, rollout keeps the shares of the
    words.
    """
    if not shared:
        return weights
    first = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)[:shared]
    return torch.cat([first.expand(*weights.shape[:2], -1, -1), weights], dim=2)


def _tables(module: Any) -> list[nn.Module]:
    """The parts that look up embeddings: an encoder and a decoder may each have one for a shared
    table.

    Embeddings are inserted there rather than through ``inputs_embeds``: without ids, a decoder's
    head reads the last place, padding or not.
    """
    table = module.get_input_embeddings().weight
    parts = [part for part in module.modules() if getattr(part, "weight", None) is table]
    return [part for part in parts if isinstance(part, nn.Embedding)]
