"""What a run sets is named as in a study, and nothing that it leaves as it is."""

from dataclasses import replace

import pytest

from sightline.config.part_syntax import Part
from sightline.config.presets import PRESETS
from sightline.config.run_setting import setting_of
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec

FIT = PRESETS["default"].fit
DATA, MODEL = parse_data("planted:needle(n=300)"), parse_model("bilstm(hidden=16)+additive")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"seed": 7}, ""),
        ({"altered": "truthful"}, "altered=truthful"),
        ({"companions": ()}, "companions=none"),
        ({"companions": ("uniform", "frozen")}, "companions=uniform+frozen"),
        ({"limit": 50, "fit": replace(FIT, epochs=3)}, "fit.epochs=3, limit=50"),
        ({"fit": replace(FIT, decay="coupled")}, "fit.decay=coupled"),
        ({"gradient": "norm"}, "gradient=norm"),
    ],
)
def test_a_setting_names_what_differs(changes: dict, said: str) -> None:
    assert setting_of(RunSpec(DATA, MODEL, **{"fit": FIT, **changes})) == said


def test_a_setting_names_how_data_were_read_and_not_what_they_are_called() -> None:
    own = replace(parse_data("csv:notes.csv"), digest="abc", max_tokens=5, group="patient")
    assert setting_of(RunSpec(own, MODEL, FIT)) == "data.max_tokens=5, data.group=patient"


def test_the_model_names_its_parts_and_the_setting_the_rest() -> None:
    wide = parse_model("mlp+additive+learned")
    assert setting_of(RunSpec(DATA, wide, FIT)) == ""
    narrow = type(wide)(wide.encoder, embedding=50)
    assert setting_of(RunSpec(DATA, narrow, FIT)) == "model.embedding=50"


def test_parts_that_fit_only_with_a_width_are_written_with_it() -> None:
    tied = replace(parse_model("bilstm(hidden=4)+additive"), embedding=8)
    tied = replace(tied, retention=Part("tying", (("delta", 1.0),)))
    assert setting_of(RunSpec(DATA, tied, FIT)) == "model.embedding=8"
