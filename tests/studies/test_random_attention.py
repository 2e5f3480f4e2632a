"""The worked examples: rows for the documentation, and gates that a model which shows something
else breaks.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.studies.calibration import random_attention
from sightline.studies.kept_results import kept_of, page
from sightline.studies.results_file import read_rows
from sightline.studies.run_counts import table
from sightline.studies.study_definition import grid_of
from tests.studies.runs import run_all

VERIFIED = Path(__file__).parents[2] / "docs" / "verified" / "results.csv.gz"
UNTAUGHT = {
    "fit": FitSpec(epochs=1),
    "data": parse_data("planted:needle(n=160,length=6)"),
    "limit": 12,
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grid, Store]:
    """The examples with small models that have hardly been trained."""
    grid = random_attention.STUDY.grid()
    models = [
        replace(spec.model, encoder=parse_model(f"{spec.model.encoder.name}(hidden=4)").encoder)
        for spec in grid.specs
    ]
    specs = [
        replace(spec, model=model, **UNTAUGHT)
        for spec, model in zip(grid.specs, models, strict=True)
    ]
    hasty = grid_of("small", grid.axes, zip(grid.labels, specs, strict=True))
    store = Store(tmp_path_factory.mktemp("examples") / "store")
    run_all(hasty.specs, store)
    return hasty, store


@pytest.mark.slow
def test_the_table_has_the_fields_of_what_is_committed(small: tuple[Grid, Store]) -> None:
    result, committed = (
        table(random_attention.STUDY, *small),
        page(random_attention.STUDY, kept_of(read_rows(VERIFIED))["random_attention"]),
    )
    assert [{*row} for row in result["rows"]] == [{*row} for row in committed["rows"]]
    assert [row["spec"] for row in result["rows"]] == [row["spec"] for row in committed["rows"]]
    # Attention that has hardly been trained is flat to every eye, and has no effect; drawn weights
    # have one.
    assert {*result["rows"][1]["findings"]["SL-101"]} == {
        *committed["rows"][1]["findings"]["SL-101"]
    }
    assert [(g["name"], g["limit"]) for g in result["gates"]] == [
        (g["name"], g["limit"]) for g in committed["gates"]
    ]


def test_models_that_learned_nothing_break_the_gates(small: tuple[Grid, Store]) -> None:
    gates = {gate["name"]: gate for gate in table(random_attention.STUDY, *small)["gates"]}
    assert not gates["BiLSTM, random attention: accuracy"]["holds"]
    assert {gate["of"] for gate in gates.values()} == {12}
    assert not all(gate["holds"] for name, gate in gates.items() if name.startswith("MLP, learned"))
