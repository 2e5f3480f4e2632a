"""Does the prediction depend on the attended words? How few weights must go until it flips: at
least, and in the order of a map (SL-205).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.needs import needed
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS, AttributionMaps
from sightline.measures.trace_arrays import count_undefined, keys_of, ordered, ragged, shuffled
from sightline.numerics import flip_sets
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import constant, level_ties

_SET = MEASURES["flips"].settings
Array = np.ndarray
ORDERS = ("attention", "gradient")
"""The maps whose order decides which weight is removed next."""


@dataclass(frozen=True)
class MinimalFlipSet:
    """The smallest set of weights whose removal flips the prediction, and the sets found in the
    order of a map.

    ``found.MAP`` is ``log(smallest / found)``: 0 if the order finds the smallest set, and the
    farther below 0 the more words it takes. An order that never flips the prediction, although some
    set does, counts as all words. The chance level, ``found.shuffled``, shuffles the weights over
    the words and *uses* them: it shows how well any weights find the sets of the prediction that
    they made. NaN where no set flips the prediction.
    """

    draws: int = _SET["draws"]
    gradient: Reduction = "input"
    code: str = "flips"
    needs: frozenset[str] = NEEDS["flips"]
    paper: str = PAPERS["flips"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Remove weights on token logits: the smallest set, and word by word in each order."""
        assert trace.token_logits is not None  # `needs` names them
        maps = AttributionMaps(subject, trace, seeds, gradient=self.gradient)
        words, attention = maps.words, maps["attention"]
        z, mask = words.alone(to_numpy(trace.token_logits)), words.mask
        own = _Weighed(
            z, attention, mask, keys_of(mask, words.index, self.draws + 1, seeds, "flips")
        )
        least, alike = own.least.size, constant(attention, mask)
        sizes = {
            name: own.size(maps[name])
            for name in ORDERS
            if MAKERS[name].needs <= subject.model.offers
        }
        random = np.stack([own.size(keys) for keys in own.keys[1:]])
        others = (_Weighed(z, one, mask, own.keys) for one in self._shuffled(maps))
        return {
            "size": least,
            "never": own.least.never.astype(float),
            **{f"size.{name}": size for name, size in sizes.items()},
            "size.random": random.mean(axis=0),
            "found.best": np.where(own.least.never, np.nan, 0.0),
            **{f"found.{name}": np.log(least / size) for name, size in sizes.items()},
            "found.random": np.log(least / random).mean(axis=0),
            "found.shuffled": np.stack(
                [
                    np.where(alike, np.nan, np.log(one.least.size / one.size(one.attention)))
                    for one in others
                ],
                axis=1,
            ),
            "gone": ragged(own.least.gone.astype(float), mask),
            "words": mask.sum(1),
            "weighed": own.attended.sum(1),
            "constant": alike,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose prediction no set flips, and those whose words have no order."""
        never, alike = np.asarray(arrays["never"]) == 1, np.asarray(arrays["constant"])
        none = np.isnan(np.asarray(arrays["found.shuffled"])).all(axis=1)
        few = {
            "one word": np.asarray(arrays["words"]) < 2,
            "one word with weight": np.asarray(arrays["weighed"]) < 2,
        }
        reasons = {**few, "no set of words flips the decision": never}
        of_orders = {
            **reasons,
            "constant attention": alike,
            "constant gradient": np.ones(len(never), dtype=bool),
        }
        of_floor = {
            **few,
            "constant attention": alike,
            "no set flips the decision of shuffled weights": none,
        }
        floor = {"found.shuffled"}
        undefined = count_undefined(arrays, of_orders, arrays.keys() - floor) | count_undefined(
            arrays, of_floor, floor
        )
        missing = (
            {}
            if "size.gradient" in arrays
            else dict.fromkeys(_OF_GRADIENT, needed({"embedding_grad"}))
        )
        settings = {"draws": self.draws, "gradient": self.gradient}
        return Measurement(self.code, arrays, undefined, settings, missing=missing)

    def _shuffled(self, maps: AttributionMaps) -> Float[Array, "R B W"]:
        mask, index = maps.words.mask, maps.words.index
        return shuffled(
            maps["attention"], mask, index, self.draws, maps.seeds, "flips of shuffled weights"
        )


_OF_GRADIENT = ("size.gradient", "found.gradient")


@dataclass(frozen=True)
class _Weighed:
    """Texts under some weights, and random numbers for their words that break ties."""

    z: Float[Array, "B W L"]
    attention: Float[Array, "B W"]
    mask: Bool[Array, "B W"]
    keys: Float[Array, "R B W"]

    @cached_property
    def least(self) -> flip_sets.FlipSets:
        """The smallest sets."""
        return flip_sets.smallest(self.z, self.attention, self.mask)

    @cached_property
    def attended(self) -> Bool[Array, "B W"]:
        """Words with weight."""
        return self.mask & (self.attention > 0)

    def size(self, values: Float[Array, "B W"]) -> Float[Array, " B"]:
        """Count the words removed in descending order of ``values`` until the prediction flips; NaN
        where no set flips it, or the words have no order.
        """
        found = flip_sets.removals_to_flip(self.z, self.attention, self.mask, self._order(values))
        whole = np.where(np.isnan(found), self.attended.sum(1), found)
        unknown = self.least.never | constant(values, self.mask) | np.isnan(values).any(axis=1)
        return np.where(unknown, np.nan, whole)

    def _order(self, values: Float[Array, "B W"]) -> Int[Array, "B W"]:
        """Largest first, ties at random, non-words last."""
        known = level_ties(np.nan_to_num(values), self.mask)
        return np.asarray(ordered([known], self.mask, self.keys[:1])[0])
