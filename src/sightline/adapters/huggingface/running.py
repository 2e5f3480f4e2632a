"""One run of a classifier: from embeddings that are handed in, with weights that are handed in, keeping its weights."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import nn

from sightline.adapters.tap.mode import Site
from sightline.adapters.tap.tap import Change, Kept, reading


@dataclass(frozen=True)
class Answer:
    """Logits, and what was used at the sites that were asked for."""

    logits: Float[torch.Tensor, "B L"]
    kept: Kept


def run(
    module: Any,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    embeddings: Float[torch.Tensor, "B T E"] | None = None,
    sites: Collection[Site] = (),
    changes: Mapping[Site, Change] = MappingProxyType({}),
    **beside: torch.Tensor,
) -> Answer:
    """Run the module; it is asked by ``input_ids`` always, because heads find the place they read by the padding."""
    with _embedded(module, ids, embeddings), reading(module, {*sites, *changes}, len(ids), changes) as kept:
        found = module(input_ids=ids, attention_mask=mask.long(), **beside)
    return Answer(found.logits, kept)


@contextmanager
def _embedded(module: Any, ids: Int[torch.Tensor, "B T"], given: torch.Tensor | None) -> Iterator[None]:
    """Put embeddings in the place of those that the model looks up.

    Not through ``inputs_embeds``: without ids a decoder's head reads the last place, padding or not. A decoder that is
    shown its own input one place later gets them one place later.
    """
    if given is None:
        yield
        return

    def put(_: nn.Module, asked: tuple[torch.Tensor, ...], looked_up: torch.Tensor) -> torch.Tensor:
        found = asked[0]
        if torch.equal(found, ids):
            return given
        if torch.equal(found, ids.T):  # some families keep texts in columns
            return given.transpose(0, 1)
        if found.shape == ids.shape and torch.equal(found[:, 1:], ids[:, :-1]):
            return torch.cat([looked_up[:, :1], given[:, :-1]], dim=1)
        return looked_up

    table = module.get_input_embeddings().weight  # an encoder and a decoder may have a part each around it
    parts = [part for part in module.modules() if getattr(part, "weight", None) is table]
    handles = [part.register_forward_hook(put) for part in parts if isinstance(part, nn.Embedding)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
