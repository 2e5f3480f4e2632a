"""How much do hidden states still know of their words? Counted as published, and by a probe on
unseen texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.example import Example
from sightline.core.protocols import Arrays, MeasureContext, SupportsStates, Survey, Trace
from sightline.core.results import Estimate, Measurement, Ragged
from sightline.core.seeds import Seeds, seed_for
from sightline.measures.batch_words import types_of, words_of
from sightline.measures.trace_arrays import count_undefined, of_words
from sightline.numerics.divergences import entropy
from sightline.numerics.mini_batch_kmeans import MiniBatch, mini_batch_kmeans
from sightline.numerics.mutual_information import plug_in, shuffled, table
from sightline.numerics.tensors import to_numpy
from sightline.numerics.word_probe import WordProbe, learned

_SET, _DRAWN = MEASURES["input_information"].settings, MEASURES["input_information_drawn"].settings
Array = np.ndarray
SPARE: int = _SET["spare"]
"""Words sampled for each pair that is needed, because not every word is among the chosen types."""
SCALING: float = _SET["scaling"]
"""Power of the unigram distribution from which words are drawn (Tutek & Šnajder 2020, note 6)."""
NULLS: int = _SET["nulls"]
"""Shuffles whose mean is the baseline of the counted figure."""
WHOLE = ("counted", "counted_null", "word_entropy")
"""Quantities with one value for all texts: without an interval, and never bootstrapped
(`numerics/rank_curves.py`)."""
_COUNTED = (
    "counted over {} pairs; biased upwards, and more so with fewer pairs, so without an interval"
)


@dataclass(frozen=True)
class InputSurvey:
    """What is learned from other texts: the word types, two probes (the second from half of the
    pairs), and the counted information.
    """

    types: Float[Array, " C"]
    probe: WordProbe
    half: WordProbe
    whole: Float[Array, " 4"]


@dataclass(frozen=True)
class InputInformation:
    """Information between words and hidden states, for the most frequent ``words`` and ``tokens``
    tokens of other texts.

    Counted: embeddings and hidden states are put into ``clusters`` each, and the information
    between the two labellings is counted (``counted``). ``counted_null`` is the same with one
    labelling shuffled. By a probe: its gain on the audited texts over knowing word frequencies,
    text by text, learned from all pairs and from half of them. Word types are the most frequent
    ones, or ``drawn`` from the scaled unigram distribution.
    """

    words: int = _SET["words"]
    tokens: int = _SET["tokens"]
    clusters: int = _SET["clusters"]
    drawn: bool = _SET["drawn"]
    surveys: Survey = _SET["surveys"]
    code: str = "input_information"
    needs: frozenset[str] = NEEDS["input_information"]
    paper: str = PAPERS["input_information"]

    def sample(self, texts: Sequence[Example], seeds: Seeds) -> Sequence[Example]:
        """Take texts at random until they have enough words; the same for every model."""
        order = np.argsort(
            [seed_for(seeds.seed, "input information", text.index) for text in texts], kind="stable"
        )
        sizes = np.cumsum([len(texts[i].tokens) for i in order])
        enough = int(np.searchsorted(sizes, SPARE * self.tokens)) + 1
        return [texts[i] for i in sorted(order[:enough].tolist())]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the type, the embedding and the hidden state of every word; hidden states in single
        precision.
        """
        words = words_of(trace)
        lengths = words.mask.sum(1)
        types = types_of(subject.texts, words, trace)
        vectors = {
            name: Ragged(words.alone(to_numpy(of))[words.mask].astype(np.float32), lengths)
            for name, of in (("inputs", trace.embeddings), ("states", _states(subject, trace)))
        }
        return {"types": Ragged(types, lengths), **vectors}

    def learn(self, arrays: Arrays, seeds: Seeds) -> InputSurvey:
        """Choose the word types and the pairs, count, and learn two probes."""
        generator = seeds.generator("input information")
        types, lengths = of_words(arrays["types"]).flat, of_words(arrays["types"]).lengths
        chosen = self._chosen(types, generator)
        known = np.flatnonzero(np.isin(types, chosen))
        pairs = np.sort(generator.permutation(known)[: self.tokens])
        words = np.searchsorted(chosen, types[pairs])
        texts = np.repeat(np.arange(len(lengths)), lengths)[pairs]
        inputs, states = (
            torch.from_numpy(of_words(arrays[name]).flat[pairs]) for name in ("inputs", "states")
        )
        some = generator.permutation(len(pairs))[: len(pairs) // 2]
        full, half = (
            learned(
                states[rows], torch.from_numpy(words[rows]), texts[rows], len(chosen), generator
            )
            for rows in (np.arange(len(pairs)), np.sort(some))
        )
        return InputSurvey(chosen, full, half, self._counted(inputs, states, words, generator))

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Apply the probes to the words of the audited texts that are among the chosen types."""
        found = cast(InputSurvey, subject.learned)
        words = words_of(trace)
        types = types_of(subject.texts, words, trace)
        place = np.minimum(np.searchsorted(found.types, types), len(found.types) - 1)
        asked = found.types[place] == types
        row = np.repeat(np.arange(len(words.mask)), words.mask.sum(1))[asked]
        states = torch.from_numpy(words.alone(to_numpy(_states(subject, trace)))[words.mask][asked])
        number = torch.from_numpy(place[asked])
        gained, alone = found.probe.gained(states, number)
        halved, _ = found.half.gained(states, number)
        count = np.bincount(row, minlength=len(words.mask))
        sums = {
            name: np.where(count > 0, np.bincount(row, to_numpy(of), len(count)), np.nan)
            for name, of in (("entropy", alone), ("gained", gained), ("gained_half", halved))
        }
        return {"words": count, **sums}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts without any of the word types."""
        undefined = count_undefined(arrays, {"none of the words": np.asarray(arrays["words"]) == 0})
        settings = {
            "words": self.words,
            "tokens": self.tokens,
            "clusters": self.clusters,
            "drawn": self.drawn,
            "surveys": self.surveys,
        }
        return Measurement(self.code, arrays, undefined, settings)

    def conclude(self, measurement: Measurement, learned: InputSurvey, seeds: Seeds) -> Measurement:
        """Add the counted quantities, which are about all texts."""
        *values, pairs = learned.whole.tolist()
        method = _COUNTED.format(int(pairs))
        counted = (Estimate(value, np.nan, np.nan, int(pairs), method) for value in values)
        return replace(measurement, whole=dict(zip(WHOLE, counted, strict=True)))

    def _chosen(
        self, types: Float[Array, " S"], generator: np.random.Generator
    ) -> Float[Array, " C"]:
        """Choose word types by frequency, in the order of their numbers; ties go by number."""
        kinds, counts = np.unique(types, return_counts=True)
        most = min(self.words, len(kinds))
        if not self.drawn:
            return np.sort(kinds[np.argsort(-counts, kind="stable")[:most]])
        shares = counts**SCALING
        return np.sort(generator.choice(kinds, most, replace=False, p=shares / shares.sum()))

    def _counted(
        self,
        inputs: Float[torch.Tensor, "M E"],
        states: Float[torch.Tensor, "M P"],
        words: Int[Array, " M"],
        generator: np.random.Generator,
    ) -> Float[Array, " 4"]:
        """Count the information between the clusters of both sides, the same with one side
        shuffled, and the entropy of the words.
        """
        settings = MiniBatch(self.clusters)
        first, second = (
            mini_batch_kmeans(one, settings, generator).numpy() for one in (inputs, states)
        )
        null = float(shuffled(first, second, NULLS, generator).mean())
        shares = np.bincount(words) / len(words)
        return np.array([plug_in(table(first, second)), null, float(entropy(shares)), len(words)])


@dataclass(frozen=True)
class DrawnInformation(InputInformation):
    """The same for words drawn from the scaled unigram distribution, like the random sample of the
    paper.
    """

    drawn: bool = _DRAWN["drawn"]
    code: str = "input_information_drawn"


def _states(subject: MeasureContext, trace: Trace) -> Float[torch.Tensor, "B T P"]:
    return cast(SupportsStates, subject.model).states(trace)
