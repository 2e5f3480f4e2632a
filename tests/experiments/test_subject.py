"""What is to be audited, as a value: chosen by a text, told apart without torch, audited from Python."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.errors import ModelError, SpecError
from sightline.experiments.run import Display
from sightline.experiments.saved import save_trained
from sightline.experiments.subject import Imported, Saved, ToTrain, audited, choose
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import COMPANIONS
from sightline.training.companions import HOW, companions_of, read_companions
from tests.experiments.test_store import SPEC

DATA = parse_data("planted:needle(n=120,length=6)")


def test_a_text_names_what_is_audited(tmp_path: Path) -> None:
    subject = choose(DATA, "mlp(hidden=4)", {"epochs": 1})
    assert isinstance(subject, ToTrain)
    trained, audit = audited(subject, Display(), about={"command": "mine"})
    assert (audit.spec["command"], audit.spec["model"]) == ("mine", "mlp(hidden=4)+additive+softmax")
    assert subject.cut_short(trained) == ()  # one epoch was asked for
    assert replace(subject, capped=False).cut_short(trained) == ("model", "companion (uniform attention)")
    folder = save_trained(trained, tmp_path / "model", 0)
    again = choose(DATA, str(folder))
    assert isinstance(again, Saved)
    assert audited(again)[1].metrics == audit.metrics
    assert isinstance(choose(DATA, "py:mine:build"), Imported)


def test_what_cannot_be_chosen_names_its_field() -> None:
    with pytest.raises(ModelError, match="there is no such folder") as missing:
        choose(DATA, "no/where")
    with pytest.raises(SpecError, match="trained already") as told:
        choose(DATA, "py:mine:build", {"epochs": None, "batch_size": 8})
    assert (missing.value.field, told.value.field) == ("model", "batch_size")


def test_companions_are_made_as_one_mapping_says() -> None:
    assert tuple(HOW) == COMPANIONS
    made = companions_of(SPEC)
    assert {name: str(spec.model) for name, spec in made.items()} == {
        "uniform": "mlp(hidden=4)+additive+softmax+uniform"
    }
    assert companions_of(replace(SPEC, model=parse_model("mlp+uniform"))) == {}  # it would be the model itself
    assert (read_companions("none"), read_companions(" uniform")) == ((), ("uniform",))
    with pytest.raises(SpecError, match="unknown companion 'twin'; known: uniform"):
        read_companions("uniform,twin")
