"""Remove or keep the first words of an order: orders by every map, distinct sets, outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import MeasureContext, Trace
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.batch_words import Words
from sightline.measures.importance import odds_of
from sightline.measures.perturbations import at_once, chunks, logits_of_variants
from sightline.measures.trace_arrays import borders, keys_of, ordered, predicted_probability
from sightline.measures.transfer.hybrid_texts import share_of
from sightline.numerics import subwords
from sightline.numerics.tensors import to_numpy
from sightline.numerics.ties import level_ties, level_ties_and_fade

Array = np.ndarray
SHARES: tuple[float, ...] = tuple(MEASURES["erasure"].settings["shares"])
MOST = "signed_deletion"
"""The map whose order gives the most that removing words can do."""


@dataclass(frozen=True)
class Removals:
    """Distinct sets of words to remove: the row of the text in the batch, and its words."""

    row: Int[Array, " M"]
    gone: Bool[Array, "M W"]


def orders_of(maps: AttributionMaps, names: Sequence[str], draws: int) -> Int[Array, "O B W"]:
    """Order the words of each text: by each map, by the most there is to lose, and ``draws`` times
    at random.
    """
    mask = maps.words.mask
    candidates = maps.candidates
    keys = keys_of(mask, maps.words.index, draws + 1, maps.seeds, "erasure")
    by_map = [
        level_ties_and_fade(np.nan_to_num(maps[name]), mask, borders(maps.words.index))
        for name in names
    ]  # words that are too pale to be seen have no order
    by_map.append(level_ties(np.nan_to_num(maps[MOST]), mask))
    orders = ordered(by_map, candidates, keys)
    return fewer_draws(orders, draws) if maps.runs_each_variant else orders


FEW_DRAWS = 2
"""Random orders of a text in an audit by looks of a model that runs each shortened text by itself."""


def fewer_draws(orders: Int[Array, "O B W"], draws: int) -> Int[Array, "O B W"]:
    """Repeat the first random orders in the place of the others, so that no text is run for these."""
    out = orders.copy()
    first = len(orders) - draws
    for draw in range(FEW_DRAWS, draws):
        out[first + draw] = orders[first + draw % FEW_DRAWS]
    return out


def removed_count(length: Int[Array, " B"], share: float) -> Int[Array, " B"]:
    """Number of words in a share, but never all words."""
    return np.asarray(np.minimum(share_of(length, share), np.maximum(length - 1, 0)))


def first_words(
    orders: Int[Array, "O B W"], words: Bool[Array, "B W"], shares: Sequence[float]
) -> Bool[Array, "O S B W"]:
    """Mark the first words of each order, a set for each share of the ``words`` of a text."""
    counts = np.stack([removed_count(words.sum(1), share) for share in shares])
    first = np.arange(orders.shape[2]) < counts[..., None]
    out = np.zeros((len(orders), *first.shape), dtype=bool)
    np.put_along_axis(
        out, np.broadcast_to(orders[:, None], out.shape), np.broadcast_to(first, out.shape), axis=-1
    )
    return out


def distinct(
    gone: Bool[Array, "O S B W"], several: Bool[Array, " B"]
) -> tuple[Removals, Int[Array, "O S B"]]:
    """List each set of words once, and number it by order, share and text (−1: none)."""
    back = np.full(gone.shape[:3], -1)
    rows: list[int] = []
    sets: list[Array] = []
    for row in np.flatnonzero(several):
        found, inverse = np.unique(
            gone[:, :, row].reshape(-1, gone.shape[3]), axis=0, return_inverse=True
        )
        back[:, :, row] = len(rows) + inverse.reshape(gone.shape[:2])
        rows += [int(row)] * len(found)
        sets += [*found]
    return Removals(
        np.array(rows, dtype=np.int64), np.array(sets, dtype=bool).reshape(-1, gone.shape[3])
    ), back


def answers_without(
    subject: MeasureContext, trace: Trace, words: Words, removals: Removals, tokens_at_once: int
) -> Float[Array, "M L"]:
    """Run the texts again without the words."""
    place, real = words.place[removals.row], to_numpy(trace.batch.mask)[removals.row]
    kept = subwords.kept_tokens(removals.gone, place) & real
    out = np.full((len(kept), trace.logits.shape[1]), np.nan)
    query_length = 0 if trace.batch.query_ids is None else trace.batch.query_ids.shape[1]
    for some in chunks(kept.sum(1) + query_length, at_once(subject.model, tokens_at_once)):
        rows, left = (
            torch.from_numpy(one[some]).to(trace.batch.ids.device) for one in (removals.row, kept)
        )
        out[some] = to_numpy(logits_of_variants(subject.model, trace.batch.rows(rows).keep(left)))
    return out


def run_once(
    subject: MeasureContext,
    how: str,
    removals: Removals,
    words: Bool[Array, "B W"],
    run: Callable[[Removals], Float[Array, "M L"]],
    *,
    keeps: bool,
) -> Float[Array, "M L"]:
    """Run the sets of words that this audit has not removed before, and ``keep`` their answers
    where it will ask for them again.
    """
    if subject.answered is None:
        return run(removals)
    kept = subject.answered.setdefault(how, {})
    # Packed by word: its column depends on the other texts of its batch.
    keys = [
        (subject.texts[row].index, np.packbits(gone[words[row]]).tobytes())
        for row, gone in zip(removals.row, removals.gone, strict=True)
    ]
    new = np.array([key not in kept for key in keys], dtype=bool)
    fresh = run(Removals(removals.row[new], removals.gone[new]))
    out = np.full((len(keys), fresh.shape[1]), np.nan)
    out[new] = fresh
    for place in np.flatnonzero(~new):
        out[place] = kept[keys[place]]
    if keeps:
        kept.update((keys[place], out[place]) for place in np.flatnonzero(new))
    return out


def of_sets(values: Float[Array, " M"], back: Int[Array, "O S B"]) -> Float[Array, "O S B"]:
    """Give each order, share and text the number of its set; NaN where there is no set, or it has
    no number.
    """
    known = np.append(np.where(np.isfinite(values), values, np.nan), np.nan)  # −1 finds the last
    return np.asarray(known[back])


def by_name(
    found: Float[Array, "O S B"],
    known: Mapping[str, Bool[Array, " B"]],
    draws: int,
    *,
    apart: bool = False,
) -> dict[str, Float[Array, "B S *R"]]:
    """Name the numbers of each order: of each map where it is known, of ``most``, and of random
    orders.

    Random orders are averaged, or kept ``apart`` on a last axis.
    """
    curves = found.transpose(0, 2, 1)
    curves_by_name = {
        name: np.where(there[:, None], curves[i], np.nan)
        for i, (name, there) in enumerate(known.items())
    }
    random = np.moveaxis(curves[-draws:], 0, -1)
    return {
        **curves_by_name,
        "most": curves[len(known)],
        "random": random if apart else random.mean(axis=-1),
    }


def odds(logits: Float[Array, "M L"], chosen: Int[Array, " M"]) -> Float[Array, " M"]:
    """Give the log-odds of the classes that were decided on."""
    return odds_of(torch.from_numpy(logits), chosen)


def odds_gone(
    whole: Float[Array, "B L"],
    left: Float[Array, "M L"],
    chosen: Int[Array, " B"],
    row: Int[Array, " M"],
) -> Float[Array, " M"]:
    """What the log-odds of the decided class lose; NaN where there is no other class."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞: the only candidate
        return np.asarray(odds(whole, chosen)[row] - odds(left, chosen[row]))


def chance_gone(
    whole: Float[Array, "B L"],
    left: Float[Array, "M L"],
    chosen: Int[Array, " B"],
    row: Int[Array, " M"],
) -> Float[Array, " M"]:
    """What the probability of the decided class loses."""
    return np.asarray(
        predicted_probability(whole, chosen)[row] - predicted_probability(left, chosen[row])
    )
