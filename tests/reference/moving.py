"""Words removed, replaced and moved between texts, one text and one run at a time."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sightline.example import Example
from sightline.seeds import Seeds
from sightline.types import Auditable
from tests.reference.formulas import probabilities, without

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)


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
    """One axis of positions: x's word where marked, y's elsewhere, nothing where the text has none there."""
    words = []
    for place in range(max(len(x), len(y))):
        source = x if place in marked else y
        if place < len(source):
            words.append(source[place])
    return words


def top(scores: Sequence[float], number: int, *, signed: bool) -> set[int]:
    """The largest scores that can be seen, all of them where none can; there must be no ties among them."""
    best = sorted(range(len(scores)), key=lambda place: -scores[place])[:number]
    seen = [place for place in best if scores[place] > 0 and scores[place] >= max(map(abs, scores)) / 20]
    return set(seen) if signed or max(scores) > 0 else set(best)


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
) -> tuple[float, float, float]:
    """What the marked words of both, as many random ones, and all words move; x under its receiver's query."""

    def margin(text: Example) -> float:
        both = logits(model, text)
        both = np.array([0.0, both[0]]) if len(both) == 1 else both
        return float(both[a] - both[b])

    a, b = (int(probabilities(logits(model, text)).argmax()) for text in (x, y))
    axis = max(len(x.tokens), len(y.tokens))
    order = seeds.generator(f"random words of {x.index}", y.index).permutation(axis).tolist()
    carried = drawn = whole = 0.0
    for share in shares:
        ours = top(of_x, count(len(x.tokens), share, len(x.tokens)), signed=signed)
        theirs = top(of_y, count(len(y.tokens), share, len(y.tokens)), signed=signed)
        marked = ours | theirs
        carried += margin(with_words(y, hybrid(x.tokens, y.tokens, marked))) - margin(y)
        drawn += margin(with_words(y, hybrid(x.tokens, y.tokens, set(order[: len(marked)])))) - margin(y)
        whole += margin(x) - margin(y)
    return carried, drawn, whole


def others(text: Example, texts: Sequence[Example], seeds: Seeds) -> list[str]:
    """A word for each place, drawn from all words of the other texts."""
    words = [word for other in sorted(texts, key=lambda one: one.index) for word in other.tokens if other is not text]
    drawn = seeds.generator("other words", text.index).integers(len(words), size=len(text.tokens))
    return [words[one] for one in drawn]


def erased(
    model: Auditable, text: Example, order: Sequence[int], beside: Sequence[str], shares: Sequence[float] = SHARES
) -> tuple[float, float]:
    """Mean loss of log-odds when the first words of an order are deleted, and when others stand in their place."""
    chosen = int(probabilities(logits(model, text)).argmax())
    whole = log_odds(model, text, chosen)
    deleted, replaced = [], []
    for share in shares:
        gone = set(order[: count(len(order), share, len(order) - 1)])
        words = [beside[place] if place in gone else word for place, word in enumerate(text.tokens)]
        deleted.append(whole - log_odds(model, without(text, gone), chosen))
        replaced.append(whole - log_odds(model, with_words(text, words), chosen))
    return float(np.mean(deleted)), float(np.mean(replaced))


def kept(model: Auditable, text: Example, order: Sequence[int]) -> tuple[list[float], float]:
    """Log-odds of the decided class with only the first words of an order, by share; and the mean drop of its chance."""
    whole = probabilities(logits(model, text))
    chosen, words = int(whole.argmax()), len(text.tokens)
    odds, drops = [], []
    for share in SHARES:
        first = set(order[: count(words, share, words - 1)])
        left = with_words(text, [word for place, word in enumerate(text.tokens) if place in first])
        odds.append(log_odds(model, left, chosen))
        drops.append(float(whole[chosen] - probabilities(logits(model, left))[chosen]))
    return odds, float(np.mean(drops))
