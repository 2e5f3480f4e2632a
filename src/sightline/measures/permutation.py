"""Does it matter which word gets which weight? The weights permuted over the words (SL-202)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import bdtr

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, words_of
from sightline.measures.decode_attention import NOT_AFFINE, Decoding
from sightline.measures.permutation_outputs import EXACT, Decoded, Mixed
from sightline.measures.trace_arrays import count_undefined, permutations
from sightline.numerics.divergences import entropy, probabilities, total_variation
from sightline.numerics.matched_entropy import with_entropy
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import constant

_SET = MEASURES["permutation"].settings
Array = np.ndarray
IMMOVABLE = 1e-6
"""Largest total variation that float32 rounding can produce from equal token logits."""


@dataclass(frozen=True)
class Permutation:
    """Median change of the output over sampled permutations, divided by the largest known change by
    any permutation.

    The chance level is the same ratio for random attention with the entropy of the real one:
    equally peaked, but uninformed. With token logits the largest change is exact. If a model can
    only decode, it comes from a search, and some permutation may go further. Where all heads of a
    layer are replaced, the weights of each head are permuted in the same way, and random attention
    replaces all of them.
    """

    permutations: int = _SET["permutations"]
    draws: int = _SET["draws"]
    code: str = "permutation"
    needs: frozenset[str] = NEEDS["permutation"]
    paper: str = PAPERS["permutation"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Permute on token logits, which costs one multiplication a word, or else decode each
        permutation.
        """
        words = words_of(trace)
        attention, mask = words.attention, words.mask
        z = None if trace.token_logits is None else words.alone(to_numpy(trace.token_logits))
        ask = Decoded(Decoding(subject.model, trace, words)) if z is None else Mixed(z, words)
        weights = [words.own, *_drawn(attention, words.in_sight, words.index, self.draws, seeds)]
        own = np.stack([ask.logits(one) for one in weights])
        stages = ("permutation", *(f"permutation floor {draw}" for draw in range(self.draws)))
        distances = [
            self._distances(ask, one, before, words, seeds, stage)
            for one, before, stage in zip(weights, own, stages, strict=True)
        ]
        largest = ask.largest(weights, own, distances)
        ratio, *floor = (
            _ratio(moved, most) for moved, most in zip(distances, largest, strict=True)
        )
        flat = constant(attention, mask)
        return {
            "median": np.median(distances[0], axis=1),
            "median_error": median_error(distances[0]),
            "largest": largest[0],
            "ratio": np.where(flat, np.nan, ratio),
            "ratio_floor": np.where(
                flat[:, None], np.nan, np.reshape(floor, (self.draws, len(flat))).T
            ),
            **ask.exact(),
            "flat": flat,
            "words": mask.sum(1),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts whose permutations cannot be judged."""
        one, flat = np.asarray(arrays["words"]) < 2, np.asarray(arrays["flat"])
        immovable = np.asarray(arrays["largest"]) < IMMOVABLE
        reasons = {
            "one word": one,
            "flat attention": flat,
            "no permutation moves the output": immovable,
        }
        # Some random attentions may be immovable; a text without any chance level is undefined.
        reasons["no drawn attention moves the output"] = np.isnan(
            np.asarray(arrays["ratio_floor"])
        ).all(axis=1)
        settings = {"permutations": self.permutations, "draws": self.draws}
        missing = dict.fromkeys((name for name in EXACT if name not in arrays), NOT_AFFINE)
        settings_used = settings | ({"largest": "found"} if missing else {})
        return Measurement(
            self.code, arrays, count_undefined(arrays, reasons), settings_used, missing=missing
        )

    def _distances(
        self,
        ask: Mixed | Decoded,
        weights: Array,
        own: Array,
        words: Words,
        seeds: Seeds,
        stage: str,
    ) -> Float[Array, "B R"]:
        """Total variation between the output and each permuted output."""
        orders = permutations(words.in_sight, words.index, self.permutations, seeds, stage)
        permuted = probabilities(ask.permuted(weights, orders))
        return total_variation(permuted, probabilities(own)[:, None, :])


def median_error(sample: Float[Array, "B R"]) -> Float[Array, " B"]:
    """Standard error of a sample median, from the order statistics of its 95 % interval, without
    assuming a density.
    """
    count = sample.shape[1]
    below = int(np.searchsorted(bdtr(np.arange(count + 1), count, 0.5), 0.025))
    rank = max(below - 1, 0)  # the ``below``-th smallest, counted from 0
    ordered = np.sort(sample, axis=1)
    return np.asarray((ordered[:, count - 1 - rank] - ordered[:, rank]) / (2 * 1.96))


def _ratio(distances: Float[Array, "B R"], largest: Float[Array, " B"]) -> Float[Array, " B"]:
    movable = largest >= IMMOVABLE
    out = np.full(len(largest), np.nan)
    return np.asarray(np.divide(np.median(distances, axis=1), largest, out=out, where=movable))


def _drawn(
    attention: Float[Array, "B T"], mask: Array, index: Array, draws: int, seeds: Seeds
) -> Float[Array, "R B T"]:
    out = np.zeros((draws, *attention.shape))
    for row, target in enumerate(entropy(attention)):
        real, generator = mask[row], seeds.generator("equal entropy", int(index[row]))
        out[:, row, real] = with_entropy(float(target), int(real.sum()), draws, generator)
    return out
