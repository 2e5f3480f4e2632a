"""From the tensors of a trace to the numpy arrays of the maths, and the bookkeeping every measure shares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.maths.divergences import probabilities
from sightline.maths.simplex import decision
from sightline.results import Ragged
from sightline.seeds import Seeds
from sightline.types import Trace

Array = np.ndarray


def to_numpy(tensor: torch.Tensor) -> Array:
    """Copy a tensor out, floating point as float64 so that saturated outputs still differ."""
    out = tensor.detach()
    return np.asarray((out.double() if out.is_floating_point() else out).cpu().numpy())


def words(trace: Trace) -> tuple[Float[Array, "B T"], Bool[Array, "B T"]]:
    """Give the attention of a trace and the mask of the words it may fall on."""
    return to_numpy(trace.attention), to_numpy(trace.batch.attendable)


def predicted_probability(logits: Float[Array, "*B L"], decided: Float[Array, " B"] | Array) -> Float[Array, "*B"]:
    """Probability of the class that was decided on; ``decided`` broadcasts over leading axes."""
    chances = probabilities(logits)
    chosen = np.broadcast_to(decided, chances.shape[:-1])[..., None]
    return np.asarray(np.take_along_axis(chances, chosen, axis=-1)[..., 0])


def decided(trace: Trace) -> Array:
    """Give the class each text of a trace is assigned."""
    return decision(to_numpy(trace.logits))


def shuffled(
    values: Float[Array, "B T"], mask: Bool[Array, "B T"], index: Array, draws: int, seeds: Seeds, stage: str
) -> Float[Array, "R B T"]:
    """Permute each row over its real words, ``draws`` times; the draw depends on the text alone, not on its batch."""
    out = np.zeros((draws, *values.shape))
    for row, real in enumerate(mask):
        generator = seeds.generator(stage, int(index[row]))
        kept = values[row, real]
        out[:, row, real] = generator.permuted(np.broadcast_to(kept, (draws, len(kept))), axis=1)
    return out


def ragged(padded: Float[Array, "B T"], mask: Bool[Array, "B T"]) -> Ragged:
    """Keep the real words of each row."""
    return Ragged(padded[mask], mask.sum(axis=1))


def count_undefined(
    values: Mapping[str, Array | Ragged], reasons: Mapping[str, Bool[Array, " N"]]
) -> dict[str, dict[str, int]]:
    """Count NaN by quantity and by the first reason that applies, in the order given; the rest is "unexplained"."""
    counts: dict[str, dict[str, int]] = {}
    for name, value in values.items():
        if isinstance(value, Ragged) or not np.issubdtype(value.dtype, np.floating):
            continue
        left = np.isnan(value) if value.ndim == 1 else np.isnan(value).all(axis=1)
        found: dict[str, int] = {}
        for reason, applies in reasons.items():
            found[reason] = int((left & applies).sum())
            left = left & ~applies
        found["unexplained"] = int(left.sum())
        counts[name] = {reason: count for reason, count in found.items() if count}
    return {name: found for name, found in counts.items() if found}
