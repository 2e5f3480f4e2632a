"""Does removing the highlighted words change the answer? By deletion and by replacement, for every map (SL-301)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.maths import pieces
from sightline.maths.ties import faded, settled
from sightline.measures.arrays import WHY, decided, predicted_probability, to_numpy, with_reasons
from sightline.measures.hybrids import Bag, answers, chunks, crossed, share_of
from sightline.measures.importance import TOKENS_AT_ONCE, odds_of
from sightline.measures.maps import Maps, rivals
from sightline.measures.variants import at_once, run_variants
from sightline.measures.words import Words
from sightline.questions import Reduction
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Arrays, Subject, Trace

Array = np.ndarray
MOST = "signed_deletion"
"""The map whose order stands for the most that removing words can do."""


@dataclass(frozen=True)
class Removals:
    """Sets of words to remove: of which text of the batch, and which of its words. No set is there twice."""

    row: Int[Array, " M"]
    gone: Bool[Array, "M W"]


@dataclass(frozen=True)
class Erasure:
    """Drop of the log-odds of the decided class when the top words of a map are removed, averaged over shares.

    ``deleted`` makes the text shorter, ``replaced`` puts words of other audited texts in their place. Beside each map
    stand as many words at random (``random``) and words in the order of what deleting each alone does (``most``), so
    that a drop can be read as a share of what removing words can do. ``area`` and ``floor`` are the published number,
    of attention and of random words: the drop of the probability under deletion.
    """

    shares: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.5)
    draws: int = 5
    tokens_at_once: int = TOKENS_AT_ONCE
    gradient: Reduction = "input"
    code: str = "erasure"
    needs: frozenset[str] = frozenset()
    paper: str = "DeYoung et al. 2020, §4.2 (area over the shares 1, 5, 10, 20, 50 %); limits after Edin et al. 2025"

    def on_batch(self, subject: Subject, trace: Trace, seeds: Seeds) -> Arrays:
        """Order the words by every map, remove the first, each distinct set once, and see what the answer loses."""
        maps = Maps(subject, trace, seeds, self.tokens_at_once, self.gradient)
        names, words = rivals(subject), maps.words
        removals, back = _distinct(_gone(self._orders(maps, names), words, self.shares), words.mask.sum(1) > 1)
        left = {
            "deleted": self._deleted(subject, trace, words, removals),
            "replaced": self._replaced(subject, words, removals, trace.logits.shape[1], seeds),
        }
        whole, chosen = to_numpy(trace.logits), decided(trace)
        area = _mean(_chance_lost(whole, left["deleted"], chosen, removals.row), back)
        lost = {kind: _mean(_odds_lost(whole, logits, chosen, removals.row), back) for kind, logits in left.items()}
        known = {name: ~np.isnan(maps[name]).any(axis=1) for name in names}
        out = {"area": area[names.index("attention")], "floor": area[-self.draws :].T, "words": words.mask.sum(1)}
        for kind, drops in lost.items():
            out |= {f"{kind}.{name}": np.where(known[name], drops[i], np.nan) for i, name in enumerate(names)}
            out |= {f"{kind}.most": drops[len(names)], f"{kind}.random": drops[-self.draws :].mean(axis=0)}
        alone = {text.index for text in subject.audited}
        return out | {
            f"{WHY}one word": words.mask.sum(1) < 2,
            f"{WHY}one candidate": np.isposinf(_odds(whole, chosen)),
            f"{WHY}no finite answer": np.isnan(lost["deleted"]).any(axis=0),
            f"{WHY}no other text to take words from": np.array([alone <= {text.index} for text in subject.texts]),
            f"{WHY}no finite answer with other words": np.isnan(lost["replaced"]).any(axis=0),
            f"{WHY}no scores for the text": ~known.get("given", np.ones(len(whole), dtype=bool)),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts from which nothing can be removed, and those whose answer has no log-odds."""
        values, undefined = with_reasons(arrays)
        settings = {"shares": list(self.shares), "draws": self.draws, "gradient": self.gradient}
        return Measurement(self.code, values, undefined, settings)

    def _orders(self, maps: Maps, names: Sequence[str]) -> Int[Array, "O B W"]:
        """Order the words of each text: by each map, by the most there is to lose, and at random ``draws`` times."""
        mask = maps.words.mask
        keys = _keys(mask, maps.words.index, self.draws + 1, maps.seeds)
        by_map = [faded(np.nan_to_num(maps[name]), mask) for name in names]  # what cannot be seen has no order
        by_map.append(settled(np.nan_to_num(maps[MOST]), mask))
        # Ties at random; what is no word comes last.
        ordered = [np.lexsort((keys[0], np.where(mask, -values, np.inf)), axis=1) for values in by_map]
        return np.stack([*ordered, *(np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys[1:])])

    def _deleted(self, subject: Subject, trace: Trace, words: Words, removals: Removals) -> Float[Array, "M L"]:
        """Run the texts again without the words."""
        place, real = words.place[removals.row], to_numpy(trace.batch.mask)[removals.row]
        kept = pieces.kept(removals.gone, place) & real
        out = np.full((len(kept), trace.logits.shape[1]), np.nan)
        beside = 0 if trace.batch.query_ids is None else trace.batch.query_ids.shape[1]
        for some in chunks(kept.sum(1) + beside, at_once(subject.model, self.tokens_at_once)):
            rows, left = (torch.from_numpy(one[some]).to(trace.batch.ids.device) for one in (removals.row, kept))
            out[some] = to_numpy(run_variants(subject.model, trace.batch.rows(rows).keep(left)).logits)
        return out

    def _replaced(
        self, subject: Subject, words: Words, removals: Removals, classes: int, seeds: Seeds
    ) -> Float[Array, "M L"]:
        """Run the texts again with other words in the places of these: one for each place, whatever the order."""
        bag = Bag.of(subject.audited)
        others = [bag.drawn(text, seeds.generator("other words", text.index)) for text in subject.texts]
        found, able = [], []
        for i, (row, gone) in enumerate(zip(removals.row, removals.gone, strict=True)):
            if others[row]:
                text, places = subject.texts[row], np.flatnonzero(gone[words.mask[row]])
                found.append((text, crossed(others[row], text.tokens, places.tolist())))
                able.append(i)
        out = np.full((len(removals.row), classes), np.nan)
        if found:
            out[able] = answers(subject.model, found, self.tokens_at_once)
        return out


def removed_count(length: Int[Array, " B"], share: float) -> Int[Array, " B"]:
    """How many words a share is, but never all."""
    return np.asarray(np.minimum(share_of(length, share), np.maximum(length - 1, 0)))


def _gone(orders: Int[Array, "O B W"], words: Words, shares: Sequence[float]) -> Bool[Array, "O S B W"]:
    """Mark the first words of each order, a set for each share."""
    counts = np.stack([removed_count(words.mask.sum(1), share) for share in shares])
    first = np.arange(orders.shape[2]) < counts[..., None]
    out = np.zeros((len(orders), *first.shape), dtype=bool)
    np.put_along_axis(out, np.broadcast_to(orders[:, None], out.shape), np.broadcast_to(first, out.shape), axis=-1)
    return out


def _distinct(gone: Bool[Array, "O S B W"], several: Bool[Array, " B"]) -> tuple[Removals, Int[Array, "O S B"]]:
    """List each set of words once, and say for each order, share and text which of them it is (−1: none)."""
    back = np.full(gone.shape[:3], -1)
    rows: list[int] = []
    sets: list[Array] = []
    for row in np.flatnonzero(several):
        found, inverse = np.unique(gone[:, :, row].reshape(-1, gone.shape[3]), axis=0, return_inverse=True)
        back[:, :, row] = len(rows) + inverse.reshape(gone.shape[:2])
        rows += [int(row)] * len(found)
        sets += [*found]
    return Removals(np.array(rows, dtype=np.int64), np.array(sets, dtype=bool).reshape(-1, gone.shape[3])), back


def _mean(lost: Float[Array, " M"], back: Int[Array, "O S B"]) -> Float[Array, "O B"]:
    """Average over the shares what each set of words costs; NaN where there is no set, or it has no number."""
    known = np.append(np.where(np.isfinite(lost), lost, np.nan), np.nan)  # −1 finds the last
    return np.asarray(known[back].mean(axis=1))


def _odds(logits: Float[Array, "M L"], chosen: Int[Array, " M"]) -> Float[Array, " M"]:
    return odds_of(torch.from_numpy(logits), chosen)


def _odds_lost(
    whole: Float[Array, "B L"], left: Float[Array, "M L"], chosen: Int[Array, " B"], row: Int[Array, " M"]
) -> Float[Array, " M"]:
    """What the log-odds of the decided class lose; NaN where there is no other class."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞: the only candidate
        return np.asarray(_odds(whole, chosen)[row] - _odds(left, chosen[row]))


def _chance_lost(
    whole: Float[Array, "B L"], left: Float[Array, "M L"], chosen: Int[Array, " B"], row: Int[Array, " M"]
) -> Float[Array, " M"]:
    """What the probability of the decided class loses."""
    return np.asarray(predicted_probability(whole, chosen)[row] - predicted_probability(left, chosen[row]))


def _keys(mask: Bool[Array, "B W"], index: Int[Array, " B"], draws: int, seeds: Seeds) -> Float[Array, "R B W"]:
    out = np.zeros((draws, *mask.shape))
    for row, real in enumerate(mask):
        out[:, row, real] = seeds.generator("erasure", int(index[row])).random((draws, int(real.sum())))
    return out
