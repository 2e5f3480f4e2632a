"""Finds the parts of a module that look up embeddings, and replaces the embeddings they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.adapters.tap.softmax_tracer import watching


def tables(
    module: nn.Module, ids: Int[torch.Tensor, "B T"], call: Callable[[], object]
) -> dict[str, nn.Module]:
    """Find the innermost parts that are called with only the ids of a batch and return vectors."""
    found: dict[str, nn.Module] = {}

    def seen(name: str) -> Callable[..., None]:
        def hook(
            part: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: object
        ) -> None:
            asked = _asked(args, kwargs)
            alike = asked is not None and (_equal(asked, ids) or _equal(asked, ids.T))
            if (
                alike
                and isinstance(out, torch.Tensor)
                and out.dim() == 3
                and out.is_floating_point()
            ):
                found[name] = part

        return hook

    named = module.named_modules()
    handles = [part.register_forward_hook(seen(name), with_kwargs=True) for name, part in named]
    try:
        # Watched as every run of a tap is: otherwise nn.TransformerEncoder runs on nested tensors,
        # without its parts.
        with watching(module, lambda site, weights, dim: weights), torch.no_grad():
            call()
    finally:
        for handle in handles:
            handle.remove()
    return {
        name: part
        for name, part in found.items()
        if not any(_within(other, name) for other in found)
    }


@contextmanager
def embedded(
    parts: Sequence[nn.Module],
    ids: Int[torch.Tensor, "B T"],
    given: Float[torch.Tensor, "B T E"] | None,
) -> Iterator[None]:
    """Replace the embeddings that the parts look up for ``ids``; a text keeps its ids.

    A decoder that gets its own input shifted by one place gets the embeddings shifted as well.
    """
    if given is None:
        yield
        return

    def put(
        _: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], looked_up: torch.Tensor
    ) -> torch.Tensor:
        asked = _asked(args, kwargs)
        if asked is None or _equal(asked, ids):
            return looked_up if asked is None else given
        if _equal(asked, ids.T):  # some families keep texts in columns
            return given.transpose(0, 1)
        if asked.shape == ids.shape and torch.equal(asked[:, 1:], ids[:, :-1]):
            return torch.cat([looked_up[:, :1], given[:, :-1]], dim=1)
        return looked_up

    handles = [part.register_forward_hook(put, with_kwargs=True) for part in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _asked(args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.Tensor | None:
    """The tensor that a part is called with, if there is exactly one."""
    tensors = [one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor)]
    return tensors[0] if len(tensors) == 1 else None


def _equal(asked: torch.Tensor, ids: torch.Tensor) -> bool:
    return asked.shape == ids.shape and torch.equal(asked, ids)


def _within(other: str, name: str) -> bool:
    """Whether one part is inside another; every part is inside the module itself, whose name is
    empty.
    """
    return other != name and (not name or other.startswith(f"{name}."))
