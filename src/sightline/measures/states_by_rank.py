"""The words of all texts by the rank of their attention, with their hidden states: the input of
`RankInformation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.word_maps import DECOUPLED, LABEL, OUTPUT
from sightline.core.protocols import Arrays, Auditable, SupportsStates, Trace
from sightline.core.results import Ragged
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.trace_arrays import keys_of, of_words, shuffled
from sightline.numerics.pca import Axes
from sightline.numerics.projections import uniform
from sightline.numerics.rank_coupling import Coupling, RankedStates, coupling
from sightline.numerics.rank_information_wen2022 import Published, published
from sightline.numerics.rank_probe_scores import Family, Target, clusters_of, table_size
from sightline.numerics.rank_selection import (
    RankRule,
    by_weight,
    mean_weights,
    rank_count,
    texts_of_ranks,
    ties_decide,
    too_little,
)
from sightline.numerics.rank_targets import Bins
from sightline.numerics.tensors import to_numpy
from sightline.numerics.text_clusters import numbered

Array = np.ndarray


def survey_batch(
    model: Auditable, trace: Trace, seeds: Seeds, shuffles: int, most: int
) -> dict[str, Array | Ragged]:
    """Take weights, hidden states, outputs, and outputs under shuffled weights from a batch."""
    words = words_of(trace)
    states = words.alone(to_numpy(cast(SupportsStates, model).states(trace)))
    flat = uniform(trace.batch.attendable, trace.attention)
    return {
        "attention": Ragged(words.attention[words.mask], words.mask.sum(1)),
        "states": Ragged(states[words.mask].astype(np.float32), words.mask.sum(1)),
        "logits": to_numpy(trace.logits),
        "flat": to_numpy(model.decode(trace, flat)),
        **(_shuffled(model, trace, words, seeds, shuffles, most) if shuffles else {}),
    }


def _shuffled(
    model: Auditable, trace: Trace, words: Words, seeds: Seeds, shuffles: int, most: int
) -> dict[str, Array | Ragged]:
    drawn = shuffled(words.attention, words.mask, words.index, shuffles, seeds, "ranks")
    keys = keys_of(words.mask, words.index, shuffles, seeds, "ties of shuffles")
    logits = [to_numpy(model.decode(trace, like(words.weights(one), trace))) for one in drawn]
    places = np.full((len(drawn), len(words.mask), most), -1)
    found = np.stack(
        [by_weight(one, words.mask, among) for one, among in zip(drawn, keys, strict=True)]
    )
    # States are kept of words alone, so that a column is not the number of its word.
    number = np.broadcast_to(words.mask.cumsum(1) - 1, found.shape)
    found = np.take_along_axis(number, found, -1)[..., :most]
    places[..., : found.shape[-1]] = found
    return {"shuffled": np.stack(logits, 1), "places": places.transpose(1, 0, 2)}


@dataclass(frozen=True)
class Ranks:
    """All texts of one model; derived quantities are over the texts that have a word of each rank.

    Ties are broken at random once; ``tied`` marks the texts where ties decide.
    """

    attention: Ragged
    states: Ragged
    logits: Float[Array, "N L"]
    flat: Float[Array, "N L"]
    labels: Int[Array, " N"]
    cluster: Int[Array, " N"]
    seeds: Seeds
    most: int
    shuffled: Float[Array, "N R L"] | None = None
    places: Int[Array, "N R K"] | None = None
    rule: RankRule = "both"

    @classmethod
    def of(cls, arrays: Arrays, seeds: Seeds, most: int, before: str = "") -> Ranks:
        """Read what `survey_batch` has taken from all batches."""
        attention, states = (of_words(arrays[before + name]) for name in ("attention", "states"))
        logits, flat, labels, cluster = (
            np.asarray(arrays[name])
            for name in (f"{before}logits", f"{before}flat", "label", "cluster")
        )
        some = {
            name: np.asarray(arrays[name])
            for name in ("shuffled", "places")
            if not before and name in arrays
        }
        known = (attention, states, logits, flat, labels, cluster, seeds, most)
        return cls(*known, some.get("shuffled"), some.get("places"))

    @cached_property
    def mask(self) -> Bool[Array, "N T"]:
        """True on words."""
        lengths = self.attention.lengths
        return np.asarray(np.arange(max(1, int(lengths.max()))) < lengths[:, None])

    @cached_property
    def weights(self) -> Float[Array, "N T"]:
        """The weight of each word, padded."""
        out = np.zeros(self.mask.shape)
        out[self.mask] = self.attention.flat
        return out

    @cached_property
    def known(self) -> Bool[Array, " N"]:
        """Mark the texts whose weights, hidden states and logits are finite."""
        wrong = ~np.isfinite(self.attention.flat) | ~np.isfinite(self.states.flat).all(1)
        odd = np.add.reduceat(np.append(wrong, False), self._starts) * (self.attention.lengths > 0)
        return np.asarray((odd == 0) & ~np.isnan(self.logits).any(1))

    @cached_property
    def ranks(self) -> int:
        """Number of ranks that are compared."""
        if not self.known.any():
            return 0
        found = rank_count(self.weights[self.known], self.mask[self.known], rule=self.rule)
        return min(self.most, found)

    @cached_property
    def kept(self) -> Bool[Array, " N"]:
        """Mark the texts that have a word of each rank."""
        return np.asarray((self.mask.sum(1) >= self.ranks) & self.known)

    @cached_property
    def clusters(self) -> Int[Array, " n"]:
        """Number the clusters of these texts, from 0."""
        return numbered(self.cluster[self.kept])

    @property
    def refused(self) -> str:
        """Say why ranks cannot be compared; empty if they can."""
        apart = len(np.unique(self.clusters))
        return too_little(apart, self.ranks, clustered=apart < len(self.clusters))

    @property
    def refused_alone(self) -> str:
        """Say why ranks cannot be compared even if each text counts as one, as Wen et al. count."""
        return too_little(len(self.clusters), self.ranks)

    @cached_property
    def order(self) -> Int[Array, "N T"]:
        """The places of the words of each text, from the largest weight down; ties at random."""
        among = self.seeds.generator("ties of ranks").random(self.mask.shape)
        return by_weight(self.weights, self.mask, among)

    @cached_property
    def tied(self) -> Bool[Array, " n"]:
        """Mark the texts where ties decide which word has which rank."""
        return ties_decide(self.weights[self.kept], self.mask[self.kept], self.ranks)

    @cached_property
    def mean(self) -> Float[Array, " K"]:
        """The mean weight of each rank."""
        kept = np.ones((int(self.kept.sum()), self.ranks), dtype=bool)
        return mean_weights(self.weights[self.kept], self.mask[self.kept], kept)

    @cached_property
    def axes(self) -> Axes:
        """The axes onto which hidden states are projected."""
        return Axes.of(self._own)

    @cached_property
    def features(self) -> Float[Array, "n K Q"]:
        """The hidden states of each rank, on these axes."""
        return self.axes(self._own)

    @cached_property
    def _own(self) -> Float[Array, "n K P"]:
        return self._at(self.order[:, : self.ranks], self.kept)

    @cached_property
    def bins(self) -> Bins:
        """The bins of the predictions."""
        return Bins(self.logits[self.kept], self.seeds.generator("bins of answers"))

    def asked(self, target: str) -> Int[Array, " n"]:
        """Give the class of each text that probes predict from its hidden states."""
        if target == LABEL:
            return np.asarray(self.labels[self.kept])
        return self.bins((self.logits if target == OUTPUT else self.flat)[self.kept])

    @cached_property
    def _tables(self) -> Int[Array, "n K"]:
        return clusters_of(
            self.features, table_size(len(self.features)), self.seeds.generator("clusters of ranks")
        )

    def target(self, name: str) -> Target:
        """Prepare a target for its probes."""
        return Target.of(
            self.asked(name),
            self._tables,
            self.seeds.generator("folds of ranks", name),
            self.clusters,
        )

    def coupled(self, family: Family) -> Coupling:
        """Compare with attention that is shuffled within each text."""
        assert self.shuffled is not None  # only the model itself is shuffled
        own = RankedStates(self.features, self.asked(OUTPUT), self.clusters)
        seed = int(self.seeds.generator("coupling").integers(2**32))
        return coupling(own, self.shuffled.shape[1], self._draw, self.mean, family, seed)

    def _draw(self, number: int) -> RankedStates:
        """Give the hidden states by rank of shuffled weights, and the bins of the outputs."""
        assert self.shuffled is not None
        assert self.places is not None
        states = self._at(self.places[:, number, : self.ranks], self.kept)
        bins = self.bins(self.shuffled[self.kept, number])
        return RankedStates(self.axes(states), bins, self.clusters)

    def published(self, order: Int[Array, "N T"] | None = None) -> Published:
        """Count like Wen et al. (2022): texts drop out by rank, ties keep the order of the text,
        unless another ``order`` of the words is given.
        """
        known = self.known
        ordered = by_weight(self.weights, self.mask) if order is None else order
        places = ordered[:, : self.ranks]
        kept = texts_of_ranks(self.mask[known], self.ranks)
        bins = Bins(self.logits[known], self.seeds.generator("bins of answers"))
        targets = {
            OUTPUT: bins(self.logits[known]),
            DECOUPLED: bins(self.flat[known]),
            LABEL: self.labels[known],
        }
        named = {name: np.unique(one, return_inverse=True)[1] for name, one in targets.items()}
        states = self._at(places, known)
        return published(
            states,
            kept,
            named,
            lambda seed, rank: self.seeds.generator(f"clusters of rank {rank}", seed),
        )

    def published_weights(self) -> Float[Array, " K"]:
        """Give the mean weight of each rank over the texts that are long enough for it."""
        mask = self.mask[self.known]
        return mean_weights(self.weights[self.known], mask, texts_of_ranks(mask, self.ranks))

    @cached_property
    def _starts(self) -> Int[Array, " N"]:
        return np.asarray(np.cumsum(self.attention.lengths) - self.attention.lengths)

    def _at(self, places: Int[Array, "N K"], rows: Bool[Array, " N"]) -> Float[Array, "n K P"]:
        """Give the hidden states at these places of each text; a place beyond its last word gives
        another text's.
        """
        at = self._starts[rows][:, None] + np.maximum(places[rows], 0)
        at = np.minimum(at, max(0, len(self.states.flat) - 1))
        return np.asarray(self.states.flat[at], dtype=np.float64)
