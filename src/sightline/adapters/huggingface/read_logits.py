"""Computes logits without running the last layer for tokens that nobody reads.

A classifier reads one token of the last layer. There, attention mixes the values of all tokens, and
the rest works token by token. So the run for all tokens ends at that attention, and continues for
the one token that is read. A trial run checks that a model works this way.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from sightline.adapters.huggingface.attention_reduction import place, readable_tokens
from sightline.adapters.huggingface.attention_source import QueryRow
from sightline.adapters.huggingface.forward_pass import plain_logits
from sightline.adapters.huggingface.prompted_model import SAME, PromptedModel
from sightline.adapters.huggingface.read_row import ReadRow, row_of
from sightline.adapters.onednn_linear import faster_linear
from sightline.adapters.tap.prefix_cache import PrefixOutput, layers_before
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.unfused_attention import scaled_dot_product

FUSED = functional.scaled_dot_product_attention
_ASKED = inspect.signature(
    lambda query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
    enable_gqa=False: None
)  # fmt: skip


class _ReadError(Exception):
    """Ends a run once the mixed values for the token that is read are known."""


class _Mixing(TorchFunctionMode):
    """Mixes the values for one token of each text and ends the run; or returns values that were
    mixed earlier.

    With ``weighing``, it keeps the weights of that token and the values instead.
    """

    def __init__(
        self,
        at: Int[torch.Tensor, " B"],
        product: torch.Tensor | None = None,
        *,
        weighing: bool = False,
    ) -> None:
        super().__init__()
        self.at, self.product, self.ends = at, product, product is None
        self.weighing = weighing
        self.kept: tuple[torch.Tensor, torch.Tensor] | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Pass everything on except the attention."""
        if func is not FUSED:
            return func(*args, **(kwargs or {}))
        if self.ends and self.weighing:
            self.kept = _weighed(self.at, *args, **(kwargs or {}))
            raise _ReadError
        if self.ends:
            self.product = _mixed(self.at, *args, **(kwargs or {}))
            raise _ReadError
        return self.product


def _mixed(at: Int[torch.Tensor, " B"], *args: Any, **kwargs: Any) -> torch.Tensor:
    """Compute the attention of one token of each text."""
    return FUSED(**_of_one(at, *args, **kwargs))


def _weighed(
    at: Int[torch.Tensor, " B"], *args: Any, **kwargs: Any
) -> tuple[Float[torch.Tensor, "B N T"], Float[torch.Tensor, "B N T D"]]:
    """Compute the weights of one token of each text, and give the values that they mix."""
    kept: list[torch.Tensor] = []

    def keep(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        kept.extend((weights, values))
        return weights

    scaled_dot_product(keep, **_of_one(at, *args, **kwargs))
    weights, values = kept
    return weights[:, :, 0], values


def _of_one(at: Int[torch.Tensor, " B"], *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Restrict the arguments of attention to one token of each text."""
    asked = _ASKED.bind(*args, **kwargs)
    asked.apply_defaults()
    given = asked.arguments
    query, key, mask = given["query"], given["key"], given["attn_mask"]
    texts, keys = torch.arange(len(at), device=at.device), key.shape[-2]
    if given["is_causal"]:
        mask = (torch.arange(keys, device=at.device) <= at[:, None])[:, None, None]
    elif mask is not None:
        mask = mask.expand(len(at), -1, query.shape[-2], keys)[texts, :, at][:, :, None]
    return {
        "query": query[texts, :, at][:, :, None],
        "key": key,
        "value": given["value"],
        "attn_mask": mask,
        "scale": given["scale"],
        "enable_gqa": given["enable_gqa"],
    }


@contextmanager
def _inside(part: nn.Module, mode: _Mixing) -> Iterator[None]:
    """Watch only one part of a module, because watching costs time at every step."""
    watching = ExitStack()

    def enter(*_: Any) -> None:
        watching.enter_context(mode)

    def leave(*_: Any) -> None:
        watching.close()

    handles = [part.register_forward_pre_hook(enter), part.register_forward_hook(leave)]
    try:
        with suppress(_ReadError):
            yield
    finally:
        watching.close()
        for handle in handles:
            handle.remove()


@dataclass(frozen=True)
class LastLayerReader:
    """A module whose last layer runs only for the one token of each text that is read.

    ``site`` is the attention of the last layer, ``row`` and ``skipped`` find the token, and
    ``layers`` are the layers before, which run for all tokens. ``extra`` are inputs in addition to
    ids and mask.
    """

    module: Any
    site: Site
    row: QueryRow
    skipped: int | None
    layers: tuple[str, ...]

    def logits(
        self, ids: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"], **extra: torch.Tensor
    ) -> Float[torch.Tensor, "B L"]:
        """Give the logits."""
        part, at = self.module.get_submodule(self.site.part), self._place(ids, mask)
        texts, first = torch.arange(len(ids), device=ids.device), _Mixing(at)
        with torch.no_grad(), faster_linear():
            one, given = self._run_to_last(part, first, ids, mask, **extra)
            assert first.product is not None  # as it was tried
            named = {name: value[texts, at][:, None] for name, value in extra.items()}
            with given.skipped(self.module), _inside(part, _Mixing(at, first.product)):
                found: torch.Tensor = self.module(
                    input_ids=one, attention_mask=torch.ones_like(one), **named
                ).logits
        return found

    def weights(
        self, ids: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"], **extra: torch.Tensor
    ) -> ReadRow:
        """Give the weights and values that the last layer mixes for the token that is read."""
        part = self.module.get_submodule(self.site.part)
        first = _Mixing(self._place(ids, mask), weighing=True)
        with torch.no_grad(), faster_linear():
            one, given = self._run_to_last(part, first, ids, mask, **extra)
        assert first.kept is not None  # as it was tried
        return ReadRow(self.site, one, given, *first.kept)

    def _place(
        self, ids: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
    ) -> Int[torch.Tensor, " B"]:
        return place(readable_tokens(ids, mask, self.skipped), self.row)

    def _run_to_last(
        self,
        part: nn.Module,
        first: _Mixing,
        ids: Int[torch.Tensor, "B T"],
        mask: Bool[torch.Tensor, "B T"],
        **extra: torch.Tensor,
    ) -> tuple[Int[torch.Tensor, "B 1"], PrefixOutput]:
        """Run the module up to the attention of its last layer. Give the token that is read, and
        the output of the layers before.
        """
        texts, ahead = torch.arange(len(ids), device=ids.device), PrefixOutput(self.layers)
        with ahead.kept(self.module), _inside(part, first):
            self.module(input_ids=ids, attention_mask=mask.long(), **extra)
        given = row_of(ahead.given[0], texts, first.at, (len(ids), ids.shape[1]))
        return ids[texts, first.at][:, None], replace(ahead, given=[given])


def last_layer_reader(
    module: Any,
    site: Site,
    row: QueryRow,
    skipped: int | None,
    ids: Int[torch.Tensor, "B T"],
    mask: Bool[torch.Tensor, "B T"],
    **extra: torch.Tensor,
) -> LastLayerReader | None:
    """Make a reader if the logits of these texts stay equal when the last layer runs for one token;
    otherwise none.
    """
    reader = LastLayerReader(module, site, row, skipped, layers_before(module, site))
    if row == "all" or not reader.layers or isinstance(module, PromptedModel):
        return None
    with torch.no_grad(), suppress(Exception):  # any model may fail here; it is then run whole
        wanted = plain_logits(module, ids, mask, **extra)
        found = reader.logits(ids, mask, **extra)
        if bool((found - wanted).abs().max() <= SAME * wanted.abs().max()):
            return reader
    return None
