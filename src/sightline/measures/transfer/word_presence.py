"""Are texts that contain the highlighted words of a class predicted as that class more often?
(SL-306; changes no text).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import takes_sides
from sightline.core.seeds import Seeds
from sightline.measures.transfer.hybrid_texts import ranked, share_of

Array = np.ndarray
Kinds = frozenset[float]
"""Distinct words, numbered by their spelling."""
ALL_WORDS = "all"
"""The map that highlights every word: how well words predict the class at all."""
TOP: float = MEASURES["transplant"].settings["top"]
"""The share of the words of a text that counts as highlighted."""
PRIOR: float = MEASURES["transplant"].settings["prior"]
"""Texts added to the counts of a word regardless of class, so that a word seen once has little
weight."""


def highlighted(
    types: Sequence[Float[Array, " _"]],
    maps: Mapping[str, Sequence[Float[Array, " _"]]],
    index: Int[Array, " N"],
    seeds: Seeds,
) -> dict[str, list[Kinds]]:
    """Give the top words of each text by each map; none where a map is undefined."""
    out = {ALL_WORDS: [frozenset(one.tolist()) for one in types]}
    for name, rows in maps.items():
        out[name] = []
        for words, values, text in zip(types, rows, index, strict=True):
            keys = seeds.generator("ties", int(text)).random(len(values))
            known = not np.isnan(values).any()
            order = (
                ranked(values, keys, int(text), signed=takes_sides(name))
                if known
                else np.zeros(0, dtype=np.int64)
            )
            out[name].append(frozenset(words[order[: int(share_of(len(values), TOP))]].tolist()))
    return out


def presence(
    types: Sequence[Float[Array, " _"]],
    tops: Mapping[str, Sequence[Kinds]],
    classes: Int[Array, " N"],
    half: Bool[Array, " N"],
    partner: Int[Array, "N K"],
    known: Bool[Array, " N"],
) -> dict[str, Float[Array, "N K"]]:
    """Say for each pair whether the donor has more of the words that a map highlights for its
    class.

    These words are learned from the other half of the texts, of those whose class is ``known``. A
    word counts by how much more often it is a top word of texts predicted like the donor than of
    other texts. 1: the donor has more of them, 0.5: equally many, 0: the receiver has more. No text
    is changed and none is run, so the model cannot recognise the test.
    """
    kinds = [frozenset(one.tolist()) for one in types]
    out = {}
    for name, chosen in tops.items():
        value = np.full(partner.shape, np.nan)
        for side in (True, False):
            weights = {
                one: word_weights(chosen, (half != side) & known, classes, int(one))
                for one in np.unique(classes[known])
            }
            said = dict[tuple[int, int], float]()  # a text is in several pairs
            for x, k in zip(*np.nonzero((partner >= 0) & (half == side)[:, None]), strict=True):
                of, both = classes[x], (x, partner[x, k])
                for row in both:
                    if (row, of) not in said:
                        said[row, of] = fsum(weights[of].get(word, 0.0) for word in kinds[row])
                ours, theirs = (said[row, of] for row in both)
                value[x, k] = 0.5 * (1 + np.sign(ours - theirs))
        out[name] = value
    return out


def word_weights(
    tops: Sequence[Collection[float]],
    rows: Bool[Array, " N"],
    classes: Int[Array, " N"],
    chosen: int,
) -> dict[float, float]:
    """Weigh words by the log of how much more often they are highlighted in texts predicted as a
    class than elsewhere.

    With k of n texts of the class and j of m others, and p = (k + j) / (n + m): the log of (k + cp)
    / (n + c) over (j + cp) / (m + c), where c is `PRIOR`. Words with a log of 0 or less have no
    weight.
    """
    counts = {True: Counter[float](), False: Counter[float]()}
    texts = {True: 0, False: 0}
    for row in np.flatnonzero(rows):
        of_class = bool(classes[row] == chosen)
        counts[of_class].update(tops[int(row)])
        texts[of_class] += 1
    n, m = texts[True] + PRIOR, texts[False] + PRIOR
    out = {}
    for word, k in counts[True].items():
        j = counts[False][word]
        before = PRIOR * (k + j) / (texts[True] + texts[False])
        gain = np.log((k + before) / n) - np.log((j + before) / m)
        if gain > 0:
            out[word] = float(gain)
    return out
