"""What sightline wrote is recognised as its own, whatever names are in it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.api.store_runs import runs_as_csv
from sightline.cli.own_files import PREDICTIONS, RUNS, TABLES, VECTORS, is_ours
from sightline.core.explanation import Prediction
from sightline.core.results import Table, TableCell
from sightline.data.word_vectors import write_vectors
from sightline.report.tables.table_formats import PRINTINGS
from sightline.report.text.prediction_files import PlacedPrediction, prediction_lines

ODD = ('a, "b"', "=1+1", "two\nlines", "čeština", "pipe | and ** ] } \\", " ")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("label", [*ODD, None])
@pytest.mark.parametrize("name", [None, 'id, "1"\n'])
def test_predictions(tmp_path: Path, form, label: str | None, name: str | None) -> None:
    probabilities = dict.fromkeys(ODD, 0.1)
    found = [PlacedPrediction(2, Prediction(label, probabilities, 3), name)]
    place = tmp_path / "found"
    place.write_bytes("".join(prediction_lines(found, form)).encode())
    assert is_ours(place, PREDICTIONS)


@pytest.mark.parametrize("file", ["v.txt", "v.txt.gz"])
@pytest.mark.parametrize("width", [1, 300])
def test_vectors(tmp_path: Path, file: str, width: int) -> None:
    rows = np.random.default_rng(0).normal(size=(2000, width))
    place = write_vectors(tmp_path / file, [f"wörd{n}" for n in range(2000)], rows)
    assert is_ours(place, VECTORS)


def test_runs_of_a_store(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_bytes(runs_as_csv([]).encode())
    assert is_ours(tmp_path / "runs.csv", RUNS)


@pytest.mark.parametrize("title", ODD[:-1])
@pytest.mark.parametrize("axes", [0, 1, 3])
@pytest.mark.parametrize("columns", [1, 9])
def test_tables(tmp_path: Path, title: str, axes: int, columns: int) -> None:
    cell = TableCell(0.5, 0.1, 0.9, 12, (0, 1), ("k",), method="bootstrap")
    plain = Table(
        title, (title,) * columns, ((cell,) * columns,) * 9, (ODD[:axes],) * 9, ODD[:axes]
    )
    spread = replace(plain, rows=((replace(cell, sd=0.1),) * columns,) * 9, partial="1 of 2 runs")
    for table in plain, spread:
        for ending, write in PRINTINGS.items():
            place = tmp_path / f"t{ending}"
            place.write_bytes(write(table).encode())
            assert is_ours(place, TABLES[ending]), place.read_text()[:300]
