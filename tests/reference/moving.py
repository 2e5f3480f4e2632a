"""Words removed, replaced and moved between texts, one text and one run at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.core.seeds import Seeds, seed_for
from sightline.numerics.ties import FAINT, NOISE, NOTHING, TIE, VISIBLE
from tests.reference import ties
from tests.reference.formulas import probabilities, without

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
OWN = (0.05, 0.1, 0.2)


def with_words(text: Example, words: Sequence[str]) -> Example:
    return replace(text, tokens=tuple(words), places=((0, 0),) * len(words), rationale=None)


def logits(model: Auditable, text: Example) -> np.ndarray:
    """Logits of one text, run by itself."""
    return model.trace(model.collate([text])).logits[0].double().numpy()


def log_odds(model: Auditable, text: Example, chosen: int) -> float:
    p = probabilities(logits(model, text))
    return float(np.log(p[chosen]) - np.log(sum(p[c] for c in range(len(p)) if c != chosen)))


def count(length: int, share: float, most: int) -> int:
    return min(max(int(share * length + 0.5), 1), most)


def hybrid(x: Sequence[str], y: Sequence[str], marked: set[int]) -> list[str]:
    """One axis of positions: x's word where marked, y's elsewhere, nothing where the text has none
    there.
    """
    words = []
    for place in range(max(len(x), len(y))):
        source = x if place in marked else y
        if place < len(source):
            words.append(source[place])
    return words


def border(index: int) -> float:
    """The part of a step by which the first shade of a text is wider: a draw from 0 to 1 by its
    index.
    """
    return seed_for(0, "shades", index) / 2**63


def seen(scores: Sequence[float], index: int) -> list[float]:
    """The scores of a text as a reader sees them: at the limits of the package, by the literal
    walk.
    """
    return ties.faded(scores, FAINT, VISIBLE, NOISE, TIE, NOTHING, border(index))


def top(
    scores: Sequence[float], number: int, keys: Sequence[float], index: int, *, signed: bool
) -> set[int]:
    """The largest scores that can be seen, ties by their keys; of all words where none can and the
    map has no sign.
    """
    shown = seen(scores, index)
    best = ties.falling(shown, keys)
    above = [place for place in best if shown[place] > 0]
    return set((above if signed or above else best)[:number])


@dataclass(frozen=True)
class Reading:
    """A model that answers one text at a time; two logits always, and which class is predicted."""

    model: Auditable

    def logits(self, text: Example) -> np.ndarray:
        both = logits(self.model, text)
        return np.array([0.0, both[0]]) if len(both) == 1 else both

    def predicted(self, text: Example) -> int:
        return int(np.argmax(self.logits(text)))

    def lead(self, text: Example) -> float:
        first, second = sorted(self.logits(text))[::-1][:2]
        return float(first - second)


def within(value: float, most: float) -> float:
    """Cut a number at most of either sign."""
    return max(-most, min(most, value))


def transplanted(
    model: Auditable,
    x: Example,
    y: Example,
    of_x: Sequence[float],
    of_y: Sequence[float],
    seeds: Seeds,
    *,
    signed: bool = False,
    shares: Sequence[float] = SHARES,
    own: Sequence[float] = OWN,
    reach: float = float("inf"),
) -> dict[str, float]:
    """What the words of two texts do in each other's place; x under its receiver's query.

    ``carried``: the marked words of both; ``own``: those of the donor, in the receiver's text and
    out of its own. ``random_...`` is the same for as many words by a draw. ``whole`` is what all
    words do. No hybrid does more.
    """
    read = Reading(model)
    a, b = read.predicted(x), read.predicted(y)

    def margin(text: Example) -> float:
        return float(read.logits(text)[a] - read.logits(text)[b])

    def of(giving: Example, taking: Example, marked: set[int]) -> Example:
        return with_words(
            y, hybrid(giving.tokens, taking.tokens, marked)
        )  # the query is that of the receiver

    whole = margin(x) - margin(y)
    axis = max(len(x.tokens), len(y.tokens))
    order = seeds.generator(f"random words of {x.index}", y.index).permutation(axis).tolist()
    keys = {
        one.index: seeds.generator("ties", one.index).random(len(one.tokens)).tolist()
        for one in (x, y)
    }

    def best(text: Example, scores: Sequence[float], share: float) -> set[int]:
        return top(
            scores,
            count(len(text.tokens), share, len(text.tokens)),
            keys[text.index],
            text.index,
            signed=signed,
        )

    names = (
        "carried",
        "random",
        "flipped",
        "random_flipped",
        "own",
        "random_own",
        "whole",
        "beyond",
    )
    out = dict.fromkeys(names, 0.0)
    for share in shares:
        marked = best(x, of_x, share) | best(y, of_y, share)
        for kind, flips, places in (
            ("carried", "flipped", marked),
            ("random", "random_flipped", set(order[: len(marked)])),
        ):
            text = of(x, y, places)
            out[kind] += within(margin(text) - margin(y), whole)
            out[flips] += read.predicted(text) == a
            out["beyond"] += (read.lead(text) > reach) / (2 * len(shares))
        out["whole"] += whole
    for share in own:
        marked = best(x, of_x, share)
        for kind, places in (("own", marked), ("random_own", set(order[: len(marked)]))):
            out[kind] += within(margin(of(x, y, places)) - margin(y), whole)
            out[kind] += within(margin(x) - margin(of(y, x, places)), whole)
    return out


def right(own: Sequence[float], chance: Sequence[float], room: Sequence[float]) -> bool:
    """Whether the own words of a donor do half of what they could, over its pairs; chance is
    halfway to that.
    """
    done = sum(one - other for one, other in zip(own, chance, strict=True))
    could = sum(one - other / 2 for one, other in zip(room, chance, strict=True))
    return done >= could / 2


def quantile(values: Sequence[float], share: float) -> float:
    """The value so far along the sorted ones, on the line between its two neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def reach(model: Auditable, texts: Sequence[Example]) -> float:
    """The lead that 99 of a hundred texts stay below."""
    return quantile([Reading(model).lead(text) for text in texts], 0.99)


def present(
    kinds: Sequence[set[str]],
    tops: Sequence[set[str]],
    classes: Sequence[int],
    half: Sequence[bool],
    x: int,
    y: int,
) -> float:
    """Whether a donor has more of the words highlighted for its class than its receiver: 1, 0.5 or
    0.

    Which words these are is counted on the other half of the texts, two texts of average words
    beforehand.
    """
    others = [row for row in range(len(kinds)) if half[row] != half[x]]
    here = [tops[row] for row in others if classes[row] == classes[x]]
    there = [tops[row] for row in others if classes[row] != classes[x]]

    def weight(word: str) -> float:
        k, j = (sum(word in one for one in texts) for texts in (here, there))
        if not k:
            return 0.0
        p = (k + j) / len(others)
        gain = np.log((k + 2 * p) / (len(here) + 2)) - np.log((j + 2 * p) / (len(there) + 2))
        return max(0.0, float(gain))

    ours, theirs = (fsum(weight(word) for word in kinds[row]) for row in (x, y))
    return 0.5 if ours == theirs else float(ours > theirs)


def others(text: Example, texts: Sequence[Example], seeds: Seeds) -> list[str]:
    """A word for each place, drawn from all words of the other texts."""
    words = [
        word
        for other in sorted(texts, key=lambda one: one.index)
        for word in other.tokens
        if other is not text
    ]
    drawn = seeds.generator("other words", text.index).integers(len(words), size=len(text.tokens))
    return [words[one] for one in drawn]


@dataclass(frozen=True)
class Lost:
    """What a text loses share by share when words go, by deletion and by replacement, and whether
    it flips.
    """

    deleted: list[float]
    replaced: list[float]
    deleted_flips: list[bool]
    replaced_flips: list[bool]


def lost(
    model: Auditable,
    text: Example,
    order: Sequence[int],
    beside: Sequence[str],
    shares: Sequence[float] = SHARES,
    room: float = float("inf"),
) -> Lost:
    """Loss of log-odds when the first words of an order are deleted, and when others stand in their
    place.
    """
    chosen = int(probabilities(logits(model, text)).argmax())
    whole = log_odds(model, text, chosen)
    out = Lost([], [], [], [])
    for share in shares:
        gone = set(order[: count(len(order), share, len(order) - 1)])
        words = [beside[place] if place in gone else word for place, word in enumerate(text.tokens)]
        for left, drops, flips in (
            (without(text, gone), out.deleted, out.deleted_flips),
            (with_words(text, words), out.replaced, out.replaced_flips),
        ):
            drops.append(within(whole - log_odds(model, left, chosen), room))
            flips.append(Reading(model).predicted(left) != chosen)
    return out


def lost_last(
    model: Auditable,
    text: Example,
    order: Sequence[int],
    room: float = float("inf"),
    among: float = 0.2,
) -> float:
    """Loss of log-odds by the top words of an order, where the next ones, up to a share, are gone
    already.
    """
    chosen, most = int(probabilities(logits(model, text)).argmax()), len(order) - 1
    top, first = (set(order[: count(len(order), share, most)]) for share in (SHARES[0], among))
    return within(
        log_odds(model, without(text, first - top), chosen)
        - log_odds(model, without(text, first), chosen),
        room,
    )


def erased(
    model: Auditable,
    text: Example,
    order: Sequence[int],
    beside: Sequence[str],
    shares: Sequence[float] = SHARES,
    room: float = float("inf"),
) -> tuple[float, float]:
    """Mean loss of log-odds over the shares, by deletion and by replacement."""
    found = lost(model, text, order, beside, shares, room)
    return float(np.mean(found.deleted)), float(np.mean(found.replaced))


def rooms(model: Auditable, texts: Sequence[Example]) -> list[float]:
    """How far each text can fall: to the log-odds that all but a twentieth of the texts predicted
    otherwise keep above.

    A text without log-odds of a class, which it does not allow, sets no bound for that class.
    """
    with np.errstate(divide="ignore"):
        odds = [
            [log_odds(model, text, c) for c in range(len(probabilities(logits(model, text))))]
            for text in texts
        ]
    chosen = [int(probabilities(logits(model, text)).argmax()) for text in texts]
    out = []
    for row, one in enumerate(chosen):
        others = [
            odds[i][one]
            for i in range(len(texts))
            if chosen[i] != one and np.isfinite(odds[i][one])
        ]
        known = np.isfinite(odds[row][one]) and others
        out.append(max(0.0, odds[row][one] - quantile(others, 0.05)) if known else float("inf"))
    return out


def kept(model: Auditable, text: Example, order: Sequence[int]) -> tuple[list[float], float]:
    """Log-odds of the decided class with only the first words of an order, by share; and the mean
    drop of its chance.
    """
    whole = probabilities(logits(model, text))
    chosen, words = int(whole.argmax()), len(text.tokens)
    odds, drops = [], []
    for share in SHARES:
        first = set(order[: count(words, share, words - 1)])
        left = with_words(text, [word for place, word in enumerate(text.tokens) if place in first])
        odds.append(log_odds(model, left, chosen))
        drops.append(float(whole[chosen] - probabilities(logits(model, left))[chosen]))
    return odds, float(np.mean(drops))
