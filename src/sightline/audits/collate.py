"""The arrays of a measure: checks that each has one row a text, and joins batches in the order of
the texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from sightline.core.protocols import Arrays
from sightline.core.results import Bracket, Estimate, Measurement, Ragged, Values
from sightline.measures.trace_arrays import NOT_FINITE, SURVEYED

Array = np.ndarray
_NUMBERS = "biuf"
"""Kinds of numpy arrays that an audit can hold: truth values and numbers, because reading other
kinds may run code."""


def checked(arrays: Any, texts: int) -> Arrays:
    """Give arrays with one row a text; an error names any other array."""
    if not isinstance(arrays, Mapping):
        raise TypeError(f"expected arrays by name, got {type(arrays).__name__}")
    for name, value in arrays.items():
        if not isinstance(name, str) or not name or "/" in name:
            raise ValueError(f"expected arrays by a name without '/', got {name!r}")
        rows = _rows(name, value)
        if rows != texts:
            raise ValueError(f"{name!r} has {rows} rows, and there are {texts} texts")
    found: Arrays = arrays
    return found


def finished(measurement: Any, code: str, texts: int) -> Measurement:
    """Check that a measure gave a measurement of its own code, with valid estimates."""
    if not isinstance(measurement, Measurement):
        raise TypeError(f"expected a Measurement, got {type(measurement).__name__}")
    if measurement.code != code:
        raise ValueError(f"expected a measurement of {code!r}, got one of {measurement.code!r}")
    whole: Mapping[str, Any] = measurement.whole
    if odd := next((name for name, one in whole.items() if not isinstance(one, Estimate)), None):
        raise TypeError(
            f"whole: expected {odd!r} to be an Estimate, got {type(whole[odd]).__name__}"
        )
    checked(measurement.values, texts)
    found: Measurement = measurement
    return found


def join_batches(parts: Sequence[Arrays], order: Int[Array, " N"]) -> dict[str, Values]:
    """Join the batches; ``order`` gives the place of each text in them."""
    if odd := next((part for part in parts if part.keys() != parts[0].keys()), None):
        raise ValueError(f"{sorted(odd.keys() ^ parts[0].keys())[0]!r} is not there in every batch")
    return {name: _joined([part[name] for part in parts], order) for name in parts[0]}


def extended(before: Arrays | None, more: Mapping[str, Values]) -> Arrays:
    """Append the rows of more texts."""
    if before is None:
        return more
    texts = sum(
        _rows(name, value) for part in (before, more) for name, value in [*part.items()][:1]
    )
    return join_batches([before, more], np.arange(texts))


def first(arrays: Arrays, texts: int) -> Arrays:
    """Take the rows of the first texts."""
    return {name: _first(value, texts) for name, value in arrays.items()}


def blank_learned_texts(
    arrays: Mapping[str, Values], learned: Bool[Array, " N"]
) -> dict[str, Values]:
    """Set the numbers of the texts that a measure learned from to undefined, and mark these texts;
    every quantity must allow it.
    """
    if odd := next((name for name, value in arrays.items() if _kind(value).kind != "f"), None):
        kind = _kind(arrays[odd])
        raise TypeError(
            f"{odd!r} is of {kind}, which cannot be undefined on the texts learned from; give "
            "floats"
        )
    return {SURVEYED: learned, **{name: _blanked(value, learned) for name, value in arrays.items()}}


def blank_nonfinite_texts(
    arrays: Mapping[str, Values], finite: Bool[Array, " N"]
) -> dict[str, Values]:
    """Set the numbers of texts without a finite output to undefined, and mark the others; integers
    and truth values stay.
    """
    if finite.all():
        return dict(arrays)
    return {
        NOT_FINITE: ~finite,
        **{name: _blanked(value, ~finite) for name, value in arrays.items()},
    }


def _first(value: Values, texts: int) -> Values:
    if isinstance(value, Ragged):
        return Ragged(value.flat[: int(value.lengths[:texts].sum())], value.lengths[:texts])
    if isinstance(value, Bracket):
        return Bracket(value.low[:texts], value.high[:texts])
    return value[:texts]


def _rows(name: str, value: Any) -> int:
    if isinstance(value, Ragged):
        if len(value.flat) != value.lengths.sum():
            raise ValueError(
                f"{name!r} has {len(value.flat)} values, and its lengths add up to "
                f"{value.lengths.sum()}"
            )
        return len(value.lengths)
    if isinstance(value, Bracket):
        if value.low.shape != value.high.shape:
            raise ValueError(
                f"{name!r} has {len(value.low)} low ends and {len(value.high)} high ones"
            )
        return len(value.low)
    if not isinstance(value, np.ndarray) or value.ndim == 0 or value.dtype.kind not in _NUMBERS:
        got = (
            f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
        )
        raise TypeError(
            f"{name!r}: expected numbers by text, as an array, a Ragged or a Bracket, got {got}"
        )
    return len(value)


def _joined(values: Sequence[Values], order: Int[Array, " N"]) -> Values:
    first = values[0]
    if odd := next((value for value in values if type(value) is not type(first)), None):
        raise TypeError(
            f"it is {type(first).__name__} in one batch and {type(odd).__name__} in another"
        )
    if isinstance(first, Bracket):
        low, high = ([getattr(value, end) for value in values] for end in ("low", "high"))
        return Bracket(np.concatenate(low)[order], np.concatenate(high)[order])
    rows = [
        row
        for value in values
        for row in (value.rows() if isinstance(value, Ragged) else np.asarray(value))
    ]
    ordered = [rows[i] for i in order]
    if isinstance(first, Ragged):
        return Ragged(
            np.concatenate(ordered), np.array([len(row) for row in ordered], dtype=np.int64)
        )
    return np.stack(ordered)


def _kind(value: Values) -> np.dtype:
    flat = (
        value.low
        if isinstance(value, Bracket)
        else value.flat
        if isinstance(value, Ragged)
        else value
    )
    return flat.dtype


def _blanked(value: Values, gone: Bool[Array, " N"]) -> Values:
    if isinstance(value, Bracket):
        return Bracket(_blank(value.low, gone), _blank(value.high, gone))
    if isinstance(value, Ragged):
        return Ragged(_blank(value.flat, np.repeat(gone, value.lengths)), value.lengths)
    return _blank(value, gone)


def _blank(values: Array, gone: Bool[Array, " N"]) -> Array:
    if values.dtype.kind != "f":
        return values
    out = values.copy()
    out[gone] = np.nan
    return out
