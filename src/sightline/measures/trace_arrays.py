"""Convert the tensors of a trace to numpy arrays, shuffle and order words, and count undefined
values, for all measures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.example import Example
from sightline.core.protocols import Arrays, Trace
from sightline.core.results import Bracket, Ragged, Values
from sightline.core.seeds import Seeds, seed_for
from sightline.numerics.divergences import probabilities
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
SURVEYED = "surveyed"
"""The array that marks the audited texts that a measure has learned from, if there are any."""
NOT_FINITE = "not_finite"
"""The array that marks the texts whose output is not finite (`Trace.finite`), if there are any."""
WHY = "why: "
"""Prefix of the arrays in which a measure says, text by text, why its numbers are undefined."""


def predicted_probability(
    logits: Float[Array, "*B L"], decided: Float[Array, " B"] | Array
) -> Float[Array, "*B"]:
    """Probability of the predicted class; ``decided`` broadcasts over leading axes."""
    chances = probabilities(logits)
    chosen = np.broadcast_to(decided, chances.shape[:-1])[..., None]
    return np.asarray(np.take_along_axis(chances, chosen, axis=-1)[..., 0])


def decided(trace: Trace) -> Array:
    """Give the predicted class of each text of a trace."""
    return decision(to_numpy(trace.logits))


def cluster_of(example: Example) -> int:
    """Number the cluster of a text: its group, or its words if it has none, so that copies are one
    cluster.

    Intervals resample whole clusters. The query defines no cluster: where there are few queries,
    they are the conditions of the audit (docs/decisions/0034-intervals.md).
    """
    return (
        seed_for(0, "group", example.group)
        if example.group
        else seed_for(0, "words", " ".join(example.tokens))
    )


def shuffled(
    values: Float[Array, "*N B T"],
    mask: Bool[Array, "B T"],
    index: Array,
    draws: int,
    seeds: Seeds,
    stage: str,
) -> Float[Array, "R *N B T"]:
    """Permute each row over its real words, ``draws`` times; a text's weights in the same way."""
    return reordered(values, mask, permutations(mask, index, draws, seeds, stage))


def reordered(
    values: Float[Array, "*N B T"], mask: Bool[Array, "B T"], orders: Int[Array, "R B T"]
) -> Float[Array, "R *N B T"]:
    """Rearrange the words of each text in each of several orders."""
    out = np.zeros((len(orders), *values.shape))
    for permuted, order in zip(out, orders, strict=True):
        permuted[...] = rearranged(values, mask, order)
    return out


def rearranged(
    values: Float[Array, "*N B T"], mask: Bool[Array, "B T"], order: Int[Array, "B T"]
) -> Float[Array, "*N B T"]:
    """Give each word the value of the word that ``order`` names; 0 to tokens that are no words."""
    taken = np.take_along_axis(values, np.broadcast_to(order, values.shape), axis=-1)
    return np.where(mask, taken, 0.0)


def permutations(
    mask: Bool[Array, "B T"], index: Array, draws: int, seeds: Seeds, stage: str
) -> Int[Array, "R B T"]:
    """Draw orders of the real words of each text; they depend on the text, not on its batch."""
    out = np.broadcast_to(np.arange(mask.shape[1]), (draws, *mask.shape)).copy()
    for row, real in enumerate(mask):
        places = np.nonzero(real)[0]
        generator = seeds.generator(stage, int(index[row]))
        out[:, row, real] = generator.permuted(
            np.broadcast_to(places, (draws, len(places))), axis=1
        )
    return out


def keys_of(
    mask: Bool[Array, "B W"], index: Array, draws: int, seeds: Seeds, stage: str
) -> Float[Array, "R B W"]:
    """Draw random numbers for each real word, ``draws`` times, that depend only on the text; they
    put words in random order.
    """
    out = np.zeros((draws, *mask.shape))
    for row, real in enumerate(mask):
        out[:, row, real] = seeds.generator(stage, int(index[row])).random((draws, int(real.sum())))
    return out


def borders(index: Int[Array, "*B"]) -> Float[Array, "*B"]:
    """Draw a number from 0 to 1 for each text, from its index alone: the border between its shades
    (`ties.level_shades`).
    """
    drawn = [seed_for(0, "shades", int(one)) / 2**63 for one in np.ravel(index)]
    return np.reshape(np.array(drawn), np.shape(index))


def ordered(
    values: Sequence[Float[Array, "B W"]], mask: Bool[Array, "B W"], keys: Float[Array, "R B W"]
) -> Int[Array, "O B W"]:
    """Order words by each of ``values``, largest first, with ties broken by the first of ``keys``;
    then at random by each of the other keys.

    Tokens that are no words come last.
    """
    falling = [np.lexsort((keys[0], np.where(mask, -one, np.inf)), axis=1) for one in values]
    return np.stack(
        [*falling, *(np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys[1:])]
    )


def ragged(padded: Float[Array, "B T"], mask: Bool[Array, "B T"]) -> Ragged:
    """Keep only the real words of each row."""
    return Ragged(padded[mask], mask.sum(axis=1))


def of_words(values: Values) -> Ragged:
    """Take values by word that a measure has stored itself in its survey."""
    assert isinstance(values, Ragged)
    return values


def with_reasons(arrays: Arrays) -> tuple[Arrays, dict[str, dict[str, int]]]:
    """Split the arrays of a measure into its numbers and its reasons (`WHY`), and count the
    reasons.
    """
    values = {name: value for name, value in arrays.items() if not name.startswith(WHY)}
    reasons = {
        name.removeprefix(WHY): np.asarray(why)
        for name, why in arrays.items()
        if name.startswith(WHY)
    }
    return values, count_undefined(values, reasons)


def count_undefined(
    values: Arrays, reasons: Mapping[str, Bool[Array, " N"]], chosen: Collection[str] | None = None
) -> dict[str, dict[str, int]]:
    """Count NaN by quantity and by the first reason that applies, in the given order; the rest is
    "unexplained".

    Two reasons come before all others, because these texts are not measured: the output is not
    finite, or the measure has learned from the text (`SupportsSurvey`). ``chosen`` limits the
    quantities that the reasons are about.
    """
    first = {"non-finite output": NOT_FINITE, "learned from": SURVEYED}
    reasons = {
        reason: np.asarray(values[name]) for reason, name in first.items() if name in values
    } | dict(reasons)
    counts: dict[str, dict[str, int]] = {}
    for name, value in values.items():
        unknown = _undefined(value) if chosen is None or name in chosen else None
        if unknown is None:
            continue
        left = unknown
        found: dict[str, int] = {}
        for reason, applies in reasons.items():
            found[reason] = int((left & applies).sum())
            left = left & ~applies
        found["unexplained"] = int(left.sum())
        counts[name] = {reason: count for reason, count in found.items() if count}
    return {name: found for name, found in counts.items() if found}


def _undefined(value: Values) -> Bool[Array, " N"] | None:
    """Mark the texts without a value; None for integers and for values by word."""
    if isinstance(value, Ragged):
        return None
    numbers = value.low + value.high if isinstance(value, Bracket) else value
    if not np.issubdtype(numbers.dtype, np.floating):
        return None
    return np.asarray(np.isnan(numbers) if numbers.ndim == 1 else np.isnan(numbers).all(axis=1))
