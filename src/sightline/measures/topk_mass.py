"""Compare two maps over words: the share of a comparison map that the top words hold, and the share
by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.needs import UNANSWERED
from sightline.core.protocols import Arrays
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.trace_arrays import borders
from sightline.numerics.rank_agreement import captured, captured_by_chance, inclusion, top_count
from sightline.numerics.ties import is_flat, level_shades

Array = np.ndarray
FREE = ("free_gradient", "free_deletion")
"""The comparison maps without the influence of attention at decoding."""
FLAT_REFERENCE = "constant or zero reference"


@dataclass(frozen=True)
class TopkTexts:
    """What every comparison of a batch needs: which words are compared, how many are top words, and
    the index of each text.
    """

    mask: Bool[Array, "B W"]
    count: Int[Array, " B"]
    index: Int[Array, " B"]


def texts_of(maps: AttributionMaps, share: float) -> TopkTexts:
    """Prepare a batch for comparisons, with a share of the words as top words."""
    mask = maps.candidates
    return TopkTexts(mask, top_count(mask.sum(1), share), maps.words.index)


def captured_free(
    weights: Float[Array, "B W"], references: Sequence[Float[Array, "B W"]], texts: TopkTexts
) -> tuple[Float[Array, " B"], ...]:
    """Share of the attention-free comparison maps that the top words by ``weights`` capture, and
    its mean by chance.
    """
    top = ranked(weights, texts)
    shares = [captured(top, reference, texts.mask, texts.count) for reference in references]
    chances = [by_chance(top, reference, texts) for reference in references]
    return np.mean(shares, axis=0), np.mean(chances, axis=0)


def mass(
    weights: Float[Array, "B W"], reference: Float[Array, "B W"], mask: Bool[Array, "B W"]
) -> Float[Array, " B"]:
    """``Σ w_t r_t / max r``: 1 if all weight is on the largest; NaN if all are zero, or for one
    word.
    """
    real = np.where(mask, reference, 0.0)
    most = np.where(mask.sum(1) < 2, np.nan, real.max(axis=1))
    out = np.full(len(most), np.nan)
    return np.asarray(np.divide((weights * real).sum(1), most, out=out, where=most > 0))


def renormalise_compared(
    weights: Float[Array, "B W"], texts: TopkTexts, words: Bool[Array, "B W"]
) -> Float[Array, "B W"]:
    """Scale the weights of the words that are compared to a sum of one, where these are not all."""
    total = np.where(texts.mask, weights, 0.0).sum(1, keepdims=True)
    all_of_them = (texts.mask == words).all(1, keepdims=True) | (total == 0)
    return np.asarray(weights / np.where(all_of_them, 1.0, total))


def ranked(values: Float[Array, "B W"], texts: TopkTexts) -> Float[Array, "B W"]:
    """Include the top words of each text; NaN if no word stands out or a value is undefined.

    Words whose shades look the same are tied, as they are for a reader.
    """
    known = np.nan_to_num(values)
    no_ranking = is_flat(known, texts.mask) | (np.isnan(values) & texts.mask).any(axis=1)
    return np.where(
        no_ranking[:, None],
        np.nan,
        inclusion(level_shades(known, texts.mask, borders(texts.index)), texts.mask, texts.count),
    )


def unranked(arrays: Arrays, *rest: str) -> dict[str, Bool[Array, " N"]]:
    """Say why the words of a text have no order by their weights; ``rest`` names the reason that
    remains otherwise.
    """
    one, alike = np.asarray(arrays["words"]) < 2, np.asarray(arrays["constant"])
    silent = {UNANSWERED: np.asarray(arrays["unanswered"]) > 0} if "unanswered" in arrays else {}
    return {
        "one word": one,
        "constant attention": alike,
        **silent,
        **dict.fromkeys(rest, np.ones(len(one), dtype=bool)),
    }


def by_chance(
    top: Float[Array, "B W"], reference: Float[Array, "B W"], texts: TopkTexts
) -> Float[Array, " B"]:
    """The exact mean of the chance level, on the texts where the number itself is defined."""
    chance = captured_by_chance(reference, texts.mask, texts.count)
    return np.asarray(np.where(np.isnan(top).any(axis=1), np.nan, chance))
