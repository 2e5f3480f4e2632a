"""Watches a module while it runs: which of its parts compute a softmax, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from sightline.adapters.tap.unfused_attention import multi_head, scaled_dot_product

SOFTMAX = (torch.softmax, torch.Tensor.softmax, functional.softmax, torch.special.softmax)
FUSED: Mapping[Any, Callable[..., Any]] = {
    functional.scaled_dot_product_attention: scaled_dot_product,
    functional.multi_head_attention_forward: multi_head,
}
"""Fused functions of torch, each with its unfused equivalent."""
MIXES = (torch.matmul, torch.bmm, torch.Tensor.matmul, torch.Tensor.bmm, torch.Tensor.__matmul__)
"""The operations that multiply weights with values."""


@dataclass(frozen=True, order=True)
class Site:
    """The place where weights are made: the part of the module, and the turn within one run if the
    part runs repeatedly.

    Parts are identified by name: in some families not every layer has attention, and in others all
    layers are one part that runs repeatedly.
    """

    part: str
    turn: int = 0

    def __str__(self) -> str:
        """Write the part, with the turn if it is not the first."""
        return f"{self.part}#{self.turn}" if self.turn else self.part


OnSoftmax = Callable[[Site, torch.Tensor, int], torch.Tensor]
"""Gets the weights made at a site and the axis of their keys, and returns the weights to use."""
OnMixing = Callable[[Site, torch.Tensor], None]
"""Gets the values that the weights of a site mix, a row for each key."""


@dataclass
class Watch(TorchFunctionMode):
    """Calls ``seen`` with the result of every softmax inside a module, and ``mixed`` with the
    values that it is multiplied by.

    Fused attention is computed step by step; if ``wanted`` names sites, only there. Step by step,
    the attention of a long text takes several times as long.
    """

    seen: OnSoftmax
    mixed: OnMixing | None = None
    wanted: Collection[Site] | None = None
    products: Mapping[Site, torch.Tensor] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)
    turns: Counter[str] = field(default_factory=Counter)
    last: tuple[Site, torch.Tensor] | None = None

    def __post_init__(self) -> None:
        """Let torch set up its part."""
        super().__init__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Pass everything on except a softmax and functions that contain one."""
        given = kwargs or {}
        if not self.inside:
            return func(*args, **given)
        if func in FUSED:
            site = self._next()
            if func is functional.scaled_dot_product_attention and site in self.products:
                return self.products[site]
            if self.wanted is not None and site not in self.wanted:
                self.turns[site.part] += 1
                return func(*args, **given)
            return FUSED[func](self._weighed, *args, **given)
        if func in SOFTMAX:
            weights = func(*args, **given)
            dim = given.get("dim", args[1] if len(args) > 1 else None)
            return self._shown(weights, _implicit_axis(weights) if dim is None else dim)
        if func in MIXES and self.last is not None and _same(args[0], self.last[1]):
            if (product := self.products.get(self.last[0])) is not None:
                return product.reshape(*args[0].shape[:-1], product.shape[-1])
            self._mixed(args[1])
        return func(*args, **given)

    def _weighed(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        used = self._shown(weights, -1)
        self._mixed(values)
        return used

    def _mixed(self, values: torch.Tensor) -> None:
        if self.mixed is not None and self.last is not None:
            self.mixed(self.last[0], values)

    def _next(self) -> Site:
        """Name the site of the next softmax."""
        part = self.inside[-1]
        return Site(part, self.turns[part])

    def _shown(self, weights: torch.Tensor, dim: int) -> torch.Tensor:
        site = self._next()
        self.turns[site.part] += 1
        self.last = site, self.seen(site, weights, dim)
        return self.last[1]


def _implicit_axis(weights: torch.Tensor) -> int:
    """The axis that torch takes if a softmax names none, as ``nn.Softmax()`` does."""
    return 0 if weights.dim() in (0, 1, 3) else 1


def _same(one: Any, other: torch.Tensor) -> bool:
    """Whether a tensor is another one, perhaps in another shape: views share memory, and inactive
    dropout returns its input.
    """
    return (
        isinstance(one, torch.Tensor)
        and one.data_ptr() == other.data_ptr()
        and one.numel() == other.numel()
    )


def _watched(
    module: nn.Module, wanted: Collection[Site] | None, products: Collection[Site]
) -> dict[str, nn.Module]:
    """Give the parts to watch: all, or the parts of the sites, and the module itself, where a run
    begins. In a small model, to enter every part takes as long as a layer.
    """
    parts = {site.part for site in (*(wanted or ()), *products)}
    if wanted is None or "" in parts:
        return dict(module.named_modules())
    inside = (module.get_submodule(name).named_modules(prefix=name) for name in sorted(parts))
    return {"": module, **dict(chain.from_iterable(inside))}


@contextmanager
def watching(
    module: nn.Module,
    seen: OnSoftmax,
    mixed: OnMixing | None = None,
    products: Mapping[Site, torch.Tensor] = MappingProxyType({}),
    wanted: Collection[Site] | None = None,
) -> Iterator[None]:
    """Watch every run of a module while the context lasts, at all sites or only at the ``wanted``
    sites.

    ``products`` replace weights × values at their sites.
    """
    watch = Watch(seen, mixed, wanted, products)

    def enter(name: str) -> Callable[..., None]:
        def hook(*_: Any) -> None:
            if not watch.inside:
                watch.turns.clear()  # another run
            watch.inside.append(name)

        return hook

    def leave(*_: Any) -> None:
        watch.inside.pop()

    handles = []
    for name, part in _watched(module, wanted, products).items():
        handles.append(part.register_forward_pre_hook(enter(name)))
        handles.append(part.register_forward_hook(leave, always_call=True))
    try:
        with watch:
            yield
    finally:
        for handle in handles:
            handle.remove()
