"""The precision of an audit: a model made here is copied and run in double precision."""

from __future__ import annotations

from copy import deepcopy

from torch import nn

from sightline.core.protocols import Auditable

WITHOUT_DOUBLES = frozenset({"mps"})
"""Kinds of devices without float64."""


def to_float64(model: Auditable) -> Auditable:
    """Copy a model made here to float64 if its device has it; use any other model as it is.

    With another order of summation, float64 changes by 1e-16 and float32 by 1e-7. The smaller
    change hides batches, threads and the order of texts. Code from elsewhere may create tensors of
    its own type, so it stays unchanged.
    """
    if model.origin == "elsewhere" or not isinstance(model, nn.Module):
        return model
    if any(weight.device.type in WITHOUT_DOUBLES for weight in model.parameters()):
        return model
    return deepcopy(model, _shared(model)).double()


def _shared(model: nn.Module) -> dict[int, object]:
    """The parts that are not copied: a vocabulary never changes, and may have a million words."""
    words = getattr(model, "vocabulary", None)
    return {} if words is None else {id(words): words}
