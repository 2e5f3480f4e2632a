"""One row a text: its id, its prediction, and every number that measures keep of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sightline.core.results import Bracket, Measurement, Ragged, Results
from sightline.report.export.column_frame import NAME, ColumnFrame, FrameColumn, column_of
from sightline.report.redact import number_groups

MOST = 10
"""Most numbers that a quantity may have by text to become columns: sampled baselines have many
more."""
_LEADING = ("probability", "words")
"""Quantities of the predictions that come first, under their bare names."""
GROUPS = "cluster"
"""The quantity of the predictions that says which texts belong together."""
_NAMED = ("label", "predicted")
"""Quantities of the predictions that already have a column."""


def texts_frame(audit: Results) -> ColumnFrame:
    """Collect the numbers of each text, with a column ``measure.quantity`` for each quantity."""
    pairs = [
        (one, name)
        for one in audit.taken.values()
        for name, each in one.values.items()
        if not isinstance(each, Ragged)
    ]
    why = {f"{one.code}.{name}": _left_out(one, name, len(audit.texts)) for one, name in pairs}
    numbers = [
        each for one, name in pairs if not why[f"{one.code}.{name}"] for each in _columns(one, name)
    ]
    lead = [column for column in numbers if column.name in _LEADING]
    rest = [column for column in numbers if column.name not in _LEADING]
    return ColumnFrame(
        (*_names(audit), *lead, *rest), {name: label for name, label in why.items() if label}
    )


def _names(audit: Results) -> Iterator[FrameColumn]:
    yield FrameColumn("id", "the text, by its id", NAME, [text.id for text in audit.texts])
    yield FrameColumn("label", "gold class", NAME, [text.label for text in audit.texts])
    yield FrameColumn("predicted", "decided class", NAME, [text.predicted for text in audit.texts])


def _columns(measured: Measurement, name: str) -> Iterator[FrameColumn]:
    """Give the columns of one quantity: one, two for a bracket, or one for each draw."""
    values, full = measured.values[name], f"{measured.code}.{name}"
    answers = measured.code == "outputs"
    if isinstance(values, Bracket):
        yield column_of(measured, name, values.low, f"{full}.low", "; lower side")
        yield column_of(measured, name, values.high, f"{full}.high", "; upper side")
    elif (array := np.asarray(values)).ndim > 1:
        for place, each in enumerate(np.moveaxis(array, 1, 0), start=1):
            yield column_of(
                measured, name, each, f"{full}.{place}", f"; {place} of {array.shape[1]}"
            )
    elif answers and name == GROUPS:
        yield column_of(measured, name, number_groups(array), full)
    elif not (answers and name in _NAMED):
        yield column_of(measured, name, array, name if answers and name in _LEADING else full)


def _left_out(measured: Measurement, name: str, texts: int) -> str:
    """Say why a quantity has no column, if its shape does not fit."""
    values = measured.values[name]
    shape = values.low.shape if isinstance(values, Bracket) else np.asarray(values).shape
    if shape[0] != texts:
        return "not one row a text"
    if len(shape) == 1 or (len(shape) == 2 and shape[1] <= MOST):
        return ""
    numbers = " × ".join(map(str, shape[1:]))
    return (
        f"{numbers} numbers a text; "
        f"Audit.load(...).measurements[{measured.code!r}].values[{name!r}] has them"
    )
