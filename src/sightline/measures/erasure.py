"""Does removing the attended words change the answer? Comprehensiveness by true deletion (SL-301)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.measures.arrays import count_undefined, decided, predicted_probability, to_numpy, words
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Auditable, Trace

Array = np.ndarray


@dataclass(frozen=True)
class Erasure:
    """Drop of the decided class's probability when a share of the words is deleted, averaged over shares.

    The words go by attention, largest first and ties at random; the floor deletes as many words at random.
    """

    shares: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)
    draws: int = 5
    code: str = "erasure"
    needs: frozenset[str] = frozenset()
    paper: str = "DeYoung et al. 2020, §4.2 (area over the shares 1, 5, 10, 20, 50 %)"
    split: Literal["test"] = "test"

    def on_batch(self, model: Auditable, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete by attention once and at random ``draws`` times, for each share."""
        attention, mask = words(trace)
        index = to_numpy(trace.batch.index)
        keys = _tie_keys(mask, index, self.draws + 1, seeds)
        # One order a text: by attention with ties at random, then the random orders of the floor.
        orders = [np.lexsort((keys[0], -np.where(mask, attention, -np.inf)), axis=1)]
        orders += [np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys[1:]]
        drops = np.stack([self._area(model, trace, order, mask) for order in orders], axis=1)
        drops[mask.sum(1) < 2] = np.nan
        return {"area": drops[:, 0], "floor": drops[:, 1:], "words": mask.sum(1)}

    def finish(self, arrays: Arrays, seeds: Seeds) -> Measurement:
        """Count the texts of one word, from which nothing can be removed."""
        undefined = count_undefined(arrays, {"one word": np.asarray(arrays["words"]) < 2})
        return Measurement(self.code, arrays, undefined, {"shares": list(self.shares), "draws": self.draws})

    def _area(
        self, model: Auditable, trace: Trace, order: Int[Array, "B T"], mask: Bool[Array, "B T"]
    ) -> Float[Array, " B"]:
        chosen = decided(trace)
        whole = predicted_probability(to_numpy(trace.logits), chosen)
        drops = []
        for share in self.shares:
            left = model.trace(trace.batch.keep(_kept(trace, order, removed_count(mask.sum(1), share))))
            drops.append(whole - predicted_probability(to_numpy(left.logits), chosen))
        return np.asarray(np.mean(drops, axis=0))


def removed_count(length: Int[Array, " B"], share: float) -> Int[Array, " B"]:
    """How many words a share is: rounded to the nearest, at least one, and never all."""
    return np.clip(np.floor(share * length + 0.5), 1, np.maximum(length - 1, 0)).astype(np.int64)


def _kept(trace: Trace, order: Int[Array, "B T"], removed: Int[Array, " B"]) -> torch.Tensor:
    gone = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(gone, order, np.arange(order.shape[1]) < removed[:, None], axis=1)
    return trace.batch.mask & ~torch.from_numpy(gone).to(trace.batch.mask.device)


def _tie_keys(mask: Bool[Array, "B T"], index: Int[Array, " B"], draws: int, seeds: Seeds) -> Float[Array, "R B T"]:
    out = np.zeros((draws, *mask.shape))
    for row, real in enumerate(mask):
        out[:, row, real] = seeds.generator("erasure", int(index[row])).random((draws, int(real.sum())))
    return out
