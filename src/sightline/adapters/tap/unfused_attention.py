"""Fused attention functions of torch computed step by step, so that their weights can be read and
replaced.

Each function gives the same result as its torch function (`tests/adapters/tap`). ``weigh`` gets the
weights, keys last, and the values that they mix, and returns the weights to use.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch.nn import functional

from sightline.core.errors import ModelError

Weigh = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_ASKED = inspect.signature(functional.multi_head_attention_forward)
_RARE = ("bias_k", "bias_v", "static_k", "static_v", "add_zero_attn")


def scaled_dot_product(
    weigh: Weigh,
    query: Float[torch.Tensor, "*B Q D"],
    key: Float[torch.Tensor, "*K T D"],
    value: Float[torch.Tensor, "*K T V"],
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Float[torch.Tensor, "*B Q V"]:
    """``softmax(QKᵀ·scale + mask) V``: `torch.nn.functional.scaled_dot_product_attention`, step by
    step.
    """
    _refuse_dropout(dropout_p)
    if enable_gqa:
        shared = query.shape[-3] // key.shape[-3]
        key, value = (one.repeat_interleave(shared, dim=-3) for one in (key, value))
    scores = (
        query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    )
    if is_causal:
        scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), -torch.inf)
    if attn_mask is not None:
        scores = (
            scores.masked_fill(~attn_mask, -torch.inf)
            if attn_mask.dtype == torch.bool
            else scores + attn_mask
        )
    empty = torch.isneginf(scores).all(
        dim=-1, keepdim=True
    )  # a row without any key: zeros, as torch has it, not NaN
    if not bool(empty.any()):  # saves two copies of the largest tensor
        return weigh(scores.softmax(-1), value) @ value
    weights = scores.masked_fill(empty, 0).softmax(-1).masked_fill(empty, 0)
    return weigh(weights, value) @ value


def multi_head(weigh: Weigh, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, torch.Tensor | None]:
    """`torch.nn.functional.multi_head_attention_forward`, step by step; an error names rare options
    that are not supported.
    """
    asked = _ASKED.bind(*args, **kwargs)
    asked.apply_defaults()
    given = asked.arguments
    _refuse_dropout(given["dropout_p"] if given["training"] else 0.0)
    if odd := next(
        (name for name in _RARE if given[name] is not None and given[name] is not False), ""
    ):
        message = f"nn.MultiheadAttention with {odd}: its attention cannot be read"
        raise ModelError(
            message, change="leave that option out, or audit the module through sightline.wrap"
        )
    sequences = [given[name] for name in ("query", "key", "value")]
    single = sequences[0].dim() == 2  # one text, without an axis of texts
    query, key, value = (one.unsqueeze(1) for one in sequences) if single else sequences
    kept: list[torch.Tensor] = []

    def keeping(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        kept.append(weigh(weights, values))
        return kept[0]

    q, k, v = (_by_head(one, given["num_heads"]) for one in _projected(query, key, value, given))
    mixed = scaled_dot_product(keeping, q, k, v, attn_mask=_mask(given, q, single=single))
    joined = mixed.permute(2, 0, 1, 3).reshape(query.shape)
    out = functional.linear(joined, given["out_proj_weight"], given["out_proj_bias"])
    weights = (
        (kept[0].mean(dim=1) if given["average_attn_weights"] else kept[0])
        if given["need_weights"]
        else None
    )
    return (
        (out.squeeze(1), weights if weights is None else weights.squeeze(0))
        if single
        else (out, weights)
    )


def _refuse_dropout(probability: float) -> None:
    if probability:
        raise ModelError(
            f"attention is computed with a dropout of {probability:g}",
            change="call .eval() on the module",
        )


def _projected(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, given: Mapping[str, Any]
) -> list[torch.Tensor]:
    """Apply the three projections; their weights are one matrix, or three if sizes differ."""
    apart = [given[f"{name}_proj_weight"] for name in "qkv"]
    weights = apart if given["use_separate_proj_weight"] else given["in_proj_weight"].chunk(3)
    biases = [None] * 3 if given["in_proj_bias"] is None else given["in_proj_bias"].chunk(3)
    ways = zip((query, key, value), weights, biases, strict=True)
    return [functional.linear(states, weight, bias) for states, weight, bias in ways]


def _by_head(states: Float[torch.Tensor, "T B E"], heads: int) -> Float[torch.Tensor, "B N T D"]:
    return states.reshape(*states.shape[:2], heads, -1).permute(1, 2, 0, 3)


def _mask(
    given: Mapping[str, Any], query: Float[torch.Tensor, "B N Q D"], *, single: bool
) -> torch.Tensor | None:
    """Add the mask of pairs (``Q T`` or ``B·N Q T``) and the mask of padded keys (``B T``, True:
    left out).
    """
    pairs, padded = given["attn_mask"], given["key_padding_mask"]
    if pairs is not None and pairs.dim() == 3:
        pairs = pairs.reshape(query.shape[0], query.shape[1], *pairs.shape[1:])
    if padded is not None:
        padded = (padded.unsqueeze(0) if single else padded)[:, None, None, :]
    found = [_added(one, query) for one in (pairs, padded) if one is not None]
    return None if not found else sum(found[1:], found[0])


def _added(mask: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Write a mask as a term of the scores: −∞ where it is True."""
    if mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(
        mask, -torch.inf
    )
