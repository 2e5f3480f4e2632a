"""Words moved between two texts: which hybrids a pair asks for, and what each does to the margin of the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from sightline.example import Example
from sightline.maths.simplex import decision
from sightline.measures.hybrids import answers, crossed, ranked, share_of
from sightline.questions import MAPS
from sightline.seeds import Seeds
from sightline.types import Auditable

Array = np.ndarray
Tokens = tuple[str, ...]
Orders = Mapping[str, Int[Array, " _"] | None]


@dataclass(frozen=True)
class Seen:
    """One text and what the model made of it: its logits, and its words in the order of each map, largest first."""

    text: Example
    logits: Float[Array, " L"]
    orders: Orders

    @property
    def tokens(self) -> Tokens:
        """Its words."""
        return self.text.tokens


@dataclass(frozen=True)
class Pair:
    """A text that gives words and one that receives them, both under the query of the latter where there is one."""

    donor: Seen
    receiver: Seen

    @cached_property
    def decided(self) -> tuple[int, int]:
        """The decision of the donor (A), and that of the receiver (B)."""
        ours, theirs = decision(np.stack([self.donor.logits, self.receiver.logits]))
        return int(ours), int(theirs)

    @property
    def whole(self) -> float:
        """What moving every word does to the margin; NaN where an answer of one is no answer to the other."""
        return self.margin(self.donor.logits) - self.margin(self.receiver.logits)

    def margin(self, logits: Float[Array, " L"]) -> float:
        """``s_A − s_B``; one logit stands against zero."""
        both = np.array([0.0, logits[0]]) if len(logits) == 1 else logits
        ours, theirs = (both[one] for one in self.decided)
        return float(ours - theirs) if np.isfinite(ours) and np.isfinite(theirs) else np.nan

    def hybrids(self, names: Sequence[str], shares: Sequence[float], seeds: Seeds) -> dict[str, list[Tokens]]:
        """Write what each quantity asks for, a hybrid a share: by each map, and by as many random positions.

        A map that is unknown of either text has none. The random positions of a pair are nested in one order.
        """
        x, y = self.donor, self.receiver
        stage = f"random words of {x.text.index}"
        shuffled = seeds.generator(stage, y.text.index).permutation(max(len(x.tokens), len(y.tokens)))
        counts = [(int(share_of(len(x.tokens), share)), int(share_of(len(y.tokens), share))) for share in shares]
        out: dict[str, list[Tokens]] = {}
        for name in names:
            ours, theirs = x.orders[name], y.orders[name]
            if ours is not None and theirs is not None:
                marked = [{*ours[:mine].tolist(), *theirs[:yours].tolist()} for mine, yours in counts]
                drawn = [shuffled[: len(places)].tolist() for places in marked]
                out[f"carried.{name}"] = [crossed(x.tokens, y.tokens, places) for places in marked]
                out[f"random.{name}"] = [crossed(x.tokens, y.tokens, places) for places in drawn]
        return out


def orders(maps: Mapping[str, Float[Array, " W"]], index: int, seeds: Seeds) -> Orders:
    """Order the words of a text by each map, ties by a draw for the text; None where a map is unknown."""
    keys = seeds.generator("ties", index).random(len(next(iter(maps.values()))))
    return {
        name: None if np.isnan(values).any() else ranked(values, keys, signed=MAPS[name].signed)
        for name, values in maps.items()
    }


def carried(
    model: Auditable, pairs: Sequence[Pair], asked: Sequence[Mapping[str, Sequence[Tokens]]], tokens_at_once: int
) -> list[dict[str, float]]:
    """Run every distinct hybrid of every pair once; give the sums over shares of what each does to the margin.

    A hybrid that is one of the two texts, because nothing or everything that differs was moved, is not run.
    """
    known = [{pair.receiver.tokens: pair.receiver.logits, pair.donor.tokens: pair.donor.logits} for pair in pairs]
    distinct = [{tokens for each in one.values() for tokens in each} for one in asked]
    missing = [(i, tokens) for i, one in enumerate(distinct) for tokens in sorted(one - known[i].keys())]
    texts = [(pairs[i].receiver.text, tokens) for i, tokens in missing]
    for (i, tokens), logits in zip(missing, answers(model, texts, tokens_at_once) if texts else (), strict=True):
        known[i][tokens] = logits
    return [_summed(*one) for one in zip(pairs, asked, known, strict=True)]


def _summed(
    pair: Pair, asked: Mapping[str, Sequence[Tokens]], known: Mapping[Tokens, Float[Array, " L"]]
) -> dict[str, float]:
    before = pair.margin(pair.receiver.logits)
    return {name: sum(pair.margin(known[tokens]) - before for tokens in each) for name, each in asked.items()}
