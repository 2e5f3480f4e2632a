"""Does the model need attention? The model with its weights replaced, and a model trained without
learned attention (SL-001).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.importance import odds_of
from sightline.measures.trace_arrays import count_undefined, decided, of_words, ragged, shuffled
from sightline.numerics.projections import uniform
from sightline.numerics.relative_positions import CELLS, recut
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["need"].settings
Array = np.ndarray


@dataclass(frozen=True)
class AttentionNeed:
    """Predictions and log-odds with other weights and everything else unchanged: uniform, permuted,
    constant.

    The constant weights are the mean over all audited texts by relative position: a map that looks
    at no word. ``moved`` is the largest change of a logit under any of these weights, or under all
    weight on one random word (for a model with uniform weights, the others change nothing). If it
    is 0 on every text, the model does not use the weights that are shown. Where all heads of a
    layer are replaced, all get the uniform or the constant weights, and the weights of every head
    are permuted in the same way.
    """

    permutations: int = _SET["permutations"]
    code: str = "need"
    needs: frozenset[str] = NEEDS["need"]
    paper: str = PAPERS["need"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the attention of each text."""
        words = words_of(trace)
        return {"attention": ragged(words.attention, words.mask)}

    def learn(self, arrays: Arrays, seeds: Seeds) -> Float[Array, " G"]:
        """Average attention by relative position over the texts where it is finite."""
        curves = np.array([recut(row, CELLS) for row in of_words(arrays["attention"]).rows()])
        known = curves[~np.isnan(curves).any(axis=1)]
        return np.asarray(known.sum(axis=0) / max(1, len(known)))

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Decode each text once with uniform and constant weights and ``permutations`` times with
        permuted ones.
        """
        words = words_of(trace)
        others = self._others(subject.learned, trace, words, seeds)
        logits = {
            name: [subject.model.decode(trace, one) for one in weights]
            for name, weights in others.items()
        }
        again = subject.model.decode(trace, trace.own)
        compared = {name: logits[name] for name in ("uniform", "permuted", "constant")}
        decisions = {
            name: np.stack([decision(to_numpy(z)) for z in found], 1)
            for name, found in compared.items()
        }
        moved = [
            _largest_difference(to_numpy(z), to_numpy(again))
            for found in logits.values()
            for z in found
        ]
        one_word = words.mask.sum(1) < 2
        return {
            "label": to_numpy(trace.batch.labels),
            "learned": decided(trace),
            "uniform": decisions["uniform"][:, 0],
            "permuted": decisions["permuted"],
            "constant": decisions["constant"][:, 0],
            **_odds_lost(trace, compared),
            "moved": np.where(one_word, np.nan, np.max(moved, axis=0)),
            "one_word": one_word,
            # Compatibility check of decoding: the model's own attention must give its own logits.
            "identity_error": _largest_difference(to_numpy(again), to_numpy(trace.logits)),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count texts with a single candidate, whose odds are infinite, and texts of one word."""
        of_odds = [name for name in arrays if name.endswith("_odds")]
        undefined = count_undefined(
            arrays, {"a single candidate": np.asarray(arrays["certain"])}, of_odds
        )
        undefined |= count_undefined(
            arrays, {"one word": np.asarray(arrays["one_word"])}, ["moved"]
        )
        undefined |= count_undefined(arrays, {}, ["identity_error"])
        return Measurement(
            self.code, arrays, undefined, {"permutations": self.permutations, "cells": CELLS}
        )

    def _others(
        self, curve: Float[Array, " G"], trace: Trace, words: Words, seeds: Seeds
    ) -> dict[str, list[torch.Tensor]]:
        """Make the replacement weights."""
        reached = words.in_sight
        drawn = shuffled(words.own, reached, words.index, self.permutations, seeds, "need")
        alone = shuffled(_first(reached), reached, words.index, 1, seeds, "all weight on one word")
        return {
            "uniform": [uniform(trace.batch.attendable, trace.attention)],
            "permuted": [like(words.by_head(one), trace) for one in drawn],
            "constant": [like(words.weights(_constant(curve, words.mask)), trace)],
            "one word": [like(words.weights(one), trace) for one in alone],
        }


def _constant(curve: Float[Array, " G"], mask: Bool[Array, "B W"]) -> Float[Array, "B W"]:
    """Stretch the curve to the length of each text."""
    out = np.zeros(mask.shape)
    out[mask] = np.concatenate([recut(curve, int(length)) for length in mask.sum(1)])
    return out


def _first(mask: Bool[Array, "B W"]) -> Float[Array, "B W"]:
    """Put all the weight on the first word."""
    return np.asarray(mask & (mask.cumsum(axis=1) == 1), dtype=float)


def _odds_lost(trace: Trace, others: Mapping[str, list[torch.Tensor]]) -> dict[str, Array]:
    """Log-odds of the predicted class lost, averaged over several draws; NaN where infinite."""
    chosen = decided(trace)
    own = odds_of(trace.logits, chosen)
    certain = np.isposinf(own)
    own = np.where(certain, np.nan, own)
    lost = {
        f"{name}_odds": own - np.mean([odds_of(z, chosen) for z in found], 0)
        for name, found in others.items()
    }
    return {**lost, "certain": certain}


def _largest_difference(x: Float[Array, "B L"], y: Float[Array, "B L"]) -> Float[Array, " B"]:
    """Equal logits differ by 0, even those of absent candidates: −∞ − (−∞) would be NaN."""
    return np.asarray(np.abs(np.subtract(x, y, out=np.zeros(x.shape), where=x != y)).max(axis=1))


@dataclass(frozen=True)
class RetrainedUniform:
    """Predictions of a control model that was trained with uniform attention from the start."""

    code: str = "retrained"
    needs: frozenset[str] = NEEDS["retrained"]
    paper: str = PAPERS["retrained"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Run the control model on the same texts."""
        other = subject.companions["uniform"].trace(trace.batch)
        return {
            "label": to_numpy(trace.batch.labels),
            "learned": decided(trace),
            "retrained": decided(other),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep everything; a prediction is always defined."""
        return Measurement(self.code, arrays)
