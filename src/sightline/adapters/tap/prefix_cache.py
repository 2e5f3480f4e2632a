"""Skips the layers before a site: other weights there do not change them, so they need not run
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change, editing

_REFUSED = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors of a module that cannot start in the middle."""


@dataclass
class PrefixOutput:
    """The layers before the layer with a site, by name, and the output of the last of them in one
    run.
    """

    layers: tuple[str, ...]
    given: list[Any] = field(default_factory=list)

    @contextmanager
    def kept(self, module: nn.Module) -> Iterator[None]:
        """Store the input of the site's layer during a run."""

        def keep(_: nn.Module, __: object, out: object) -> None:
            self.given.append(_detached(out))

        handle = module.get_submodule(self.layers[-1]).register_forward_hook(keep)
        try:
            yield
        finally:
            handle.remove()

    @contextmanager
    def skipped(self, module: nn.Module) -> Iterator[None]:
        """Skip the layers: the site's layer gets the stored output of the last of them."""
        parts = [module.get_submodule(name) for name in self.layers]
        own = [part.__dict__.get("forward") for part in parts]
        for part in parts:
            part.__dict__["forward"] = lambda *_, **__: self.given[0]
        try:
            yield
        finally:
            for part, forward in zip(parts, own, strict=True):
                del part.__dict__["forward"]
                if forward is not None:
                    part.__dict__["forward"] = forward


def layers_before(module: nn.Module, site: Site) -> tuple[str, ...]:
    """Name the layers of the outermost stack that run before the site's layer; none if layers run
    in turns.
    """
    parts = site.part.split(".")
    for end in range(1, len(parts)):
        stack = ".".join(parts[:end])
        if isinstance(module.get_submodule(stack), nn.ModuleList):
            return (
                () if site.turn else tuple(f"{stack}.{number}" for number in range(int(parts[end])))
            )
    return ()


def skippable(
    module: nn.Module, site: Site, texts: int, change: Change, logits: Callable[[], torch.Tensor]
) -> tuple[str, ...]:
    """Name the layers before a site, if skipping them gives the same logits under a change there.

    Skipping fails if a later layer reads more than the layer before it, so a trial run decides.
    """
    if not (layers := layers_before(module, site)):
        return ()
    ahead = PrefixOutput(layers)
    with torch.no_grad():
        with ahead.kept(module):
            logits()
        if not ahead.given:
            return ()
        with editing(module, {site: change}, texts):
            with_them = logits()
            try:
                with ahead.skipped(module):
                    without = logits()
            except _REFUSED:
                return ()
    return layers if _same(with_them, without) else ()


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Compare logits up to the rounding of the largest: a small logit is a difference of large
    numbers.
    """
    return bool((one - other).abs().max() <= 1e-7 + 1e-5 * one.abs().max())


def _detached(out: Any) -> Any:
    if isinstance(out, torch.Tensor):
        return out.detach()
    if isinstance(out, tuple):
        return tuple(_detached(one) for one in out)
    return out
