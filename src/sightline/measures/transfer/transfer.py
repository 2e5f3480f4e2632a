"""Do the highlighted words take the prediction with them into a text of another class? (SL-303)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.measures.moved_word_rows import donors_of_each
from sightline.config.word_maps import Reduction
from sightline.core.example import Example
from sightline.core.needs import SAME_UNDER_QUERY, UNANSWERED
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.batch_words import types_of, words_of
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.trace_arrays import WHY, cluster_of, decided, of_words, ragged, with_reasons
from sightline.measures.transfer.donor_pairs import (
    DonorTexts,
    donors,
    halves,
    partners,
    possible_donors,
)
from sightline.measures.transfer.hybrid_texts import Written, rewritten
from sightline.measures.transfer.word_presence import highlighted, presence
from sightline.measures.transfer.word_swaps import (
    HybridEffects,
    Orders,
    Pair,
    RankedText,
    by_chance,
    leads,
    orders,
    run_hybrids,
)
from sightline.numerics.known_values import mean_of_known
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["transplant"].settings
Array = np.ndarray


@dataclass(frozen=True)
class TransferPairs:
    """What the survey learns, by row of the audited texts: donors, their receivers, and the model's
    logits and word orders.

    ``row`` maps a text index to its row; ``why`` marks, for each reason, the texts that cannot be
    donors. ``reach`` is the lead of the largest logit that only a hundredth of the texts exceed,
    and ``present`` is the result of `presence`.
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

    def seen(self, text: Example) -> RankedText:
        """Give the logits and the word orders of a text that takes part."""
        row = self.row[text.index]
        return RankedText(text, self.logits[row], self.orders[row])


@dataclass(frozen=True)
class Transfer:
    """How far the top words of two texts take the prediction with them, moved from one into the
    other.

    The donor x is predicted as A, the receiver y of similar length as B. A hybrid is y with the
    words of x at every position that is among the top words of either text. ``carried`` is the
    resulting change of the margin ``s_A − s_B``, ``random`` the change by as many random positions,
    and ``whole`` the change by all words; each is summed over the shares. No hybrid counts more
    than ``whole`` (docs/decisions/0094-a-verdict-that-withstands-cheating.md). If the model reads
    queries, it gets the receiver's query, and the donor is x's words under that query. Where these
    get the receiver's prediction, nothing is moved: ``same`` marks such pairs.

    From the same hybrids: ``flipped`` counts the shares at which the prediction becomes A;
    ``within`` is the share of a donor's hybrids that stay in the model's usual range. ``own`` adds
    up what the donor's top words do by themselves: put into the receiver, and replaced by the
    receiver's words in the donor. ``right`` says for each donor whether that is at least half of
    what it could be. ``present`` moves no words (`presence`). Without ``rivals_too`` only attention
    is tested; with ``others``, only attention and these.
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
        """Keep what pairs are drawn from, the logits, and every map that the model allows."""
        return {
            "index": np.array([text.index for text in subject.texts]),
            "cluster": np.array([cluster_of(text) for text in subject.texts]),
            "decided": decided(trace),
            "logits": to_numpy(trace.logits),
            "types": ragged_types(subject, trace),
            **self._maps(subject, trace, seeds),
        }

    def learn(self, arrays: Arrays, seeds: Seeds) -> TransferPairs:
        """Draw halves, donors and receivers, and order the words of the texts that take part."""
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
        finite = np.isfinite(logits.max(axis=1))  # the largest logit; NaN where any is NaN
        texts = DonorTexts(index, words, classes, (words > 1) & finite)
        half = halves(cluster, seeds)
        giving = possible_donors(texts, half)
        of_each = donors_of_each(self.donors, self.fewest, len(np.unique(classes[finite])))
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
            types.rows(),
            highlighted(types.rows(), rows, index, seeds),
            classes,
            half,
            partner,
            finite,
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
        """Move words between the donors of a batch and their receivers."""
        drawn: TransferPairs = subject.learned
        rows = np.array([drawn.row[text.index] for text in subject.texts])
        found = self._pairs(subject, drawn, rows, seeds)
        same = np.zeros((len(rows), self.partners), dtype=bool)
        for place, pair in found.items():
            same[place] = pair.decided[0] == pair.decided[1]
        pairs = {at: one for at, one in found.items() if not same[at] and np.isfinite(one.whole)}
        quantities = self._measured(subject, pairs, len(rows), seeds)
        lost = np.isnan(quantities["whole"]).all(axis=1)
        return {
            "half": drawn.half[rows],
            "weight": drawn.weight[rows],
            "partner": drawn.partner[rows],
            "same": same,
            **quantities,
            **{
                f"present.{name}": np.where(np.isnan(quantities["whole"]), np.nan, one[rows])
                for name, one in drawn.present.items()
            },
            **{f"{WHY}{reason}": applies[rows] for reason, applies in drawn.why.items()},
            f"{WHY}{SAME_UNDER_QUERY}": lost & same.any(axis=1),
            f"{WHY}an answer that the other text does not allow": lost,
            f"{WHY}{UNANSWERED}": quantities["unanswered"] > 0,
            f"{WHY}no scores for the text": ~lost,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts that were no donors, and why."""
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
        """Combine donors and receivers, by row of the batch and number of the receiver."""
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
        receivers: Sequence[RankedText],
        seeds: Seeds,
    ) -> list[RankedText]:
        """Run each donor's words under the receiver's query: a new text, with its own logits and
        maps.
        """
        texts = tuple(
            replace(
                rewritten(x, Written.of(x)),
                query=y.text.query,
                query_text=y.text.query_text,
                candidates=y.text.candidates,
            )
            for x, y in zip(giving, receivers, strict=True)
        )
        trace = subject.model.trace(subject.model.collate(texts))
        rows = {
            n: one.rows()
            for n, one in self._maps(replace(subject, texts=texts, shared={}), trace, seeds).items()
        }
        return [
            RankedText(
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
            for name in (
                "whole",
                "beyond",
                "unanswered",
                *(f"{kind}.{name}" for kind in kinds for name in names),
            )
        }
        for place, by_map in self._moved(subject, pairs, seeds).items():
            out["whole"][place] = sum(pairs[place].whole for _ in self.shares)
            out["unanswered"][place] = any(
                math.isnan(value) for done in by_map.values() for value in done.numbers.values()
            )
            for name, done in by_map.items():
                for kind, value in done.numbers.items():
                    out[f"{kind}.{name}"][place] = value
            if WATCHED in by_map:
                leads_of = by_map[WATCHED].leads
                out["beyond"][place] = share_beyond(leads_of, subject.learned.reach)
        room = out["whole"] * len(self.own) / len(self.shares)
        out["within"] = 1 - mean_of_known(out.pop("beyond"))
        out["unanswered"] = (out["unanswered"] > 0).any(axis=1).astype(float)
        for name in names:
            out[f"right.{name}"] = right(out[f"own.{name}"], out[f"random_own.{name}"], room)
        return out

    def _moved(
        self, subject: MeasureContext, pairs: Mapping[tuple[int, int], Pair], seeds: Seeds
    ) -> dict[tuple[int, int], dict[str, MapMoves]]:
        """Move words in every pair; an audit that looks again keeps what they did, and moves those
        of other pairs and maps.
        """
        kept = {} if subject.answered is None else subject.answered.setdefault(self.code, {})
        names = self.names(subject)
        known = {
            place: kept.setdefault((pair.donor.text.index, pair.receiver.text.index), {})
            for place, pair in pairs.items()
        }
        asked = [
            pair.hybrids(
                [name for name in names if name not in known[place]], self.shares, self.own, seeds
            )
            for place, pair in pairs.items()
        ]
        found = run_hybrids(subject.model, list(pairs.values()), asked, self.tokens_at_once)
        for place, moves in zip(pairs, found, strict=True):
            known[place] |= by_map(moves)
        return {
            place: {name: one for name, one in each.items() if name in names}
            for place, each in known.items()
        }


COUNTED = ("carried", "flipped", "own")
"""What is computed for each map, and for as many random positions."""
REACHED: float = _SET["reached"]
"""Quantile of the lead of the largest logit that ends the usual range of a model."""
RIGHT: float = _SET["right"]
"""Share of what the top words of a text could do by themselves that makes its map right."""


@dataclass(frozen=True)
class MapMoves:
    """What the hybrids of one map did in one pair: its numbers, by what is counted, and how sure
    the predictions of the watched hybrids are.
    """

    numbers: Mapping[str, float]
    leads: Float[Array, " _"]


WATCHED = "attention"
"""The map whose hybrids say whether a model leaves its range."""


def by_map(moves: Mapping[str, HybridEffects]) -> dict[str, MapMoves]:
    """Sum up what the hybrids of one pair did, by map."""
    out = {}
    for name in {key.split(".", 1)[1] for key in moves}:
        numbers = dict[str, float]()
        for chance in (False, True):
            carried_, flipped, own, given, taken = (
                by_chance(kind) if chance else kind
                for kind in ("carried", "flipped", "own", "given", "taken")
            )
            sums, (came, went) = (
                moves[f"{carried_}.{name}"],
                (float(moves[f"{kind}.{name}"].margin.sum()) for kind in (given, taken)),
            )
            numbers |= {
                carried_: float(sums.margin.sum()),
                flipped: float(sums.flipped.sum()),
                own: came + went,
            }
        watched = [moves[f"{kind}.{name}"].lead for kind in ("carried", "random")]
        out[name] = MapMoves(numbers, np.concatenate(watched) if name == WATCHED else np.zeros(0))
    return out


def share_beyond(leads: Float[Array, " _"], reach: float) -> float:
    """Give the share of hybrids whose prediction leads by more than those of the texts as they
    are, or that have no finite answer.
    """
    return float(np.mean(np.isnan(leads) | (leads > reach)))


def right(
    own: Float[Array, "N K"], chance: Float[Array, "N K"], room: Float[Array, "N K"]
) -> Float[Array, " N"]:
    """Mark the donors whose top words do half of what they could by themselves; NaN without a
    pair.
    """
    known = ~np.isnan(own + chance + room)
    top, bottom = (
        np.where(known, one, 0.0).sum(axis=1) for one in (own - chance, room - chance / 2)
    )
    return np.where(known.any(axis=1), top >= RIGHT * bottom, np.nan)


def ragged_types(subject: MeasureContext, trace: Trace) -> Ragged:
    """Number the words of each text by their spelling."""
    words = words_of(trace)
    return Ragged(types_of(subject.texts, words, trace), words.mask.sum(axis=1))
