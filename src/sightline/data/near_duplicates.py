"""Find near copies: texts that share most of their words, in the same order. Intervals count them
as one text.

A text joins its representative: the first text that it is a near copy of and that has joined no
other. So all texts of a cluster are near copies of one text, and no chain of small steps can join a
whole corpus (docs/decisions/0095-sources-and-near-copies.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Int, UInt64

from sightline.config.interval_settings import NEAR_COPIES
from sightline.config.specs import OFFICIAL
from sightline.core.seeds import seed_for
from sightline.data.dataset import Dataset
from sightline.data.splits import connected

Array = np.ndarray
Words = tuple[str, ...]

ALIKE: float = NEAR_COPIES["alike"]
"""Share of the longer text's words that must occur in the other text, in the same order."""
FEWEST: int = NEAR_COPIES["fewest"]
"""Texts below this number of words are copies only if all words are equal."""
SKETCH: int = NEAR_COPIES["sketch"]
"""Number of smallest hashes of word pairs kept for each text; equal hashes nominate texts to
compare."""
LIKELY: float = NEAR_COPIES["likely"]
"""Share of these hashes that must agree before two texts are compared word by word."""
COMPARED: int = NEAR_COPIES["compared"]
"""The most texts that a text is compared with, best-matching hashes first."""


NEAR = "near copies of others"
"""Part of the data card's note that counts them."""


def counted_once(dataset: Dataset) -> Dataset:
    """Group test texts that are near copies, and count them in the card.

    Connected copies, near copies and groups become one group. Published and planted corpora stay
    unchanged: planted texts are drawn independently, and published corpora have too few near copies
    to change any interval.
    """
    if not dataset.test or _drawn_apart(dataset.card):
        return dataset
    found = representatives([text.tokens for text in dataset.test])
    together = connected(found, [text.group for text in dataset.test])
    names: dict[int, set[tuple[str, ...]]] = {}
    for text, number in zip(dataset.test, together, strict=True):
        names.setdefault(number, set()).add((text.group,) if text.group else text.tokens)
    joined = {number for number, apart in names.items() if len(apart) > 1}
    if not joined:
        return dataset
    test = tuple(
        replace(text, group=f"with {dataset.test[number].id}") if number in joined else text
        for text, number in zip(dataset.test, together, strict=True)
    )
    sizes = Counter(number for number in together if number in joined)
    return replace(dataset, test=test, card=_describe(dataset, sizes))


def _drawn_apart(card: Mapping[str, Any]) -> bool:
    """Tell whether texts come from a published or a planted corpus."""
    kind = str(card.get("source", "")).partition(":")[0]
    return "columns" not in card and kind in ("planted", *OFFICIAL)


def _describe(dataset: Dataset, sizes: Counter[int]) -> dict[str, Any]:
    """Add to the card the number of near copies, and the number they count as."""
    count, clusters = sizes.total(), len(sizes)
    groups = (
        ", or of one group with such a text" if any(text.group for text in dataset.test) else ""
    )
    note = (
        f"{count} of {len(dataset.test)} test texts are {NEAR}{groups} (at least {ALIKE:.0%} "
        "of their words are the same, in the same order): in every interval they count as "
        f"{clusters}"
    )
    about = {
        "texts": count,
        "count_as": clusters,
        "largest": max(sizes.values()),
        "alike": ALIKE,
    }
    return {**dataset.card, "near_copies": about, "notes": [*dataset.card.get("notes", ()), note]}


def representatives(texts: Sequence[Sequence[str]]) -> list[int]:
    """Give the index of each text's representative: its own, unless it is a near copy of an earlier
    text.

    The representatives depend only on the texts, which are ordered by a hash of their words.
    """
    plain = [_plain(tokens) for tokens in texts]
    first: dict[Words, int] = {}
    for place, words in enumerate(plain):
        first.setdefault(words, place)
    long = [words for words in first if len(words) >= FEWEST]
    found = _joined(
        sorted(long, key=lambda words: (seed_for(0, "near copies", " ".join(words)), words))
    )
    return [first[found.get(words, words)] for words in plain]


def _plain(tokens: Sequence[str]) -> Words:
    """Give the words of a text without signs and case; a short text stays unchanged."""
    words = tuple(one.casefold() for one in tokens if one.isalnum() or any(map(str.isalnum, one)))
    return words if len(words) >= FEWEST else tuple(tokens)


def _joined(texts: Sequence[Words]) -> dict[Words, Words]:
    """Give the representative of each text that is not its own; the texts are distinct and ordered."""
    if len(texts) < 2:
        return {}
    above = list(range(len(texts)))
    for place, others in _candidates(texts).items():
        masks = _places(texts[place])
        for other in sorted({above[other] for other in others}):
            if _near(masks, texts[place], texts[other]):
                above[place] = other
                break
    return {
        text: texts[other]
        for text, other in zip(texts, above, strict=True)
        if text is not texts[other]
    }


def _near(masks: Mapping[str, int], one: Words, other: Words) -> bool:
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < ALIKE * longer:
        return False
    return _common(masks, len(one), other) >= ALIKE * longer


def _places(words: Sequence[str]) -> dict[str, int]:
    """Give the positions of each word as the bits of an integer."""
    masks: dict[str, int] = {}
    for place, word in enumerate(words):
        masks[word] = masks.get(word, 0) | 1 << place
    return masks


def _common(masks: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """Count the longest common subsequence, one row of the table at a time as bits (Hyyrö 2004)."""
    full = (1 << length) - 1
    row = full
    for word in other:
        here = row & masks.get(word, 0)
        row = ((row + here) | (row - here)) & full
    return length - row.bit_count()


def _candidates(texts: Sequence[Words]) -> dict[int, list[int]]:
    """For each text, list earlier texts that it may be a near copy of."""
    sketches = _sketches(texts)
    count = len(texts)
    pairs = np.unique(
        np.concatenate([_meeting(column) * count + np.arange(count) for column in sketches.T])
    )
    earlier, later = pairs // count, pairs % count
    earlier, later = earlier[earlier < later], later[earlier < later]
    agreed = (sketches[earlier] == sketches[later]).mean(axis=1)
    likely = np.flatnonzero(agreed >= LIKELY)
    order = likely[np.lexsort((earlier[likely], -agreed[likely], later[likely]))]
    found: dict[int, list[int]] = {}
    for place, other in zip(later[order].tolist(), earlier[order].tolist(), strict=True):
        others = found.setdefault(place, [])
        if len(others) < COMPARED:
            others.append(other)
    return found


def _meeting(column: UInt64[Array, " N"]) -> Int[Array, " N"]:
    """For each text, give the first one with the same hash."""
    _, first, groups = np.unique(column, return_index=True, return_inverse=True)
    return np.asarray(first[groups])


def _sketches(texts: Sequence[Words]) -> UInt64[Array, "N R"]:
    """Keep the minimum of each of several hashes over the pairs of neighbouring words of a text
    (MinHash, Broder 1997).
    """
    numbers: dict[str, int] = {}
    # From 1: a hash of 0 would be the minimum under every factor.
    flat = np.fromiter(
        (numbers.setdefault(word, len(numbers) + 1) for text in texts for word in text), np.uint64
    )
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    within: Bool[Array, " P"] = np.ones(len(flat), dtype=bool)
    within[ends - 1] = False
    pairs = _mixed(flat[:-1] * np.uint64(len(numbers) + 1) + flat[1:])[within[:-1]]
    starts = np.concatenate([[0], np.cumsum(lengths - 1)[:-1]])
    factors = [seed_for(0, "sketch", number) | 1 for number in range(SKETCH)]
    return np.stack(
        [np.minimum.reduceat(pairs * np.uint64(one), starts) for one in factors], axis=1
    )


def _mixed(values: UInt64[Array, " P"]) -> UInt64[Array, " P"]:
    """Spread numbers over all bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(values ^ (values >> np.uint64(31)))
