"""Predictions, one a line: as CSV for a spreadsheet, as JSON lines for a program."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from sightline._io.atomic_write import plain
from sightline.core.explanation import Prediction
from sightline.report.tables.csv_table import csv_text

Form = Literal["csv", "jsonl"]
Numbered = tuple[int, Prediction]
"""A prediction, and the line of its text (or its position among texts given one by one, from 1)."""


def prediction_lines(found: Iterable[Numbered], form: Form) -> Iterator[str]:
    """Give the lines with their ends; numbers are in full precision, missing ones empty or null."""
    return (
        _csv(found)
        if form == "csv"
        else (json.dumps(prediction_json(*one), allow_nan=False) + "\n" for one in found)
    )


def prediction_json(line: int, prediction: Prediction) -> dict[str, Any]:
    """Write a prediction as plain JSON values."""
    found: dict[str, Any] = plain(
        {"line": line, "predicted": prediction.label, "probabilities": prediction.probabilities}
    )
    return found


def _csv(found: Iterable[Numbered]) -> Iterator[str]:
    for number, (line, one) in enumerate(found):
        if number == 0:
            yield _line(
                "line", "predicted", *(f"probability of {name}" for name in one.probabilities)
            )
        yield _line(line, one.label or "", *plain(list(one.probabilities.values())))


def _line(*cells: Any) -> str:
    """Write one line by RFC 4180, with spreadsheet formulas disarmed."""
    out = io.StringIO()
    csv.writer(out).writerow([csv_text(cell) if isinstance(cell, str) else cell for cell in cells])
    return out.getvalue()
