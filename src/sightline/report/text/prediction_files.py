"""Predictions, one a line: as CSV for a spreadsheet, as JSON lines for a program."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from sightline._io.atomic_write import plain
from sightline.core.explanation import Prediction
from sightline.report.tables.csv_table import write_rows

Form = Literal["csv", "jsonl"]


class PlacedPrediction(NamedTuple):
    """A prediction, the line of its text (or its position among texts given one by one, from 1),
    and the id of its text where a column of ids was named.
    """

    line: int
    prediction: Prediction
    id: str | None = None


def prediction_lines(found: Iterable[PlacedPrediction], form: Form) -> Iterator[str]:
    """Give the lines with their ends; numbers are in full precision, missing ones empty or null."""
    return (
        _csv(found)
        if form == "csv"
        else (json.dumps(prediction_json(one), allow_nan=False) + "\n" for one in found)
    )


def prediction_json(one: PlacedPrediction) -> dict[str, Any]:
    """Write a prediction as plain JSON values."""
    label, probabilities = one.prediction.label, one.prediction.probabilities
    found: dict[str, Any] = plain(
        _place(one)
        | {"predicted": label, "probabilities": probabilities, "cut": one.prediction.cut}
    )
    return found


def _place(one: PlacedPrediction) -> dict[str, int | str]:
    return {"line": one.line} if one.id is None else {"line": one.line, "id": one.id}


def _csv(found: Iterable[PlacedPrediction]) -> Iterator[str]:
    for number, one in enumerate(found):
        place, probabilities = _place(one), one.prediction.probabilities
        if number == 0:
            yield _line(*place, "predicted", *(f"probability of {name}" for name in probabilities))
        yield _line(
            *place.values(), one.prediction.label or "", *plain(list(probabilities.values()))
        )


def _line(*cells: Any) -> str:
    out = io.StringIO()
    write_rows(out, [cells])
    return out.getvalue()
