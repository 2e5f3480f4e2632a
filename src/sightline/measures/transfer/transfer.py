"""Do the highlighted words carry the decision with them? Moved into a text that was decided
otherwise (SL-303).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import Reduction
from sightline.config.measure_settings import SETTINGS
from sightline.core.example import Example
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.batch_words import types_of, words_of
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.trace_arrays import (
    WHY,
    cluster_of,
    decided,
    of_words,
    ragged,
    to_numpy,
    with_reasons,
)
from sightline.measures.transfer.donor_pairs import DonorTexts, able, donors, halves, partners
from sightline.measures.transfer.hybrid_texts import rewritten
from sightline.measures.transfer.word_presence import highlighted, presence
from sightline.measures.transfer.word_swaps import (
    Moves,
    Orders,
    Pair,
    Seen,
    by_chance,
    carried,
    leads,
    orders,
)

_SET = SETTINGS["transplant"]
Array = np.ndarray


@dataclass(frozen=True)
class TransferPairs:
    """What the survey leaves, by row of the audited texts: who gives to whom, and what the model
    made of these.

    ``row`` finds a text by its index; ``why`` says of each reason which texts it keeps from giving.
    ``reach`` is the lead of the largest logit that all but a hundredth of the texts keep below, and
    ``present`` what `presence` says.
    """

    row: Mapping[int, int]
    half: Bool[Array, " N"]
    weight: Float[Array, " N"]
    partner: Int[Array, "N K"]
    why: Mapping[str, Bool[Array, " N"]]
    logits: Float[Array, "N L"]
    orders: Mapping[int, Orders]
    reach: float
    present: Mapping[str, Float[Array, "N K"]]

    def seen(self, text: Example) -> Seen:
        """Say what the model made of a text that takes part."""
        row = self.row[text.index]
        return Seen(text, self.logits[row], self.orders[row])


@dataclass(frozen=True)
class Transfer:
    """How far the top words of two texts, moved from one into the other, take the decision with
    them.

    A donor x predicted A, a receiver y of nearly its length predicted B: y with the words of x at
    every position that is among the top words of either. ``carried`` is what that does to the
    margin ``s_A − s_B``, ``random`` what as many random positions do, and ``whole`` what all words
    do; each is summed over the shares. No hybrid counts for more than ``whole`` does
    (docs/decisions/0094-bounded-transfer.md). A model that reads queries is asked that of the
    receiver, and the donor is x's words under it.

    Of the same hybrids: ``flipped``, at how many shares the prediction becomes A; ``within``, the
    share of a donor's hybrids that stay in the range of the texts as they are. ``own`` adds up what
    the donor's top words do by themselves: put into the receiver, and replaced by the receiver's
    words in the donor; ``right`` says of each donor whether that is at least half of what it could
    be. ``present`` moves nothing (`presence`). Without ``rivals_too`` attention alone is asked; of
    other maps those of ``others``, where these are named.
    """

    shares: tuple[float, ...] = tuple(_SET["shares"])
    own: tuple[float, ...] = tuple(_SET["own"])
    donors: int = _SET["donors"]
    fewest: int = _SET["fewest"]
    partners: int = _SET["partners"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    rivals_too: bool = True
    others: tuple[str, ...] | None = None
    code: str = "transplant"
    needs: frozenset[str] = NEEDS["transplant"]
    surveys: Survey = _SET["surveys"]
    paper: str = PAPERS["transplant"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Keep what pairs are drawn by, the logits, and every map that the model can give."""
        return {
            "index": np.array([text.index for text in subject.texts]),
            "cluster": np.array([cluster_of(text) for text in subject.texts]),
            "decided": decided(trace),
            "logits": to_numpy(trace.logits),
            "types": ragged_types(subject, trace),
            **self._maps(subject, trace, seeds),
        }

    def learn(self, arrays: Arrays, seeds: Seeds) -> TransferPairs:
        """Draw halves, donors and partners, and order the words of those that take part."""
        index, cluster, classes, logits = (
            np.asarray(arrays[n]) for n in ("index", "cluster", "decided", "logits")
        )
        types = of_words(arrays["types"])
        maps = {
            name: value
            for name, value in arrays.items()
            if isinstance(value, Ragged) and name != "types"
        }
        words = next(iter(maps.values())).lengths
        finite = np.isfinite(logits.max(axis=1))  # the logit that decides; NaN where any is
        texts = DonorTexts(index, words, classes, (words > 1) & finite)
        half = halves(cluster, seeds)
        giving = able(texts, half)
        of_each = max(self.fewest, self.donors // len(np.unique(classes)))
        weight = donors(texts, giving, of_each, seeds)
        partner = partners(texts, half, weight, self.partners, seeds)
        rows = {name: value.rows() for name, value in maps.items()}
        taking = np.unique(np.concatenate([np.flatnonzero(weight), partner[partner >= 0]]))
        why = {
            "one word": words < 2,
            "no finite answer": ~finite,
            "no text decided otherwise": ~giving,
            "not drawn as a donor": weight == 0,
        }
        ordered = {
            int(i): orders({n: each[i] for n, each in rows.items()}, int(index[i]), seeds)
            for i in taking
        }
        there = presence(
            types.rows(), highlighted(types.rows(), rows, index, seeds), classes, half, partner
        )
        leading = leads(logits[finite]) if finite.any() else np.zeros(1)
        reach = (
            float(np.quantile(leading[np.isfinite(leading)], REACHED))
            if np.isfinite(leading).any()
            else np.inf
        )
        return TransferPairs(
            {int(one): i for i, one in enumerate(index)},
            half, weight, partner, why, logits, ordered, reach, there,
        )  # fmt: skip

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Move words between the donors of a batch and their partners."""
        drawn: TransferPairs = subject.learned
        rows = np.array([drawn.row[text.index] for text in subject.texts])
        found = self._pairs(subject, drawn, rows, seeds)
        alike = {place[0] for place, pair in found.items() if pair.decided[0] == pair.decided[1]}
        pairs = {
            at: one
            for at, one in found.items()
            if one.decided[0] != one.decided[1] and np.isfinite(one.whole)
        }
        quantities = self._measured(subject, pairs, len(rows), seeds)
        lost = np.isnan(quantities["whole"]).all(axis=1)
        return {
            "half": drawn.half[rows],
            "weight": drawn.weight[rows],
            "partner": drawn.partner[rows],
            **quantities,
            **{
                f"present.{name}": np.where(np.isnan(quantities["whole"]), np.nan, one[rows])
                for name, one in drawn.present.items()
            },
            **{f"{WHY}{reason}": applies[rows] for reason, applies in drawn.why.items()},
            f"{WHY}decided alike under the other query": lost
            & np.isin(np.arange(len(rows)), list(alike)),
            f"{WHY}an answer that the other text does not allow": lost,
            f"{WHY}no scores for the text": ~lost,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts that gave nothing, and why."""
        values, undefined = with_reasons(arrays)
        settings = {
            "shares": list(self.shares),
            "own": list(self.own),
            "donors": self.donors,
            "fewest": self.fewest,
        }
        settings |= {"partners": self.partners, "gradient": self.gradient}
        return Measurement(self.code, values, undefined, settings)

    def names(self, subject: MeasureContext) -> tuple[str, ...]:
        """Name the maps whose words are moved."""
        return rivals(subject, self.others) if self.rivals_too else ("attention",)

    def _maps(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> dict[str, Ragged]:
        maps = AttributionMaps(subject, trace, seeds, self.tokens_at_once, self.gradient)
        return {name: ragged(maps[name], maps.words.mask) for name in self.names(subject)}

    def _pairs(
        self, subject: MeasureContext, drawn: TransferPairs, rows: Int[Array, " B"], seeds: Seeds
    ) -> dict[tuple[int, int], Pair]:
        """Bring donors and receivers together, by row of the batch and partner."""
        places = [
            (b, k)
            for b, row in enumerate(rows)
            for k in range(self.partners)
            if drawn.partner[row, k] >= 0
        ]
        giving = [subject.texts[b] for b, _ in places]
        receivers = [drawn.seen(subject.audited[drawn.partner[rows[b], k]]) for b, k in places]
        asked = any(text.query is not None for text in giving)
        given = self._asked(subject, giving, receivers, seeds) if asked else map(drawn.seen, giving)
        return {place: Pair(x, y) for place, x, y in zip(places, given, receivers, strict=True)}

    def _asked(
        self,
        subject: MeasureContext,
        giving: Sequence[Example],
        receivers: Sequence[Seen],
        seeds: Seeds,
    ) -> list[Seen]:
        """Ask the receiver's query of each donor's words: a text of its own, with an answer and
        maps of its own.
        """
        texts = tuple(
            replace(rewritten(x, x.tokens), query=y.text.query, candidates=y.text.candidates)
            for x, y in zip(giving, receivers, strict=True)
        )
        trace = subject.model.trace(subject.model.collate(texts))
        rows = {
            n: one.rows()
            for n, one in self._maps(replace(subject, texts=texts, shared={}), trace, seeds).items()
        }
        return [
            Seen(
                text,
                logits,
                orders({name: each[i] for name, each in rows.items()}, text.index, seeds),
            )
            for i, (text, logits) in enumerate(zip(texts, to_numpy(trace.logits), strict=True))
        ]

    def _measured(
        self,
        subject: MeasureContext,
        pairs: Mapping[tuple[int, int], Pair],
        texts: int,
        seeds: Seeds,
    ) -> dict[str, Float[Array, "B K"]]:
        names = self.names(subject)
        kinds = [kind for one in COUNTED for kind in (one, by_chance(one))]
        out = {
            name: np.full((texts, self.partners), np.nan)
            for name in ("whole", "beyond", *(f"{kind}.{name}" for kind in kinds for name in names))
        }
        asked = [pair.hybrids(names, self.shares, self.own, seeds) for pair in pairs.values()]
        reach = subject.learned.reach
        found = carried(subject.model, list(pairs.values()), asked, self.tokens_at_once, reach)
        for (place, pair), moves in zip(pairs.items(), found, strict=True):
            out["whole"][place] = sum(pair.whole for _ in self.shares)
            for name, value in numbers(moves).items():
                out[name][place] = value
        room = out["whole"] * len(self.own) / len(self.shares)
        out["within"] = 1 - mean_of_known(out.pop("beyond"))
        for name in names:
            out[f"right.{name}"] = right(out[f"own.{name}"], out[f"random_own.{name}"], room)
        return out


COUNTED = ("carried", "flipped", "own")
"""What is counted of each map, and of as many random positions."""
REACHED: float = _SET["reached"]
"""Share of the texts whose lead says how far the predictions of a model reach."""
RIGHT: float = _SET["right"]
"""What the top words of a text must do by themselves, of what they could, for its map to be
right."""


def numbers(moves: Mapping[str, Moves]) -> dict[str, float]:
    """Sum up what the hybrids of one pair did."""
    sums = {key: float(one.margin.sum()) for key, one in moves.items()}
    watched = [one.beyond for key, one in moves.items() if key in WATCHED]
    out = {"beyond": float(np.mean(watched)) if watched else np.nan}
    for name in {key.split(".", 1)[1] for key in moves}:
        for chance in (False, True):
            carried_, flipped, own, given, taken = (
                f"{by_chance(kind) if chance else kind}.{name}"
                for kind in ("carried", "flipped", "own", "given", "taken")
            )
            out[carried_] = sums[carried_]
            out[flipped] = float(moves[carried_].flipped.sum())
            out[own] = sums[given] + sums[taken]
    return out


WATCHED = ("carried.attention", "random.attention")
"""The hybrids that say whether a model leaves its range."""


def right(
    own: Float[Array, "N K"], chance: Float[Array, "N K"], room: Float[Array, "N K"]
) -> Float[Array, " N"]:
    """Say of each donor whether its top words do half of what they could by themselves; NaN where
    it has no pair.
    """
    known = ~np.isnan(own + chance + room)
    top, bottom = (
        np.where(known, one, 0.0).sum(axis=1) for one in (own - chance, room - chance / 2)
    )
    return np.where(known.any(axis=1), top >= RIGHT * bottom, np.nan)


def mean_of_known(values: Float[Array, "N K"]) -> Float[Array, " N"]:
    """Average the numbers of each row that are known; NaN where none is."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0))


def ragged_types(subject: MeasureContext, trace: Trace) -> Ragged:
    """Number the words of each text by how they are written."""
    words = words_of(trace)
    return Ragged(types_of(subject.texts, words, trace), words.mask.sum(axis=1))
