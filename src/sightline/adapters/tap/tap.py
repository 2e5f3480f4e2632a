"""Finds the attention of a module without changing its code, records it on a batch, and replaces
it.

    sites = find(module, runs)
    with reading(module, sites, texts=len(batch)) as kept:
        module(batch)  # then kept.weights[site], kept.lengths[site]
    with editing(module, {site: change}, texts=len(batch)):
        module(batch)

Weights are given as ``B N Q T``, however the module stores them: texts, heads, rows that read,
tokens that are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.tap.softmax_tracer import OnMixing, Site, watching

Weights = Float[torch.Tensor, "B N Q T"]
Change = Callable[[Weights], Weights]


@dataclass(frozen=True)
class Run:
    """One way to run a module: a number of texts, all with the same number of tokens, without
    padding.
    """

    call: Callable[[], object]
    texts: int
    tokens: int


def find(module: nn.Module, runs: Sequence[Run]) -> tuple[Site, ...]:
    """Name the sites whose weights lie over the tokens of a text, in the order of computation.

    A softmax over classes, experts or buckets has an axis that does not grow with the text. The
    runs must therefore differ in length, and a site must fit all of them.
    """
    found = [_fitting(module, run) for run in runs]
    return tuple(site for site in found[0] if all(site in others for others in found))


def calls_of(module: nn.Module, parts: Collection[str], run: Run) -> Counter[str]:
    """Count how often each part of a module is called in one run."""
    calls: Counter[str] = Counter()

    def counting(part: str) -> Callable[..., None]:
        return lambda *_: calls.update([part])

    handles = [
        module.get_submodule(part).register_forward_pre_hook(counting(part)) for part in {*parts}
    ]
    try:
        with torch.no_grad():
            run.call()
    finally:
        for handle in handles:
            handle.remove()
    return calls


def _fitting(module: nn.Module, run: Run) -> dict[Site, None]:
    fitting: dict[Site, None] = {}

    def seen(site: Site, weights: torch.Tensor, dim: int) -> torch.Tensor:
        if (
            weights.dim() >= 2
            and weights.shape[dim] == run.tokens
            and _heads(weights.movedim(dim, -1), run.texts)
        ):
            fitting[site] = None
        return weights

    with watching(module, seen), torch.no_grad():
        run.call()
    return fitting


@dataclass(frozen=True)
class RecordedWeights:
    """The weights that the last run used at each site, and the lengths of the values they mix if
    these are visible.
    """

    weights: dict[Site, Weights] = field(default_factory=dict)
    lengths: dict[Site, Float[torch.Tensor, "B N T"]] = field(default_factory=dict)
    values: dict[Site, Float[torch.Tensor, "B N T D"]] = field(default_factory=dict)
    """The values themselves, for the sites that request them."""


@contextmanager
def reading(
    module: nn.Module,
    sites: Collection[Site],
    texts: int,
    changes: Mapping[Site, Change] = MappingProxyType({}),
    valued: Collection[Site] = (),
) -> Iterator[RecordedWeights]:
    """Record the weights that the last run used at each site; under ``changes``, the changed
    weights.
    """
    kept = RecordedWeights()

    def keep(site: Site) -> Change:
        def used(weights: Weights) -> Weights:
            kept.weights[site] = changes[site](weights) if site in changes else weights
            return kept.weights[site]

        return used

    def measured(site: Site, values: torch.Tensor) -> None:
        if site in sites and values.dim() > 2 and values.shape[:-2].numel() % texts == 0:
            kept.lengths[site] = values.norm(dim=-1).reshape(texts, -1, values.shape[-2])
            if site in valued:
                kept.values[site] = values.detach().reshape(texts, -1, *values.shape[-2:])

    with editing(module, {site: keep(site) for site in sites}, texts, measured):
        yield kept


@contextmanager
def editing(
    module: nn.Module, changes: Mapping[Site, Change], texts: int, mixed: OnMixing | None = None
) -> Iterator[None]:
    """Make the module use ``change(weights)`` at each named site."""

    def seen(site: Site, weights: torch.Tensor, dim: int) -> torch.Tensor:
        if site not in changes:
            return weights
        keys_last = weights.movedim(dim, -1)
        changed = changes[site](_describe(keys_last, texts)).to(weights.dtype)
        return changed.reshape(keys_last.shape).movedim(-1, dim)

    with watching(module, seen, mixed, wanted=changes):
        yield


def _heads(keys_last: torch.Tensor, texts: int) -> int:
    """Count the heads of weights with keys last; 0 if they are no weights of ``texts`` texts."""
    first, *others = keys_last.shape[:-1]
    if len(others) > 2 or first % texts or (first != texts and len(others) != 1):
        return 0
    return others[0] if len(others) == 2 else first // texts


def _describe(keys_last: torch.Tensor, texts: int) -> Weights:
    """Write ``B T``, ``B Q T`` or ``B·N Q T`` as ``B N Q T``."""
    tokens = keys_last.shape[-1]
    return keys_last.reshape(texts, _heads(keys_last, texts), -1, tokens)
