"""Can other attention in the last layer change a prediction? A search: all heads on one word, then
each head by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, SupportsLayers, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.importance import odds_of
from sightline.measures.trace_arrays import count_undefined, decided
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["last_layer"].settings
Array = np.ndarray


@dataclass(frozen=True)
class LastLayer:
    """Predictions that change when the heads of the last layer put all their weight on single
    words.

    First all heads move to the same word, each word in turn. Then, starting from the word that
    lowers the log-odds of the predicted class most, each head moves to the word that lowers them
    most with the others in place, in ``rounds`` rounds. All other weights, on special tokens too,
    are zero. The search can miss a change: the layers after the sum are not affine, so nothing is
    proved.
    """

    rounds: int = _SET["rounds"]
    code: str = "last_layer"
    needs: frozenset[str] = NEEDS["last_layer"]
    paper: str = PAPERS["last_layer"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Try every word for all heads, then for each head."""
        assert isinstance(subject.model, SupportsLayers)  # `needs` names it
        search = _Search(subject.model, trace, words_of(trace), decided(trace))
        one = search.better(search.start(), slice(None))
        other = one
        for _ in range(self.rounds):
            for head in range(one.shape[1]):
                other = search.better(other, slice(head, head + 1))
        own = probabilities(to_numpy(trace.logits))
        out: dict[str, Array] = {"words": search.words.mask.sum(1)}
        for name, places in (("together", one), ("each", other)):
            logits = search.logits(places)
            out[name] = (decision(logits) != search.chosen).astype(float)
            out[f"moved_{name}"] = total_variation(probabilities(logits), own)
        return out

    def finish(self, arrays: Arrays) -> Measurement:
        """Every text has a value: a change was found or it was not."""
        return Measurement(self.code, arrays, count_undefined(arrays, {}), {"rounds": self.rounds})


@dataclass(frozen=True)
class _Search:
    """One batch, and its predicted classes."""

    model: SupportsLayers
    trace: Trace
    words: Words
    chosen: Int[Array, " B"]

    def logits(self, places: Int[Array, "B N"]) -> Float[Array, "B L"]:
        """Compute the logits with all weight of each head on the word at its place."""
        alone = np.eye(self.words.mask.shape[1])[places]
        rows = np.stack([self.words.weights(one) for one in np.moveaxis(alone, 1, 0)], axis=1)
        with torch.no_grad():
            return to_numpy(self.model.with_rows(self.trace, like(rows, self.trace)))

    def start(self) -> Int[Array, "B N"]:
        """Put every head on the first word."""
        first = self.words.mask.argmax(axis=1)
        return np.repeat(first[:, None], self.model.last_heads, axis=1)

    def better(self, places: Int[Array, "B N"], heads: slice) -> Int[Array, "B N"]:
        """Try every word of a text for some heads, and keep the word that lowers the log-odds of
        the predicted class most.
        """
        best = places.copy()
        least = self._odds(best)
        for word in range(self.words.mask.shape[1]):
            tried = best.copy()
            tried[self.words.mask[:, word], heads] = word
            odds = self._odds(tried)
            lower = odds < least
            best[lower], least[lower] = tried[lower], odds[lower]
        return best

    def _odds(self, places: Int[Array, "B N"]) -> Float[Array, " B"]:
        return odds_of(torch.from_numpy(self.logits(places)), self.chosen)
