"""Hybrid texts: one text with words of another, their logits, and the order of words to move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import add
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.core.example import Example
from sightline.core.interning import Span
from sightline.core.protocols import Auditable, Batch
from sightline.measures.perturbations import at_once, chunks, logits_of_variants, token_counts
from sightline.measures.trace_arrays import borders
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import level_ties_and_fade

Array = np.ndarray
Words = tuple[str, ...]
SPACE = " "


class Written(NamedTuple):
    """Words as they are spelled, which a model of texts reads, and as tokens, which a model of
    words reads.
    """

    spelled: Words
    tokens: Words
    gaps: Words = ()
    """What stands before each word: a text keeps its line breaks. Empty where a space stands
    between all words."""

    @classmethod
    def of(cls, text: Example) -> Written:
        """Take the words of a text, and what stands between them."""
        offsets = text.offsets  # most texts are cut into words for it
        spelled = tuple(text.text[start:end] for start, end in offsets)
        return cls.shared(spelled, text.tokens, _gaps(text.text, offsets))

    @classmethod
    def shared(cls, spelled: Words, tokens: Words, gaps: Words = ()) -> Written:
        """Let one tuple serve as both where they are equal."""
        return cls(tokens if spelled == tokens else spelled, tokens, gaps)

    @property
    def all_gaps(self) -> Words:
        """What stands before each word, spaces too."""
        return self.gaps or ("", *[SPACE] * (len(self.spelled) - 1))[: len(self.spelled)]


def _gaps(text: str, offsets: Iterable[Span]) -> Words:
    """Give what stands before each word of a text; where words are left out, a space."""
    found, end = list[str](), 0
    for start, stop in offsets:
        gap = text[end:start]
        found.append(gap if not gap or gap.isspace() else SPACE)
        end = stop
    if found and not found[0].isspace():
        found[0] = ""
    return _unless_plain(found)


def _unless_plain(gaps: Sequence[str]) -> Words:
    """Give no gaps if all are a space."""
    return () if not any(gaps[:1]) and all(gap == SPACE for gap in gaps[1:]) else tuple(gaps)


def rewritten(text: Example, words: Written) -> Example:
    """Give a text other words; it keeps its query, its candidates and its index, by which a model
    may know it.
    """
    gaps = words.all_gaps
    ends = [
        *accumulate(len(gap) + len(word) for gap, word in zip(gaps, words.spelled, strict=True))
    ]
    places = tuple((end - len(word), end) for end, word in zip(ends, words.spelled, strict=True))
    return replace(
        text,
        id=f"{text.id}, rewritten",
        text="".join(map(add, gaps, words.spelled)),
        tokens=words.tokens,
        places=places,
        rationale=None,
        read_to=None,
    )


def crossed(donor: Written, receiver: Written, places: Iterable[int]) -> Written:
    """Cross the words of two texts, as they are spelled and as tokens; the layout is the
    receiver's, and words that touch and move together still touch.
    """
    marked = [*places]
    gaps = crossed_gaps(donor, receiver, {*marked}) if receiver.gaps or donor.gaps else ()
    tokens = crossed_words(donor.tokens, receiver.tokens, marked)
    if donor.spelled is donor.tokens and receiver.spelled is receiver.tokens:
        return Written(tokens, tokens, gaps)
    return Written(crossed_words(donor.spelled, receiver.spelled, marked), tokens, gaps)


def crossed_gaps(donor: Written, receiver: Written, marked: Set[int]) -> Words:
    """Keep what stands before the receiver's words, and before what takes their places.

    Words that touched are set apart where one of them is another word now, or they would become
    one; words past the receiver's end follow a space. Where neighbours touch in the donor and move
    together, they touch again (`_touching`), or a model of texts would not find what they spell.
    """
    there, end = len(donor.tokens), len(receiver.tokens)
    found: list[str | None] = [*receiver.all_gaps, *[None] * (there - end)]
    changed = {
        place
        for place in marked
        if place >= min(there, end) or donor.spelled[place] != receiver.spelled[place]
    }
    for place in marked:
        if place >= end:
            found[place] = SPACE
            continue
        if place in changed:
            for near in range(max(1, place), min(place + 2, end)):
                if found[near] == "":
                    found[near] = SPACE
        if place >= there:
            found[place] = None  # the word is gone
    for place in _touching(donor, receiver, marked):
        if found[place] == SPACE and changed & {place - 1, place}:
            found[place] = ""
    return _unless_plain([gap for gap in found if gap is not None])


def _touching(donor: Written, receiver: Written, marked: Set[int]) -> Iterator[int]:
    """Give the places of moved words that go on touching the word before.

    They touch in the donor and both move. And they touch there in the receiver, too, or all that
    they spell moves (`_spelled_together`): any two words of a text without spaces would else bring
    its layout along.
    """
    last = len(receiver.gaps) - 1
    for place in marked:
        if not 0 < place < len(donor.gaps) or donor.gaps[place] or place - 1 not in marked:
            continue
        near = min(place, last)  # past the end, as its last words do
        if (near > 0 and not receiver.gaps[near]) or _moves_whole(donor, place, marked):
            yield place


def _moves_whole(donor: Written, place: int, marked: Set[int]) -> bool:
    together = _spelled_together(donor, place)
    return bool(together) and marked >= {*together}


def _spelled_together(text: Written, place: int) -> range:
    """Give the places of what a word and the word before it spell: *and/or*, or ``:)``.

    Signs before and behind words are no part of these: a space before a full stop is layout.
    """
    start, stop = place - 1, place + 1
    while start and not text.gaps[start]:
        start -= 1
    while stop < len(text.gaps) and not text.gaps[stop]:
        stop += 1
    letters = [at for at in range(start, stop) if any(map(str.isalnum, text.spelled[at]))]
    borders = [start, *([letters[0], letters[-1] + 1] if letters else []), stop]
    parts = (range(*ends) for ends in pairwise(borders))
    return next((part for part in parts if place - 1 in part and place in part), range(0))


def crossed_words(donor: Words, receiver: Words, places: Iterable[int]) -> Words:
    """Take the donor's word at every marked position and the receiver's elsewhere.

    Past the end of a text there is no word.

    >>> crossed_words(("not", "good"), ("so", "very", "bad"), [0, 1])
    ('not', 'good', 'bad')
    >>> crossed_words(("not", "good"), ("so", "very", "bad"), [0, 2])
    ('not', 'very')
    """
    found: list[str | None] = [*receiver, *[None] * (len(donor) - len(receiver))]
    for place in places:
        found[place] = donor[place] if place < len(donor) else None
    return tuple([word for word in found if word is not None])


def answers(
    model: Auditable, asked: Sequence[tuple[Example, Written]], tokens_at_once: int
) -> Float[Array, "N L"]:
    """Give the logits of texts with other words, in batches of similar length with at most
    ``tokens_at_once`` words.

    A text is written only when it is run: thousands of them, with the places of all their words,
    take 200 MB. `AHEAD` words are written together, so that texts can be sorted by their tokens, of
    which a model may have more than words.
    """
    lengths = np.array([len(words.tokens) + len(text.query or ()) for text, words in asked])
    most, found = at_once(model, tokens_at_once), []
    for rows in chunks(lengths, max(most, AHEAD)):
        batch = model.collate([rewritten(*asked[i]) for i in rows])
        for some, part in _of_like_length(batch, lengths[rows], most):
            found.append((rows[some], to_numpy(logits_of_variants(model, part))))
    order = np.argsort(np.concatenate([rows for rows, _ in found]))
    return np.asarray(np.concatenate([logits for _, logits in found])[order])


AHEAD = 2**12
"""Words that are written together."""
WIDER = 2
"""If texts have more tokens than words, at most so many times more tokens run together."""


def _of_like_length(
    batch: Batch, words: Int[Array, " B"], most: int
) -> Iterator[tuple[Int[Array, " _"], Batch]]:
    """Split a batch by the tokens of its texts, with as many texts together as by their words."""
    tokens = token_counts(batch)
    wider = min(WIDER, max(1.0, tokens.sum() / words.sum()))
    for rows in chunks(tokens, int(wider * most)):
        part = batch.rows(torch.from_numpy(rows).to(batch.ids.device))
        yield rows, part.keep(part.mask)


def share_of(length: Int[Array, "*B"] | int, share: float) -> Int[Array, "*B"]:
    """Number of words in a share: rounded to the nearest, at least one."""
    return np.asarray(
        np.clip(np.floor(share * np.asarray(length) + 0.5), 1, length), dtype=np.int64
    )


def ranked(
    values: Float[Array, " W"], keys: Float[Array, " W"], index: int, *, signed: bool
) -> Int[Array, " S"]:
    """Order the words of a text by a map, largest first, ties by their keys.

    Only words that can be seen are taken; of a signed map, only words that speak for the predicted
    class. If a map gives nothing to any word, all words are tied. ``index`` is the index of the
    text.
    """
    seen = level_ties_and_fade(values, np.ones(values.shape, dtype=bool), borders(np.array(index)))
    order, number = np.lexsort((keys, -seen)), int((seen > 0).sum())
    return order[:number] if signed or number else order


@dataclass(frozen=True)
class WordPool:
    """All words of some texts, ordered by text index, so that the order of the input does not
    matter.
    """

    index: Int[Array, " N"]
    lengths: Int[Array, " N"]
    texts: tuple[Written, ...]

    @classmethod
    def of(cls, texts: Sequence[Example]) -> WordPool:
        """Collect the words of these texts."""
        ordered = sorted(texts, key=lambda text: text.index)
        index, lengths = (
            np.array(one, dtype=np.int64)
            for one in ([text.index for text in ordered], [len(text.tokens) for text in ordered])
        )
        return cls(
            index, lengths, tuple(Written.shared(text.spelled, text.tokens) for text in ordered)
        )

    def drawn(self, text: Example, generator: np.random.Generator) -> Written | None:
        """Draw a word for each word of a text, by its frequency in the other texts; None if there
        is no other text.
        """
        own = self.index == text.index
        before, size = (
            int(self.lengths[chosen].sum()) for chosen in (self.index < text.index, own)
        )
        others = int(self.lengths.sum()) - size
        if not others:
            return None
        places = generator.integers(others, size=len(text.tokens))
        places += size * (places >= before)  # skip its own words
        ends = np.cumsum(self.lengths)
        rows = np.searchsorted(ends, places, side="right")
        found = [
            (self.texts[row], place - ends[row]) for row, place in zip(rows, places, strict=True)
        ]
        tokens = tuple(one.tokens[place] for one, place in found)
        spelled = tuple(one.spelled[place] for one, place in found)
        return Written.shared(spelled, tokens)
