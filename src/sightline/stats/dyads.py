"""A ratio of sums over pairs of texts, in which the same text occurs in many pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.results import Estimate
from sightline.numerics.text_clusters import group_sums
from sightline.stats.intervals import (
    LEVEL,
    UNDEFINED,
    UNIT,
    UNSURE,
    Bounds,
    bounds_if_kept,
    clip_interval,
    describe_method,
    effective,
    has_no_spread,
    interval_of_equal_values,
    known_rows,
    resampled_units,
    student,
    without_interval,
)

Array = np.ndarray


@dataclass(frozen=True)
class PairSums:
    """Numerator and denominator of a ratio of sums, pair by pair, and the ``first`` and ``second``
    text of each pair.
    """

    top: Float[Array, " P"]
    bottom: Float[Array, " P"]
    first: Int[Array, " P"]
    second: Int[Array, " P"]

    def at(self, rows: Int[Array, " K"]) -> PairSums:
        """Take the pairs whose texts are both among ``rows``, and number their texts by position in
        ``rows``.
        """
        place = np.full(
            max(self.first.max(initial=-1), self.second.max(initial=-1), rows.max(initial=-1)) + 1,
            -1,
        )
        place[rows] = np.arange(len(rows))
        first, second = place[self.first], place[self.second]
        both = (first >= 0) & (second >= 0)
        return PairSums(self.top[both], self.bottom[both], first[both], second[both])


def dyads(
    top: Float[Array, " P"],
    bottom: Float[Array, " P"],
    first: Int[Array, " P"],
    second: Int[Array, " P"],
    *,
    level: float = LEVEL,
    bounds: Bounds = UNIT,
    units: str = "texts",
) -> Estimate:
    """Estimate ``r = Σ top / Σ bottom`` over the pairs where both are defined.

    Pairs that share a text are not independent. Let e = top − r · bottom, and e_i, b_i the sums
    over the pairs that contain text i. Leaving out text i moves the ratio by ``e_i / (B − b_i)``.
    The variance is the sum of the squares of these moves. Two texts that form a pair would count it
    twice, so its square is subtracted once (Aronow, Samii & Assenova 2015, by the jackknife):

        s² = Σ_i (e_i / (B − b_i))² − Σ_{i<j} (e_ij / B)²       and no less than Σ_{i≤j} (e_ij / B)²

    The interval is Student's, with an effective number of texts that follows from how unequally
    they weigh in s², ``(Σ b_i²)² / Σ b_i⁴`` (after Carter, Schnepel & Steigerwald 2017). If every
    pair involves one of eight texts, that is about eight.

    Parameters
    ----------
    top, bottom
        Numerator and denominator; a pair with NaN in either is left out.
    first, second
        The texts of each pair, or the clusters that they belong to; ``n`` counts them.
    level, bounds
        As for `ratio`.
    units
        What ``first`` and ``second`` number, in words.
    """
    rows = known_rows(top, bottom)
    if len(rows) == 0:
        return without_interval(math.nan, 0, UNDEFINED)
    top, bottom = top[rows], bottom[rows]
    pairs = TextPairs.of(first[rows], second[rows])
    if pairs.by_text(np.ones_like(bottom)).max() == len(rows):
        return without_interval(math.nan, pairs.texts, "undefined: one text is in every pair")
    if not _is_positive(bottom, pairs, level):
        return without_interval(math.nan, pairs.texts, UNSURE)
    value = float(top.sum() / bottom.sum())
    residuals, bounds = top - value * bottom, bounds_if_kept(top, bottom, bounds)
    groups = effective(pairs.by_text(bottom) ** 2)
    if has_no_spread(residuals, max(np.abs(top).max(), np.abs(bottom).max())):
        return interval_of_equal_values(value, pairs.texts, groups, level, bounds)
    half = student(level, groups) * _error(residuals, bottom, pairs)
    method = describe_method(f"jackknife over the {units} of {len(rows)} pairs", level)
    return Estimate(
        value, *clip_interval(value, value - half, value + half, bounds), pairs.texts, method
    )


def of_pairs(one: PairSums, clusters: Int[Array, " N"], level: float = LEVEL) -> Estimate:
    """Estimate one ratio over pairs; ``n`` counts the distinct first texts."""
    first, second = clusters[one.first], clusters[one.second]
    groups, texts = (
        len(np.unique(np.concatenate(pair))) for pair in ((first, second), (one.first, one.second))
    )
    units = resampled_units(texts, groups)
    found = dyads(one.top, one.bottom, first, second, level=level, units=units)
    return replace(found, n=len(np.unique(one.first)))


@dataclass(frozen=True)
class TextPairs:
    """Which texts are in which pair, numbered from 0.

    ``met`` numbers the unordered pairs of texts that occur. ``twos`` is False where a text is
    paired with itself.
    """

    first: Int[Array, " P"]
    second: Int[Array, " P"]
    met: Int[Array, " P"]
    twos: Bool[Array, " M"]
    texts: int

    @classmethod
    def of(cls, first: Int[Array, " P"], second: Int[Array, " P"]) -> TextPairs:
        """Number the texts, and the unordered pairs that occur."""
        texts, members = np.unique(np.stack([first, second]), return_inverse=True)
        one, other = members.reshape(2, -1)
        named, met = np.unique(
            np.minimum(one, other) * len(texts) + np.maximum(one, other), return_inverse=True
        )
        return cls(one, other, met, named // len(texts) != named % len(texts), len(texts))

    def by_text(self, values: Float[Array, " P"]) -> Float[Array, " T"]:
        """Sum over the pairs of each text; a pair of a text with itself counts once."""
        apart = np.where(self.first == self.second, 0.0, values)
        sums = (
            np.bincount(each, by, self.texts)
            for each, by in ((self.first, values), (self.second, apart))
        )
        return np.asarray(sum(sums))


def _error(residuals: Float[Array, " P"], bottom: Float[Array, " P"], pairs: TextPairs) -> float:
    """Compute s of `dyads`."""
    return length(*moves(residuals, bottom, pairs), pairs)


def moves(
    residuals: Float[Array, " P"], bottom: Float[Array, " P"], pairs: TextPairs
) -> tuple[Float[Array, " T"], Float[Array, " M"]]:
    """Say how far each text moves the ratio, and how far each unordered pair of texts does."""
    total = bottom.sum()
    return pairs.by_text(residuals) / (total - pairs.by_text(bottom)), group_sums(
        residuals, pairs.met
    ) / total


def length(moved: Float[Array, " T"], alone: Float[Array, " M"], pairs: TextPairs) -> float:
    """Compute the standard error from these moves: no less than if all pairs were independent."""
    twice = alone[pairs.twos]
    return math.sqrt(max(moved @ moved - twice @ twice, alone @ alone))


def _is_positive(bottom: Float[Array, " P"], pairs: TextPairs, level: float) -> bool:
    """Check that the denominator is surely above 0, as in `ratio`, also without any one text."""
    if pairs.by_text(bottom).max() >= bottom.sum():
        return False
    mean, ones = bottom.mean(), np.ones_like(bottom)
    groups = effective(pairs.by_text(ones) ** 2)
    return bool(
        bottom.min() >= 0 or mean > student(level, groups) * _error(bottom - mean, ones, pairs)
    )
