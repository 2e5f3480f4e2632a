"""What the machine does, so that times can be compared with those of another one."""

from __future__ import annotations

from time import process_time

import torch

MATRIX = 512


def gigaflops(dtype: torch.dtype = torch.float32) -> float:
    """Time products of two square matrices: floating-point operations in 1e-9 seconds of the
    processor.
    """
    one = torch.rand(MATRIX, MATRIX, dtype=dtype)
    began = process_time()
    for _ in range(50):
        one @ one
    return round(50 * 2 * MATRIX**3 / (process_time() - began) / 1e9, 1)
