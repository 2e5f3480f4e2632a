"""From the tensors of a trace to the numpy arrays of the maths, and the bookkeeping every measure
shares.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.core.example import Example
from sightline.core.protocols import Arrays, Trace
from sightline.core.results import Bracket, Ragged, Values
from sightline.core.seeds import Seeds, seed_for
from sightline.numerics.divergences import probabilities
from sightline.numerics.simplex import decision

Array = np.ndarray
SURVEYED = "surveyed"
"""The array that says which of the audited texts a measure has learned from, where it has from
any."""
NOT_FINITE = "not_finite"
"""The array that says on which texts the model's output is no number (`Trace.finite`), where it is
on any."""
WHY = "why: "
"""What stands before a reason where a measure says, text by text, why its numbers are undefined."""


def to_numpy(tensor: torch.Tensor) -> Array:
    """Copy a tensor out, floating point as float64 so that saturated outputs still differ."""
    out = tensor.detach()
    return np.asarray((out.double() if out.is_floating_point() else out).cpu().numpy())


def predicted_probability(
    logits: Float[Array, "*B L"], decided: Float[Array, " B"] | Array
) -> Float[Array, "*B"]:
    """Probability of the class that was decided on; ``decided`` broadcasts over leading axes."""
    chances = probabilities(logits)
    chosen = np.broadcast_to(decided, chances.shape[:-1])[..., None]
    return np.asarray(np.take_along_axis(chances, chosen, axis=-1)[..., 0])


def decided(trace: Trace) -> Array:
    """Give the class each text of a trace is assigned."""
    return decision(to_numpy(trace.logits))


def cluster_of(example: Example) -> int:
    """Name what a text shares with others by a number: its group, or else its words, so that copies
    are one cluster.

    Intervals draw whole clusters. The query is no source: where there are few, they are the
    conditions under which texts are looked at (docs/decisions/0034-intervals.md).
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
    """Permute each row over its real words, ``draws`` times; several weights of a text in the same
    way.
    """
    return reordered(values, mask, permutations(mask, index, draws, seeds, stage))


def reordered(
    values: Float[Array, "*N B T"], mask: Bool[Array, "B T"], orders: Int[Array, "R B T"]
) -> Float[Array, "R *N B T"]:
    """Rearrange the words of each text by each of several orders."""
    out = np.zeros((len(orders), *values.shape))
    for permuted, order in zip(out, orders, strict=True):
        permuted[...] = rearranged(values, mask, order)
    return out


def rearranged(
    values: Float[Array, "*N B T"], mask: Bool[Array, "B T"], order: Int[Array, "B T"]
) -> Float[Array, "*N B T"]:
    """Give each word what the word has that ``order`` names; 0 to what is no word."""
    taken = np.take_along_axis(values, np.broadcast_to(order, values.shape), axis=-1)
    return np.where(mask, taken, 0.0)


def permutations(
    mask: Bool[Array, "B T"], index: Array, draws: int, seeds: Seeds, stage: str
) -> Int[Array, "R B T"]:
    """Draw orders of the real words of each text; the draw depends on the text alone, not on its
    batch.
    """
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
    """Draw a number for each real word, ``draws`` times, from the text alone: what orders words at
    random.
    """
    out = np.zeros((draws, *mask.shape))
    for row, real in enumerate(mask):
        out[:, row, real] = seeds.generator(stage, int(index[row])).random((draws, int(real.sum())))
    return out


def borders(index: Int[Array, "*B"]) -> Float[Array, "*B"]:
    """Draw a number from 0 to 1 for each text, by its index alone: where its shades part
    (`ties.apart`).
    """
    drawn = [seed_for(0, "shades", int(one)) / 2**63 for one in np.ravel(index)]
    return np.reshape(np.array(drawn), np.shape(index))


def ordered(
    values: Sequence[Float[Array, "B W"]], mask: Bool[Array, "B W"], keys: Float[Array, "R B W"]
) -> Int[Array, "O B W"]:
    """Order words by each of some values, largest first, then at random by all keys but the first,
    which break ties.

    What is no word comes last.
    """
    falling = [np.lexsort((keys[0], np.where(mask, -one, np.inf)), axis=1) for one in values]
    return np.stack(
        [*falling, *(np.argsort(np.where(mask, key, np.inf), axis=1) for key in keys[1:])]
    )


def ragged(padded: Float[Array, "B T"], mask: Bool[Array, "B T"]) -> Ragged:
    """Keep the real words of each row."""
    return Ragged(padded[mask], mask.sum(axis=1))


def of_words(values: Values) -> Ragged:
    """Take what a measure kept of words, as it made it itself while it looked."""
    assert isinstance(values, Ragged)
    return values


def with_reasons(arrays: Arrays) -> tuple[Arrays, dict[str, dict[str, int]]]:
    """Part the numbers of a measure from what it said of the undefined ones (`WHY`), and count
    these.
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
    """Count NaN by quantity and by the first reason that applies, in the order given; the rest is
    "unexplained".

    Before all others come the texts whose output is no number, and those that the measure has
    learned from (`SupportsSurvey`): neither are measured. ``chosen`` are the quantities that the
    reasons are about, where not all.
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
    """Say which texts have no value; None where there could be none missing, or where words have
    values.
    """
    if isinstance(value, Ragged):
        return None
    numbers = value.low + value.high if isinstance(value, Bracket) else value
    if not np.issubdtype(numbers.dtype, np.floating):
        return None
    return np.asarray(np.isnan(numbers) if numbers.ndim == 1 else np.isnan(numbers).all(axis=1))
