"""Tensors as arrays."""

from __future__ import annotations

import numpy as np
import torch

Array = np.ndarray


def to_numpy(tensor: torch.Tensor) -> Array:
    """Copy a tensor to an array, floats as float64 so that saturated outputs still differ."""
    out = tensor.detach().cpu()  # first: not every device has float64
    return np.asarray((out.double() if out.is_floating_point() else out).numpy())
