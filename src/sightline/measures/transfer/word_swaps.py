"""Words moved between two texts: which hybrids a pair asks for, and what each does to the margin of
the decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from sightline.config.measure_registry import takes_sides
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.core.seeds import Seeds
from sightline.measures.transfer.hybrid_texts import answers, crossed, ranked, share_of
from sightline.numerics.simplex import decision

Array = np.ndarray
Tokens = tuple[str, ...]
Orders = Mapping[str, Int[Array, " _"] | None]


@dataclass(frozen=True)
class Seen:
    """One text and what the model made of it: its logits, and its words in the order of each map,
    largest first.
    """

    text: Example
    logits: Float[Array, " L"]
    orders: Orders
    _counted: dict[tuple[float, ...], list[int]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def tokens(self) -> Tokens:
        """Its words."""
        return self.text.tokens

    def firsts(self, name: str, shares: Sequence[float]) -> list[set[int]]:
        """Give the positions of the top words of a map, a set for each share."""
        order = self.orders[name]
        assert order is not None  # callers have looked
        places = order.tolist()
        return [set(places[:number]) for number in self._counts(tuple(shares))]

    def _counts(self, shares: tuple[float, ...]) -> list[int]:
        if shares not in self._counted:
            self._counted[shares] = [int(share_of(len(self.tokens), one)) for one in shares]
        return self._counted[shares]


@dataclass(frozen=True)
class Pair:
    """A text that gives words and one that receives them, both under the query of the latter where
    there is one.
    """

    donor: Seen
    receiver: Seen

    @cached_property
    def decided(self) -> tuple[int, int]:
        """The decision of the donor (A), and that of the receiver (B)."""
        ours, theirs = decision(np.stack([self.donor.logits, self.receiver.logits]))
        return int(ours), int(theirs)

    @cached_property
    def whole(self) -> float:
        """What moving every word does to the margin; NaN where an answer of one is no answer to the
        other.
        """
        return self.margin(self.donor.logits) - self.margin(self.receiver.logits)

    def margin(self, logits: Float[Array, " L"]) -> float:
        """Give ``s_A − s_B`` of one text."""
        return float(self.margins(logits[None])[0])

    def margins(self, logits: Float[Array, "N L"]) -> Float[Array, " N"]:
        """Give ``s_A − s_B``; one logit stands against zero."""
        both = against_zero(logits)
        ours, theirs = (both[:, one] for one in self.decided)
        known = np.isfinite(ours) & np.isfinite(theirs)
        return np.asarray(np.subtract(ours, theirs, out=np.full(len(both), np.nan), where=known))

    def hybrids(
        self, names: Sequence[str], shares: Sequence[float], own: Sequence[float], seeds: Seeds
    ) -> dict[str, list[Tokens]]:
        """Write what each quantity asks for, a hybrid a share: by each map, and by as many random
        positions.

        The donor's words come in at the top words of both texts (``carried``). At the shares
        ``own`` its top words alone come into the receiver (``given``), and the receiver's words
        take their places in it (``taken``). A map that is unknown of either text has none. The
        random positions of a pair are nested in one order, so that most of their hybrids serve
        several quantities.
        """
        x, y = self.donor, self.receiver
        stage = f"random words of {x.text.index}"
        shuffled = seeds.generator(stage, y.text.index).permutation(
            max(len(x.tokens), len(y.tokens))
        )

        def moved(
            kind: str, name: str, marked: Sequence[set[int]], giving: Seen = x, taking: Seen = y
        ) -> dict[str, list[Tokens]]:
            drawn = [shuffled[: len(places)].tolist() for places in marked]
            sets = {f"{kind}.{name}": marked, f"{by_chance(kind)}.{name}": drawn}
            return {
                key: [crossed(giving.tokens, taking.tokens, places) for places in each]
                for key, each in sets.items()
            }

        out: dict[str, list[Tokens]] = {}
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
    """Name what as many random positions do."""
    return "random" if kind == "carried" else f"random_{kind}"


def orders(maps: Mapping[str, Float[Array, " W"]], index: int, seeds: Seeds) -> Orders:
    """Order the words of a text by each map, ties by a draw for the text; None where a map is
    unknown.
    """
    keys = seeds.generator("ties", index).random(len(next(iter(maps.values()))))
    return {
        name: None
        if np.isnan(values).any()
        else ranked(values, keys, index, signed=takes_sides(name))
        for name, values in maps.items()
    }


@dataclass(frozen=True)
class Moves:
    """What the hybrids of one quantity did, a number a share.

    ``margin`` is how far each moved the margin of the donor's class, no further than the whole
    donor moves it: a model that leaves its scale on texts that nobody wrote would decide a ratio of
    sums by a few of them. ``flipped`` says whether the prediction became the donor's, which no
    rescaling of the logits can change, and ``lead`` how sure it is (`leads`).
    """

    margin: Float[Array, " S"]
    flipped: Float[Array, " S"]
    lead: Float[Array, " S"]


def carried(
    model: Auditable,
    pairs: Sequence[Pair],
    asked: Sequence[Mapping[str, Sequence[Tokens]]],
    tokens_at_once: int,
) -> list[dict[str, Moves]]:
    """Run every distinct hybrid of every pair once; say share by share what each does to the
    prediction.

    A hybrid that is one of the two texts, because nothing or everything that differs was moved, is
    not run.
    """
    known = [
        {pair.receiver.tokens: pair.receiver.logits, pair.donor.tokens: pair.donor.logits}
        for pair in pairs
    ]
    distinct = [{tokens for each in one.values() for tokens in each} for one in asked]
    missing = [
        (i, tokens) for i, one in enumerate(distinct) for tokens in sorted(one - known[i].keys())
    ]
    # The receiver's text carries the query, which is that of both.
    texts = [(pairs[i].receiver.text, tokens) for i, tokens in missing]
    for (i, tokens), logits in zip(
        missing, answers(model, texts, tokens_at_once) if texts else (), strict=True
    ):
        known[i][tokens] = logits
    return [_moves(*one) for one in zip(pairs, asked, known, strict=True)]


def _moves(
    pair: Pair,
    asked: Mapping[str, Sequence[Tokens]],
    known: Mapping[Tokens, Float[Array, " L"]],
) -> dict[str, Moves]:
    logits = np.stack([*known.values()])
    margins = pair.margins(logits)
    there = ~np.isnan(margins)
    flips = np.where(there, decision(logits) == pair.decided[0], np.nan)
    lead = np.where(there, leads(logits), np.nan)
    rows = {tokens: row for row, tokens in enumerate(known)}
    before, after = rows[pair.receiver.tokens], rows[pair.donor.tokens]
    out: dict[str, Moves] = {}
    for name, each in asked.items():
        at = [rows[tokens] for tokens in each]
        moved = margins[after] - margins[at] if "taken" in name else margins[at] - margins[before]
        out[name] = Moves(np.clip(moved, -pair.whole, pair.whole), flips[at], lead[at])
    return out


def leads(logits: Float[Array, "N L"]) -> Float[Array, " N"]:
    """Say how far the largest logit lies above the second; one logit stands against zero."""
    ordered = np.sort(against_zero(logits), axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(ordered[:, -1] - ordered[:, -2])


def against_zero(logits: Float[Array, "N L"]) -> Float[Array, "N C"]:
    """Give a logit for each of two classes where there is one for both."""
    return (
        np.concatenate([np.zeros_like(logits), logits], axis=1) if logits.shape[1] == 1 else logits
    )
