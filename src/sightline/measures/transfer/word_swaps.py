"""Move words between two texts: the hybrids of a pair, and how each changes the margin between
their classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from sightline.config.word_maps import takes_sides
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.core.seeds import Seeds
from sightline.measures.transfer.hybrid_texts import (
    Written,
    answers,
    crossed,
    ranked,
    share_of,
)
from sightline.numerics.simplex import decision

Array = np.ndarray
Orders = Mapping[str, Int[Array, " _"] | None]


@dataclass(frozen=True)
class RankedText:
    """A text, its logits, and its words in the order of each map, largest first."""

    text: Example
    logits: Float[Array, " L"]
    orders: Orders
    _counted: dict[tuple[float, ...], list[int]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its words."""
        return self.text.tokens

    @cached_property
    def written(self) -> Written:
        """Its words, as they are spelled too."""
        return Written.of(self.text)

    def firsts(self, name: str, shares: Sequence[float]) -> list[set[int]]:
        """Give the positions of the top words of a map, one set a share."""
        order = self.orders[name]
        assert order is not None  # callers have checked
        places = order.tolist()
        return [set(places[:number]) for number in self._counts(tuple(shares))]

    def _counts(self, shares: tuple[float, ...]) -> list[int]:
        if shares not in self._counted:
            self._counted[shares] = [int(share_of(len(self.tokens), one)) for one in shares]
        return self._counted[shares]


@dataclass(frozen=True)
class Pair:
    """A donor and a receiver of words; the receiver's query, if any, applies to both."""

    donor: RankedText
    receiver: RankedText

    @cached_property
    def decided(self) -> tuple[int, int]:
        """The predicted classes of the donor (A) and of the receiver (B)."""
        ours, theirs = decision(np.stack([self.donor.logits, self.receiver.logits]))
        return int(ours), int(theirs)

    @cached_property
    def whole(self) -> float:
        """Change of the margin when every word moves; NaN where the other text does not allow a
        class.
        """
        return self.margin(self.donor.logits) - self.margin(self.receiver.logits)

    def margin(self, logits: Float[Array, " L"]) -> float:
        """Give ``s_A − s_B`` of one text."""
        return float(self.margins(logits[None])[0])

    def margins(self, logits: Float[Array, "N L"]) -> Float[Array, " N"]:
        """Give ``s_A − s_B``; a single logit is compared with zero."""
        both = against_zero(logits)
        ours, theirs = (both[:, one] for one in self.decided)
        known = np.isfinite(ours) & np.isfinite(theirs)
        return np.asarray(np.subtract(ours, theirs, out=np.full(len(both), np.nan), where=known))

    def hybrids(
        self, names: Sequence[str], shares: Sequence[float], own: Sequence[float], seeds: Seeds
    ) -> dict[str, list[Written]]:
        """Write the hybrids of each quantity, one a share: by each map, and by as many random
        positions.

        The donor's words replace the top words of both texts (``carried``). At the shares ``own``,
        only its own top words go into the receiver (``given``), and the receiver's words take their
        places in the donor (``taken``). A map that is undefined for either text has no hybrids. The
        random positions of a pair come from one order, so that most of their hybrids serve several
        quantities.
        """
        x, y = self.donor, self.receiver
        stage = f"random words of {x.text.index}"
        shuffled = seeds.generator(stage, y.text.index).permutation(
            max(len(x.tokens), len(y.tokens))
        )

        def moved(
            kind: str,
            name: str,
            marked: Sequence[set[int]],
            giving: RankedText = x,
            taking: RankedText = y,
        ) -> dict[str, list[Written]]:
            drawn = [shuffled[: len(places)].tolist() for places in marked]
            sets = {f"{kind}.{name}": marked, f"{by_chance(kind)}.{name}": drawn}
            return {
                key: [crossed(giving.written, taking.written, places) for places in each]
                for key, each in sets.items()
            }

        out: dict[str, list[Written]] = {}
        for name in names:
            if x.orders[name] is None or y.orders[name] is None:
                continue
            ours = x.firsts(name, own)
            both = [
                one | other
                for one, other in zip(x.firsts(name, shares), y.firsts(name, shares), strict=True)
            ]
            out |= moved("carried", name, both)
            out |= moved("given", name, ours)
            out |= moved("taken", name, ours, giving=y, taking=x)
        return out


def by_chance(kind: str) -> str:
    """Name the same quantity for as many random positions."""
    return "random" if kind == "carried" else f"random_{kind}"


def orders(maps: Mapping[str, Float[Array, " W"]], index: int, seeds: Seeds) -> Orders:
    """Order the words of a text by each map, ties by a draw for the text; None where a map is
    undefined.
    """
    keys = seeds.generator("ties", index).random(len(next(iter(maps.values()))))
    return {
        name: None
        if np.isnan(values).any()
        else ranked(values, keys, index, signed=takes_sides(name))
        for name, values in maps.items()
    }


@dataclass(frozen=True)
class HybridEffects:
    """What the hybrids of one quantity did, one number a share.

    ``margin`` is the change of the margin of the donor's class, clipped at the change by the whole
    donor: a model can leave its usual range on unnatural texts, and then a few hybrids would decide
    a ratio of sums. ``flipped`` says whether the prediction became the donor's, which no rescaling
    of the logits can change. ``lead`` is how sure the prediction is (`leads`).
    """

    margin: Float[Array, " S"]
    flipped: Float[Array, " S"]
    lead: Float[Array, " S"]


def run_hybrids(
    model: Auditable,
    pairs: Sequence[Pair],
    asked: Sequence[Mapping[str, Sequence[Written]]],
    tokens_at_once: int,
) -> list[dict[str, HybridEffects]]:
    """Run every distinct hybrid of every pair once, and say share by share how it changes the
    prediction.

    A hybrid that equals one of the two texts, because nothing or everything that differs moved, is
    not run.
    """
    known = [
        {pair.receiver.written: pair.receiver.logits, pair.donor.written: pair.donor.logits}
        for pair in pairs
    ]
    distinct = [{words for each in one.values() for words in each} for one in asked]
    missing = [
        (i, words) for i, one in enumerate(distinct) for words in sorted(one - known[i].keys())
    ]
    # The receiver's text carries the query of both.
    texts = [(pairs[i].receiver.text, words) for i, words in missing]
    for (i, words), logits in zip(
        missing, answers(model, texts, tokens_at_once) if texts else (), strict=True
    ):
        known[i][words] = logits
    return [_moves(*one) for one in zip(pairs, asked, known, strict=True)]


def _moves(
    pair: Pair,
    asked: Mapping[str, Sequence[Written]],
    known: Mapping[Written, Float[Array, " L"]],
) -> dict[str, HybridEffects]:
    logits = np.stack([*known.values()])
    margins = pair.margins(logits)
    there = ~np.isnan(margins)
    flips = np.where(there, decision(logits) == pair.decided[0], np.nan)
    lead = np.where(there, leads(logits), np.nan)
    rows = {words: row for row, words in enumerate(known)}
    before, after = rows[pair.receiver.written], rows[pair.donor.written]
    out: dict[str, HybridEffects] = {}
    for name, each in asked.items():
        at = [rows[words] for words in each]
        moved = margins[after] - margins[at] if "taken" in name else margins[at] - margins[before]
        out[name] = HybridEffects(np.clip(moved, -pair.whole, pair.whole), flips[at], lead[at])
    return out


def leads(logits: Float[Array, "N L"]) -> Float[Array, " N"]:
    """Difference between the two largest logits; a single logit is compared with zero."""
    ordered = np.sort(against_zero(logits), axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(ordered[:, -1] - ordered[:, -2])


def against_zero(logits: Float[Array, "N L"]) -> Float[Array, "N C"]:
    """Add a logit of 0 where a single logit stands for two classes."""
    return (
        np.concatenate([np.zeros_like(logits), logits], axis=1) if logits.shape[1] == 1 else logits
    )
