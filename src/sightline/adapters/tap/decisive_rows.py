"""Finds by gradient, without a list of architectures, the rows of a site's weights that the logits
depend on.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import editing


def rows_read(
    module: nn.Module, site: Site, texts: int, logits: Callable[[], Float[torch.Tensor, "B L"]]
) -> tuple[int, ...]:
    """The rows in which some weight of some head moves the logits of every text."""
    leaf: list[Float[torch.Tensor, "B N Q T"]] = []

    def watch(weights: torch.Tensor) -> torch.Tensor:
        leaf.append(weights.detach().clone().requires_grad_())
        return leaf[0]

    with torch.enable_grad(), editing(module, {site: watch}, texts):
        found = logits()
        slopes = torch.linspace(1, 2, found.shape[1], dtype=found.dtype, device=found.device)
        (slope,) = torch.autograd.grad((found @ slopes).sum(), leaf[0], materialize_grads=True)
    read = (slope.abs().amax(dim=(1, 3)) > 0).all(dim=0)
    return tuple(read.nonzero()[:, 0].tolist())
