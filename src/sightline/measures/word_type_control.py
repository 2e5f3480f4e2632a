"""Would the weights of other words do as well? A second chance level of SL-104, over word types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.batch_words import types_of
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.topk_mass import FREE, captured_free, texts_of, unranked
from sightline.measures.trace_arrays import count_undefined, of_words, ragged
from sightline.numerics.known_values import mean_of_known
from sightline.numerics.ties import is_flat

_SET = MEASURES["types"].settings
Array = np.ndarray


@dataclass(frozen=True)
class Profiles:
    """The mean weight of each word type, reassigned to another type once for each permutation.

    ``free`` holds the attention-free comparison maps of the survey, by text index.
    """

    types: Float[Array, " S"]
    weight: Float[Array, "R S"]
    free: Mapping[int, Sequence[Float[Array, " W"]]]

    def references(
        self, index: Int[Array, " B"], mask: Bool[Array, "B W"]
    ) -> list[Float[Array, "B W"]]:
        """Give the comparison maps of a batch."""
        out = [np.zeros(mask.shape) for _ in FREE]
        for padded, rows in zip(
            out, zip(*(self.free[int(one)] for one in index), strict=True), strict=True
        ):
            padded[mask] = np.concatenate(rows)
        return out

    def weights(
        self, numbers: Float[Array, " _"], mask: Bool[Array, "B W"]
    ) -> Float[Array, "R B W"]:
        """Give the words of a batch the weights of the types that were exchanged for theirs; each
        text sums to one.
        """
        out = np.zeros((len(self.weight), *mask.shape))
        out[:, mask] = self.weight[:, np.searchsorted(self.types, numbers)]
        total = out.sum(axis=2, keepdims=True)
        return np.asarray(np.divide(out, total, out=np.zeros(out.shape), where=total > 0))


@dataclass(frozen=True)
class WordTypeControl:
    """Captured importance of weights that belong to other words: word types exchange their mean
    weights.

    Weights permuted *within* a text lose the favourites of attention among the words. Here every
    word of the audited texts gets the mean weight of another word, drawn once for all texts. So the
    chance level is a map with constant favourites, too, but random ones. A word's weight is counted
    relative to uniform attention (weight × words), because all words of a short text have large
    weights.
    """

    share: float = _SET["share"]
    permutations: int = _SET["permutations"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    candidates: int | None = None
    code: str = "types"
    needs: frozenset[str] = NEEDS["types"]
    paper: str = PAPERS["types"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the weight of each word relative to uniform attention, its type, and the comparison
        maps.
        """
        maps = self._maps(subject, trace, seeds)
        words = maps.words
        return {
            "index": words.index,
            "type": Ragged(types_of(subject.texts, words, trace), words.mask.sum(1)),
            "weight": ragged(words.attention * words.mask.sum(1, keepdims=True), words.mask),
            **{name: ragged(maps[name], words.mask) for name in FREE},
        }

    def learn(self, arrays: Arrays, seeds: Seeds) -> Profiles:
        """Average the weight of each type over all texts, and permute the averages over types."""
        kind, weight, *free = (of_words(arrays[name]) for name in ("type", "weight", *FREE))
        types, place = np.unique(kind.flat, return_inverse=True)
        known = ~np.isnan(weight.flat)  # NaN where the model's attention is
        total, count = (
            np.bincount(place, np.where(known, weight.flat, 0.0)),
            np.bincount(place, known),
        )
        mean = np.divide(total, count, out=np.ones(len(types)), where=count > 0)
        drawn = [
            seeds.generator("types", draw).permutation(mean) for draw in range(self.permutations)
        ]
        rows = zip(*(one.rows() for one in free), strict=True)
        return Profiles(
            types,
            np.stack(drawn),
            dict(zip(np.asarray(arrays["index"]).tolist(), rows, strict=True)),
        )

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compare each exchanged map with the attention-free comparison maps."""
        maps = self._maps(subject, trace, seeds)
        texts, learned, mask = texts_of(maps, self.share), subject.learned, maps.words.mask
        exchanged = learned.weights(types_of(subject.texts, maps.words, trace), mask)
        references = [
            np.where(texts.mask, one, 0.0) for one in learned.references(texts.index, mask)
        ]
        alike = is_flat(maps["attention"], texts.mask)
        # An exchanged map may be flat in a text, where attention is sparse: it ranks no words.
        drawn = [captured_free(weights, references, texts)[0] for weights in exchanged]
        free = mean_of_known(np.stack(drawn, axis=1))
        return {
            "free": np.where(alike, np.nan, free),
            "words": mask.sum(1),
            "constant": alike,
        }

    def _maps(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> AttributionMaps:
        return AttributionMaps(
            subject, trace, seeds, self.tokens_at_once, self.gradient, self.candidates
        )

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without a ranking, as for attention itself."""
        reasons = unranked(arrays, "constant or zero reference, or one type")
        settings = {
            "share": self.share,
            "permutations": self.permutations,
            "gradient": self.gradient,
        }
        return Measurement(self.code, arrays, count_undefined(arrays, reasons), settings)
