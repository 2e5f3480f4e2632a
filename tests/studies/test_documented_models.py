"""The models of the documentation: one example each way of every finding, and gates that other
models break.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.audits.audit_result import Audit
from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.experiments.grid import read_grid
from sightline.experiments.store import Store
from sightline.studies.calibration import documented_models
from sightline.studies.run_counts import table
from sightline.studies.study_definition import grid_of
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.studies.runs import run_all

RECIPE = Path(__file__).parents[2] / "examples" / "full_stop.toml"
DATA = parse_data("planted:needle(n=160,length=6,ending=true)")


FEW = ("MLP", documented_models.STOP)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Mapping[str, Any], Audit]]:
    """What the study says of two of the models, tiny and hardly trained, on a handful of texts; the
    audit of the first.
    """
    specs = [
        replace(
            (one := documented_models.run_spec(name)),
            model=replace(
                one.model, encoder=parse_model(f"{one.model.encoder.name}(hidden=4)").encoder
            ),
            fit=FitSpec(epochs=1, guide=one.fit.guide),
            data=DATA,
            limit=12,
        )
        for name in FEW
    ]
    hasty = grid_of(
        "small", ("model",), (((name,), spec) for name, spec in zip(FEW, specs, strict=True))
    )
    store = Store(tmp_path_factory.mktemp("examples") / "store")
    run_all(hasty.specs, store)
    known = {
        code: cases
        for code, cases in documented_models.EXAMPLES.items()
        if all(case.model in FEW for case in cases)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documented_models, "EXAMPLES", known)
        patch.setattr(
            documented_models, "ROWS", {name: documented_models.ROWS[name] for name in FEW}
        )
        yield table(documented_models.STUDY, hasty, store), store.audit(hasty.keys[0])


def test_examples_are_of_findings_and_models_that_there_are() -> None:
    # Gradient and deletion agree in all of these models, all stay within their range, and none is
    # shown to mark words that its classes do not have.
    assert documented_models.EXAMPLES.keys() == AUDIT_TESTS.keys() - {"SL-103", "SL-305", "SL-306"}
    assert {
        case.model for cases in documented_models.EXAMPLES.values() for case in cases
    } <= documented_models.MODELS.keys()


def test_the_recipe_of_the_page_makes_the_guided_models_of_the_study() -> None:
    mine = [
        documented_models.run_spec(name)
        for name in (documented_models.STOP, documented_models.EVIDENCE)
    ]
    assert [training_key(spec) for spec in read_grid(RECIPE).specs] == [
        training_key(spec) for spec in mine
    ]


def test_models_that_learned_nothing_break_the_gates(
    outcome: tuple[Mapping[str, Any], Audit],
) -> None:
    page, _ = outcome
    assert [row["model"] for row in page["rows"]] == list(FEW)
    gates = {gate["name"]: gate for gate in page["gates"]}
    assert not gates["row: MLP"]["holds"]
    assert not gates["SL-201: MLP, predicted 'alpha'"]["holds"]
    assert {gate["of"] for gate in gates.values()} == {12}


def test_what_lies_on_the_stop_is_what_words_have_not(
    outcome: tuple[Mapping[str, Any], Audit],
) -> None:
    page, audit = outcome
    words, found = audit.estimates["marks.words"], page["rows"][0]["on_the_stop"]
    assert (found["value"], found["low"], found["high"]) == tuple(
        round(1 - end, 4) for end in (words.value, words.high, words.low)
    )
