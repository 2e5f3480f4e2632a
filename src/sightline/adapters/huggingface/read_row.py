"""Runs the last layer for the one token that the classifier reads, under many weights at once.

Under other weights in that row, only the output of that row changes: attention gives weights times
values, and the rest works token by token. So each text becomes one token, which is run once for
each set of weights. A trial run checks that a model works this way.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int

from sightline.adapters.huggingface.attention_reduction import place
from sightline.adapters.huggingface.attention_source import QueryRow
from sightline.adapters.huggingface.forward_pass import run
from sightline.adapters.huggingface.prompted_model import SAME
from sightline.adapters.onednn_linear import faster_linear
from sightline.adapters.tap.prefix_cache import PrefixOutput
from sightline.adapters.tap.softmax_tracer import Site, watching


@dataclass(frozen=True)
class ReadRow:
    """The output of the layers before the last one for the token that is read, with the weights and
    values that the last layer mixes into it.
    """

    site: Site
    ids: Int[torch.Tensor, "B 1"]
    ahead: PrefixOutput
    weights: Float[torch.Tensor, "B N T"]
    values: Float[torch.Tensor, "B N T D"]

    def answer(
        self, module: Any, weights: Float[torch.Tensor, "R B N T"], **extra: torch.Tensor
    ) -> Float[torch.Tensor, "R B L"]:
        """The logits under each of several weights of all heads."""
        times, texts = weights.shape[:2]
        products = torch.einsum("rbnt,bntd->rbnd", weights, self.values).flatten(0, 1)[:, :, None]
        ids = self.ids.repeat(times, 1)
        given = replace(self.ahead, given=[_repeated(self.ahead.given[0], times)])
        there = torch.ones_like(ids)
        named = {name: one.repeat(times, 1) for name, one in extra.items()}
        with (
            torch.no_grad(),
            faster_linear(),
            given.skipped(module),
            watching(module, _as_made, None, {self.site: products}, wanted=()),
        ):
            logits: torch.Tensor = module(input_ids=ids, attention_mask=there, **named).logits
        return logits.reshape(times, texts, -1)


def read_row(
    site: Site,
    row: QueryRow,
    ids: Int[torch.Tensor, "B T"],
    readable: torch.Tensor,
    ahead: PrefixOutput,
    weights: Float[torch.Tensor, "B N Q T"],
    values: Float[torch.Tensor, "B N T D"],
    shared: int = 0,
) -> ReadRow:
    """Record the token that is read from a run; the first ``shared`` tokens were not run again."""
    texts, at = torch.arange(len(ids), device=ids.device), place(readable, row)
    made = (ids.shape[0], ids.shape[1] - shared)
    given = row_of(ahead.given[0], texts, at - shared, made)
    return ReadRow(
        site, ids[texts, at][:, None], replace(ahead, given=[given]), weights[texts, :, at], values
    )


def runs_alone(
    module: Any, site: Site, row: QueryRow, layers: tuple[str, ...], text: torch.Tensor
) -> bool:
    """Test whether the last layer gives the same logits for one token as for all, under weights
    that differ from its own.
    """
    if row == "all" or not layers:
        return False
    there, ahead = torch.ones_like(text, dtype=torch.bool), PrefixOutput(layers)
    with torch.no_grad(), suppress(Exception):  # any model may fail here; it is then run whole
        with ahead.kept(module):
            found = run(module, text, there, sites=[site], valued=[site])
        alone = read_row(
            site, row, text, there, ahead, found.kept.weights[site], found.kept.values[site]
        )
        other = alone.weights.flip(-1).roll(1, dims=1)
        at = place(there, row)

        def change(weights: torch.Tensor) -> torch.Tensor:
            changed = weights.clone()
            changed[torch.arange(len(text)), :, at] = other.to(weights.dtype)
            return changed

        whole = run(module, text, there, changes={site: change}).logits
        both = torch.stack([alone.weights, other])
        found_alone = alone.answer(module, both)
        wanted = torch.stack([found.logits, whole])
        apart = (found_alone - wanted).abs().max()
        moved = (whole - found.logits).abs().max()
        return bool(apart <= SAME * wanted.abs().max() and (moved == 0 or apart <= 1e-2 * moved))
    return False


def _as_made(site: Site, made: torch.Tensor, dim: int) -> torch.Tensor:
    """A change that keeps the weights."""
    return made


def _repeated(given: Any, times: int) -> Any:
    if isinstance(given, torch.Tensor):
        return given.repeat(times, *[1] * (given.dim() - 1)) if given.dim() else given
    return tuple(_repeated(one, times) for one in given) if isinstance(given, tuple) else given


def row_of(given: Any, texts: torch.Tensor, at: torch.Tensor, shape: tuple[int, int]) -> Any:
    """Take the token that is read from every tensor of states; other values stay unchanged."""
    if isinstance(given, torch.Tensor) and given.dim() == 3 and given.shape[:2] == shape:
        return given[texts, at][:, None]
    if isinstance(given, tuple):
        return tuple(row_of(one, texts, at, shape) for one in given)
    return given
