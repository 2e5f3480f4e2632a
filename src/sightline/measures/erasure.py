"""Does removing the attended words change the answer? Comprehensiveness by true deletion (SL-301)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.maths.ties import settled
from sightline.measures.arrays import count_undefined, decided, predicted_probability, to_numpy
from sightline.measures.maps import MAKERS, Maps
from sightline.measures.words import Words
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Auditable, Offer, Subject, Trace

Array = np.ndarray


@dataclass(frozen=True)
class Erasure:
    """Drop of the decided class's probability when a share of the words is deleted, averaged over shares.

    The words go by attention (or by the map named in ``by``), largest first and ties at random; the floor deletes as
    many words at random.
    """

    shares: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)
    draws: int = 5
    by: str = "attention"
    code: str = "erasure"
    paper: str = "DeYoung et al. 2020, §4.2 (area over the shares 1, 5, 10, 20, 50 %)"

    @property
    def needs(self) -> frozenset[Offer]:
        """What the map needs; attention needs nothing."""
        return MAKERS[self.by].needs

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete by the map once and at random ``draws`` times, for each share."""
        maps = Maps(subject, trace, seeds)
        words, mask = maps.words, maps.words.mask
        keys = _tie_keys(mask, words.index, self.draws + 1, seeds)
        # One order a text: by the map with ties at random, then the random orders of the floor.
        orders = [np.lexsort((keys[0], -np.where(mask, settled(maps[self.by], mask), -np.inf)), axis=1)]
        orders += [np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys[1:]]
        drops = np.stack([self._area(subject.model, trace, words, order) for order in orders], axis=1)
        drops[mask.sum(1) < 2] = np.nan
        return {"area": drops[:, 0], "floor": drops[:, 1:], "words": mask.sum(1)}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts of one word, from which nothing can be removed."""
        settings = {"shares": list(self.shares), "draws": self.draws, "by": self.by}
        undefined = count_undefined(arrays, {"one word": np.asarray(arrays["words"]) < 2})
        return Measurement(self.code, arrays, undefined, settings)

    def _area(self, model: Auditable, trace: Trace, words: Words, order: Int[Array, "B W"]) -> Float[Array, " B"]:
        chosen = decided(trace)
        whole = predicted_probability(to_numpy(trace.logits), chosen)
        drops = []
        for share in self.shares:
            left = model.trace(trace.batch.keep(_kept(trace, words, order, removed_count(words.mask.sum(1), share))))
            drops.append(whole - predicted_probability(to_numpy(left.logits), chosen))
        return np.asarray(np.mean(drops, axis=0))


def removed_count(length: Int[Array, " B"], share: float) -> Int[Array, " B"]:
    """How many words a share is: rounded to the nearest, at least one, and never all."""
    return np.clip(np.floor(share * length + 0.5), 1, np.maximum(length - 1, 0)).astype(np.int64)


def _kept(trace: Trace, words: Words, order: Int[Array, "B W"], removed: Int[Array, " B"]) -> Bool[torch.Tensor, "B T"]:
    gone = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(gone, order, np.arange(order.shape[1]) < removed[:, None], axis=1)
    return trace.batch.mask & torch.from_numpy(words.without(gone)).to(trace.batch.mask.device)


def _tie_keys(mask: Bool[Array, "B W"], index: Int[Array, " B"], draws: int, seeds: Seeds) -> Float[Array, "R B W"]:
    out = np.zeros((draws, *mask.shape))
    for row, real in enumerate(mask):
        out[:, row, real] = seeds.generator("erasure", int(index[row])).random((draws, int(real.sum())))
    return out
