"""Does removing the highlighted words change the output? By deletion and by replacement, for every
map (SL-301).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import Reduction
from sightline.core.needs import UNANSWERED
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement, Values
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.batch_words import Words
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.log_odds_bounds import (
    LAST,
    LOST,
    bounded,
    classes_of,
    flipped,
    odds_of_all,
)
from sightline.measures.removal_curves import (
    FEW_DRAWS,
    Removals,
    answers_without,
    by_name,
    chance_gone,
    distinct,
    first_words,
    odds,
    odds_gone,
    of_sets,
    orders_of,
    run_once,
)
from sightline.measures.trace_arrays import WHY, decided, with_reasons
from sightline.measures.transfer.hybrid_texts import WordPool, Written, answers, crossed
from sightline.numerics.tensors import to_numpy

_SET = MEASURES["erasure"].settings
DELETED, REPLACED = "erasure, deleted", "erasure, replaced"
"""The names under which an audit keeps its outputs, for deleted and for replaced words."""
Array = np.ndarray


@dataclass(frozen=True)
class Removal:
    """Drop of the log-odds of the predicted class when the top words of a map are removed, averaged
    over shares.

    ``deleted`` shortens the text; ``replaced`` puts words of other audited texts in their place.
    Each map is compared with as many random words (``random``), and with words in the order of what
    deleting each alone does (``most``). So a drop is a share of what removing words can do.
    ``area`` and ``floor`` are the published number, for attention and for random words: the drop of
    the probability under deletion.

    The top words alone are also removed, from the whole text and from the text without the next
    words where the prediction survives without these, because either of two words can be enough.
    The next words go up to the share ``among``, one of the shares. Without ``rivals_too`` only this
    is measured for other maps, because the most that top words can do is taken over all maps, or
    over those in ``others``.

    ``alone`` is the class that the model predicts of one random word of the text: what it says
    without evidence.

    In a text with more than ``candidates`` words, so many are drawn. Shares are shares of these, and
    attention, random words and ``most`` all choose among them. If a model then runs each shortened
    text by itself, `FEW_DRAWS` of the random orders are taken of every text.
    """

    shares: tuple[float, ...] = tuple(_SET["shares"])
    draws: int = _SET["draws"]
    among: float = _SET["among"]
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    rivals_too: bool = True
    others: tuple[str, ...] | None = None
    candidates: int | None = None
    code: str = "erasure"
    needs: frozenset[str] = NEEDS["erasure"]
    paper: str = PAPERS["erasure"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Order the words by every map, remove the first words, each distinct set once, and compare
        the outputs.
        """
        maps = AttributionMaps(
            subject, trace, seeds, self.tokens_at_once, self.gradient, self.candidates
        )
        names, words = rivals(subject, self.others), maps.words
        orders, several = orders_of(maps, names, self.draws), words.mask.sum(1) > 1
        first = first_words(orders, maps.candidates, self.shares)
        at = self.shares.index(self.among)
        next_words, but_one = first[:, [at]] & ~first[:, [0]], _all_but_one(orders[-1], words)
        rest, back_to_rest = distinct(np.concatenate([next_words, but_one]), several)
        shown = names if self.rivals_too else ("attention",)
        rows = [*map(names.index, shown), *range(len(names), len(first))]
        removals, back = distinct(_few_of_others(first, rows, {0, at}), several)
        exchanged, back_exchanged = (
            (removals, back) if self.rivals_too else distinct(first[rows], several)
        )

        def without(gone: Removals) -> Float[Array, "M L"]:
            return answers_without(subject, trace, words, gone, self.tokens_at_once)

        def with_others(gone: Removals) -> Float[Array, "M L"]:
            return self._replaced(subject, words, gone, trace.logits.shape[1], seeds)

        # Other maps come after attention: what was asked before them is asked again with them.
        keeps = not self.rivals_too
        without_rest = run_once(subject, DELETED, rest, words.mask, without, keeps=keeps)
        whole, chosen = to_numpy(trace.logits), decided(trace)
        deleted = run_once(subject, DELETED, removals, words.mask, without, keeps=keeps)
        replaced = run_once(subject, REPLACED, exchanged, words.mask, with_others, keeps=keeps)
        predicted = of_sets(classes_of(without_rest), back_to_rest)
        alone, back_to_rest = predicted[-1, 0], back_to_rest[:-1]
        area = of_sets(chance_gone(whole, deleted, chosen, removals.row), back).mean(axis=1)
        known = {name: ~(np.isnan(maps[name]) & maps.candidates).any(axis=1) for name in names}
        out: dict[str, Values] = {
            "area": area[names.index("attention")],
            "floor": area[-self.draws :].T,
            "alone": alone,
            "words": words.mask.sum(1),
            "odds": odds_of_all(whole),
            "chosen": chosen,
        }
        drops = of_sets(odds_gone(whole, deleted, chosen, removals.row), back)
        drops_exchanged = of_sets(odds_gone(whole, replaced, chosen, exchanged.row), back_exchanged)
        flips = of_sets(flipped(deleted, chosen, removals.row), back)
        flips_exchanged = of_sets(flipped(replaced, chosen, exchanged.row), back_exchanged)
        known_shown = {name: known[name] for name in shown}
        out |= self._curves("deleted", drops[rows], flips[rows], known_shown)
        out |= self._curves("replaced", drops_exchanged, flips_exchanged, known_shown)
        for name, curve in by_name(drops, known, self.draws).items():
            if name in known and name not in shown:
                out[f"{LOST}top.{name}"] = curve[:, :1]
        by_rest = of_sets(odds_gone(whole, without_rest, chosen, rest.row), back_to_rest)
        # A word that is read only once the cue is gone decides nothing while the cue is there.
        changed = ~np.isnan(predicted[:-1]) & (predicted[:-1] != chosen)
        last = np.where(changed, 0.0, drops[:, [at]] - by_rest)
        for name, one in by_name(last, known, self.draws, apart=True).items():
            out[f"{LAST}{name}"] = one[:, 0]
        shortened = _silent(drops) | _silent(by_rest) | np.isnan(alone)
        scored = known.get("given", np.ones(len(whole), dtype=bool))
        silent = shortened, _silent(drops_exchanged)
        return out | _reasons(subject, words, odds(whole, chosen), silent, scored)

    def _curves(
        self,
        kind: str,
        lost: Float[Array, "O S B"],
        changed: Float[Array, "O S B"],
        known: Mapping[str, Bool[Array, " B"]],
    ) -> dict[str, Values]:
        """Name what texts lose by one kind of removal, and how often predictions flip."""
        curves = by_name(lost, known, self.draws, apart=True)
        flips = by_name(changed, known, self.draws)
        return {f"{LOST}{kind}.{name}": curve for name, curve in curves.items()} | {
            f"flips.{kind}.{name}": curve.mean(axis=1) for name, curve in flips.items()
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Clip what each text loses, and count the texts whose words cannot be removed or whose
        log-odds are infinite.
        """
        values, undefined = with_reasons(bounded(arrays))
        settings = {
            "shares": list(self.shares),
            "draws": self.draws,
            "among": self.among,
            "gradient": self.gradient,
        }
        if self.candidates is not None:
            settings |= {"candidates": self.candidates, "few_draws": FEW_DRAWS}
        return Measurement(self.code, values, undefined, settings)

    def _replaced(
        self, subject: MeasureContext, words: Words, removals: Removals, classes: int, seeds: Seeds
    ) -> Float[Array, "M L"]:
        """Run the texts with other words in the place of the removed ones: each place always gets
        the same word.
        """
        bag = WordPool.of(subject.audited)
        others = [
            bag.drawn(text, seeds.generator("other words", text.index)) for text in subject.texts
        ]
        own = [*map(Written.of, subject.texts)]
        found, able = [], []
        for i, (row, gone) in enumerate(zip(removals.row, removals.gone, strict=True)):
            if (other := others[row]) is not None:
                places = np.flatnonzero(gone[words.mask[row]]).tolist()
                found.append((subject.texts[row], crossed(other, own[row], places)))
                able.append(i)
        out = np.full((len(removals.row), classes), np.nan)
        if found:
            out[able] = answers(subject.model, found, self.tokens_at_once)
        return out


def _reasons(
    subject: MeasureContext,
    words: Words,
    whole_odds: Float[Array, " N"],
    silent: tuple[Bool[Array, " N"], Bool[Array, " N"]],
    scored: Bool[Array, " N"],
) -> dict[str, Values]:
    """Mark the texts without a finite answer to one of their changed forms, and, by reason, the
    texts whose numbers are undefined; ``silent`` is of shortened texts and of replaced words.
    """
    shortened, replaced = silent
    one_word, certain = words.mask.sum(1) < 2, np.isposinf(whole_odds)
    alone = {text.index for text in subject.audited}
    no_others = np.array([alone <= {text.index} for text in subject.texts])
    unanswered = (shortened | (replaced & ~no_others)) & ~one_word & ~certain
    return {
        "unanswered": unanswered.astype(float),
        f"{WHY}one word": one_word,
        f"{WHY}one candidate": certain,
        f"{WHY}no other text to take words from": no_others,
        f"{WHY}{UNANSWERED}": unanswered,
        f"{WHY}no scores for the text": ~scored,
    }


def _silent(effects: Float[Array, "O S B"]) -> Bool[Array, " B"]:
    """Mark the texts with no finite answer to some set of removed words."""
    return np.asarray(np.isnan(effects).any(axis=(0, 1)))


def _all_but_one(order: Int[Array, "B W"], words: Words) -> Bool[Array, "1 1 B W"]:
    """Remove all words of each text but the first of an order."""
    gone = words.mask.copy()
    np.put_along_axis(gone, order[:, :1], False, axis=1)
    return gone[None, None]


def _few_of_others(
    first: Bool[Array, "O S B W"], whole: Sequence[int], shares: Collection[int]
) -> Bool[Array, "O S B W"]:
    """Keep only ``shares`` of the orders that are not in ``whole``; their other shares repeat the
    first, so that no set runs twice.
    """
    out = first.copy()
    for order in set(range(len(first))) - {*whole}:
        for share in set(range(first.shape[1])) - {*shares}:
            out[order, share] = out[order, 0]
    return out
