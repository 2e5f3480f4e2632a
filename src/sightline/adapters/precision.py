"""The numbers an audit computes in: a model that was made here is asked in double precision, on a
copy.
"""

from __future__ import annotations

from copy import deepcopy

from torch import nn

from sightline.core.protocols import Auditable

WITHOUT_DOUBLES = frozenset({"mps"})
"""Kinds of devices that hold no float64."""


def precise(model: Auditable) -> Auditable:
    """Copy a model that was made here to float64, where its device holds that; any other is used as
    it is.

    Summed in another order, float64 moves by 1e-16 where float32 moves by 1e-7: too little for
    batches, threads or the order of the texts to be seen. Somebody else's code may make tensors of
    a kind of its own, so it is left alone.
    """
    if model.origin == "elsewhere" or not isinstance(model, nn.Module):
        return model
    if any(weight.device.type in WITHOUT_DOUBLES for weight in model.parameters()):
        return model
    return deepcopy(model, _shared(model)).double()


def _shared(model: nn.Module) -> dict[int, object]:
    """Name what is not copied: a vocabulary never changes, and may have a million words."""
    words = getattr(model, "vocabulary", None)
    return {} if words is None else {id(words): words}
