"""The models of the documentation: one example each way of every finding, and gates that other models break."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.experiments.executors.serial import Serial
from sightline.experiments.grid import Grid, read_grid
from sightline.experiments.store import Store
from sightline.findings.claims import CLAIMS
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec
from sightline.studies import examples
from sightline.studies.study import complete, grid_of

RECIPE = Path(__file__).parents[2] / "examples" / "full_stop.toml"
DATA = parse_data("planted:needle(n=160,length=6,ending=true)")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Grid, Store]:
    """The same models, tiny and hardly trained, on a handful of texts."""
    cells = [
        replace(
            cell,
            model=replace(cell.model, encoder=parse_model(f"{cell.model.encoder.name}(hidden=4)").encoder),
            fit=FitSpec(epochs=1, guide=cell.fit.guide),
            data=DATA,
            limit=12,
        )
        for cell in examples.grid().cells
    ]
    hasty = grid_of("small", ("model",), zip(examples.grid().labels, cells, strict=True))
    store = Store(tmp_path_factory.mktemp("examples") / "store")
    complete(hasty.cells, store, Serial())
    return hasty, store


def test_examples_are_of_findings_and_models_that_there_are() -> None:
    assert examples.EXAMPLES.keys() == CLAIMS.keys() - {"SL-103"}, "gradient and deletion agree in all of these models"
    assert {case.model for cases in examples.EXAMPLES.values() for case in cases} <= examples.MODELS.keys()


def test_the_recipe_of_the_page_makes_the_guided_models_of_the_study() -> None:
    mine = [examples.cell(name) for name in (examples.STOP, examples.EVIDENCE)]
    assert list(read_grid(RECIPE).cells) == mine


def test_models_that_learned_nothing_break_the_gates(small: tuple[Grid, Store]) -> None:
    told = examples.table(*small)
    assert [row["model"] for row in told["rows"]] == list(examples.MODELS)
    assert not all(gate["holds"] for gate in told["gates"] if gate["name"].startswith("row: "))
    assert {gate["of"] for gate in told["gates"]} == {12}


def test_what_lies_on_the_stop_is_what_words_have_not(small: tuple[Grid, Store]) -> None:
    grid, store = small
    rows = {row["model"]: row for row in examples.table(grid, store)["rows"]}
    words = store.audit(grid.keys[0]).estimates["marks.words"]
    found = rows["MLP"]["on_the_stop"]
    assert (found["value"], found["low"], found["high"]) == (1 - words.value, 1 - words.high, 1 - words.low)
