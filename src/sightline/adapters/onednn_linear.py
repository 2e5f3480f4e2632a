"""Runs linear layers with oneDNN where torch would use MKL, and MKL would use half of the
processor.

MKL uses 512-bit instructions only on Intel processors. On AMD processors that have them, oneDNN,
which torch includes, multiplies matrices twice as fast
(docs/decisions/0115-the-models-answers-alone.md).
"""

from __future__ import annotations

import platform
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

MAKER = "AuthenticAMD"
BLOCK = 16
"""Rows are added up to a multiple. oneDNN compiles code for every number of rows and keeps it: 200
MB in an audit of 114 texts."""
ROWS, WEIGHTS = 64, 2**17
"""The fewest rows, and the fewest numbers of a weight matrix, for which the detour through oneDNN
is worth it."""


class OneDnnLinear(TorchFunctionMode):
    """Hands linear layers in float32 to oneDNN; everything else passes."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Pass everything on except large linear layers."""
        given = kwargs or {}
        if func is functional.linear and not given:
            return linear(*args)
        return func(*args, **given)


def linear(
    inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """Compute `torch.nn.functional.linear`; torch does it where weights need gradients."""
    plain = all(
        one.dtype == torch.float32 and one.layout == torch.strided and one.device.type == "cpu"
        for one in (inputs, weight)
    )
    rows = inputs.numel() // max(inputs.shape[-1], 1)
    if not plain or rows < ROWS or weight.numel() < WEIGHTS:
        return functional.linear(inputs, weight, bias)
    if not torch.is_grad_enabled():
        return _product(inputs, weight, bias)
    if weight.requires_grad or (bias is not None and bias.requires_grad):
        return functional.linear(inputs, weight, bias)
    with_gradient: Any = _WithGradient  # torch does not annotate ``apply``
    made: torch.Tensor = with_gradient.apply(inputs, weight, bias)
    return made


class _WithGradient(torch.autograd.Function):
    """A linear layer with fixed weights, whose gradient is a product by oneDNN as well."""

    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        ctx.save_for_backward(weight)
        return _product(inputs, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        # The gradient of a sum is one number in many places, which oneDNN does not read.
        return linear(gradients[0].contiguous(), ctx.saved_tensors[0].T), None, None


def _product(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    # This operator takes dense tensors as they are. With `to_mkldnn` and back a layer that widens
    # 512 tokens to 1,536 numbers takes 2.3 times as long: the way back copies what was made.
    rows = inputs.detach().reshape(-1, inputs.shape[-1])
    missing = rows.new_zeros(-len(rows) % BLOCK, rows.shape[1])
    made: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
        torch.cat([rows, missing]) if len(missing) else rows,
        weight.detach(),
        None if bias is None else bias.detach(),
        "none",
        [],
        "",
    )
    return made[: len(rows)].view(*inputs.shape[:-1], -1)


def faster_linear() -> AbstractContextManager[object]:
    """Run linear layers in the fastest way on this processor, while the context lasts."""
    return OneDnnLinear() if mkl_is_slow() else nullcontext()


@cache
def mkl_is_slow() -> bool:
    """Whether torch would use MKL on a processor whose instructions it uses only in part."""
    backends: Any = torch.backends
    return (
        backends.mkl.is_available()
        and backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and backends.cpu.get_cpu_capability() == "AVX512"
        and MAKER in _processor()
    )


def _processor() -> str:
    found = platform.processor()
    with suppress(OSError):  # only Linux has it; elsewhere Python knows the maker
        found += Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    return found
