"""What is to be audited, as a value: chosen by a text, told apart without torch, audited from
Python.
"""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.api.audit import audit_source
from sightline.api.model_source import ImportedModel, SavedModel, TrainedFirst, choose, model_place
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.audits.audit_result import Audit
from sightline.audits.run import audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.data.load_dataset import load
from sightline.experiments.load_models import save_trained
from sightline.training.control_models import companions_of, read_companions
from tests.experiments.one_run import SPEC

DATA = parse_data("planted:needle(n=120,length=6)")


def test_a_text_names_what_is_audited(tmp_path: Path) -> None:
    subject = choose(DATA, "mlp(hidden=4)", TrainingOptions(epochs=1))
    assert isinstance(subject, TrainedFirst)
    trained, found = audit_source(subject, about={"command": "mine"})
    assert (found.spec["command"], found.spec["model"]) == (
        "mine",
        "mlp(hidden=4)+additive+softmax",
    )
    (doubt,) = subject.doubts_of(trained)  # though one epoch was asked for
    assert doubt.startswith(
        "the cap on epochs ended the training of: model, control model (uniform attention); "
    )
    folder = save_trained(trained, tmp_path / "model")
    again = choose(DATA, str(folder))
    assert isinstance(again, SavedModel)
    assert audit_source(again)[1].metrics == found.metrics
    assert isinstance(choose(DATA, "py:mine:build"), ImportedModel)


def test_scores_of_another_tool_reach_the_audit_and_are_named_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training, given = TrainingOptions(epochs=1, companions="none"), []
    texts = load(DATA, 0).test
    rows = [f"{text.id},{word},{place}" for text in texts for place, word in enumerate(text.tokens)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["id,word,score", *rows]))

    def seen(*arguments: Any, **options: Any) -> Audit:
        given.append(options["scores"])
        return audit(*arguments, **options)

    monkeypatch.setattr("sightline.experiments.pipeline.audit", seen)
    options = AuditOptions(limit=5, scores=file)
    found = audit_source(choose(DATA, "mlp(hidden=4)", training, options))[1]
    assert {text.id: len(text.tokens) for text in found.texts} == {
        name: len(one) for name, one in given[0].items()
    }
    assert given[0][found.texts[0].id].tolist() == list(range(len(found.texts[0].tokens)))
    assert found.spec["scores"]["digest"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert found.spec["scores"]["notes"] == [
        f"{len(texts) - 5} of the ids with scores name no text of this audit"
    ]


def test_scores_that_fit_nothing_are_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrainedFirst, "trained", lambda *_: pytest.fail("it was trained"))
    (tmp_path / "scores.csv").write_text("id,word,score\nother,word,1\n")
    with pytest.raises(DataError, match="expected ids of audited texts"):
        audit_source(
            choose(DATA, "mlp(hidden=4)", options=AuditOptions(scores=tmp_path / "scores.csv"))
        )


def test_the_place_of_a_model_may_begin_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "m").mkdir()
    assert model_place("hf:~/m(layer=0)") == tmp_path / "m"
    assert model_place("hf:~/other") is None


def test_the_place_of_a_module_is_what_python_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert model_place("py:clin:build") == Path("clin.py")
    Path("clin").mkdir()
    assert model_place("py:clin.part:build") == Path("clin")
    Path("clin.py").touch()
    assert model_place("py:clin:build") == Path("clin.py")
    Path("clin/__init__.py").touch()
    assert model_place("py:clin:build") == Path("clin")


def test_what_cannot_be_chosen_names_its_field() -> None:
    with pytest.raises(ModelError, match="there is no such folder") as missing:
        choose(DATA, "no/where")
    with pytest.raises(SpecError, match="trained already") as caught:
        choose(DATA, "py:mine:build", TrainingOptions(epochs=None, batch_size=8))
    assert (missing.value.field, caught.value.field) == ("model", "batch_size")


def test_companions_are_made_as_their_rows_say() -> None:
    made = companions_of(SPEC)
    assert {name: str(spec.model) for name, spec in made.items()} == {
        "uniform": "mlp(hidden=4)+additive+softmax+uniform"
    }
    assert (
        companions_of(replace(SPEC, model=parse_model("mlp+uniform"))) == {}
    )  # it would be the model itself
    assert (read_companions("none"), read_companions(" uniform")) == ((), ("uniform",))
    with pytest.raises(SpecError, match="unknown control model 'twin'; expected one of uniform"):
        read_companions("uniform,twin")
