"""A saved model that was edited is refused in words that name the file, or it is a model."""

import json
import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save

from sightline._io.checksums import MANIFEST
from sightline.adapters.answers_model import answers
from sightline.adapters.precision import to_float64
from sightline.core.errors import ModelError
from sightline.models.model_storage import load_classifier, save_classifier, weights_digest
from tests.adapters.plain import wrapped
from tests.edits import edited, put
from tests.texts import examples, untrained


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_classifier(
        untrained("bilstm(hidden=4)+mlm", 3), tmp_path / "model", {"run": {"seed": 3}}
    )


def outcome(folder: Path) -> str:
    """Load and use the model, or say how it was refused."""
    try:
        model, record = load_classifier(folder)
    except ModelError as error:
        return "refused" if str(folder) in str(error) else f"refused without the file: {error}"
    model.trace(model.collate(examples()))
    assert isinstance(record, dict)
    return "fine"


def test_no_edit_of_the_card_is_our_bug(folder: Path) -> None:
    card = json.loads((folder / "model.json").read_text())
    outcomes: dict[str, list[str]] = {"fine": [], "refused": []}
    for name, changed in edited(card, 120):
        put(folder / "model.json", json.dumps(changed))
        outcomes[outcome(folder)].append(name)
    assert len(outcomes["refused"]) > 50
    message = {name.split(" ")[0].split(".")[0] for name in outcomes["fine"]}
    assert message <= {"training", "seed", "labels", "vocabulary", "spec", "more", "no"}, message


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda card: card.update(format=9), ("model.json: .*format 9, this version reads 1; " "train the model again")),
        (lambda card: card["spec"].update(embedding="128"), ("spec.embedding: expected a whole " "number, got '128'")),
        (lambda card: card["spec"]["encoder"].update(name="lstm"), r"model.spec: model: unknown encoder 'lstm'"),
        (lambda card: card["spec"].update(embedding=10), (r"needs states as wide as the " r"embeddings, got 8 and 10")),
        (lambda card: card["spec"]["encoder"].update(options=[["hidden", 5]]), "take embedding=10"),
        (lambda card: card["spec"]["scorer"].update(options=[["hidden", 16000]]), (r"scorer.inner.bias: expected float32 of shape \(16000,\), as model.json says, got " r".*\(4,\)")),
        (lambda card: card.update(labels=["a"]), "labels: expected two or more, each once, got a"),
        (lambda card: card.update(labels=["a", "b", "a"]), "labels: expected two or more, each once"),
        (lambda card: card["labels"].append("d"), (r"decoder.affine.bias: expected " r"float32 of shape \(4,\)")),
        (lambda card: card["vocabulary"].append(3), (r"model.vocabulary\[25\]: " r"expected a text, got 3")),
        (lambda card: card["vocabulary"].append(card["vocabulary"][0]), "vocabulary: expected each word once"),
    ],
)  # fmt: skip
def test_an_edit_of_the_card_is_named_by_its_field(folder: Path, edit, said: str) -> None:
    card = json.loads((folder / "model.json").read_text())
    edit(card)
    put(folder / "model.json", json.dumps(card))
    with pytest.raises(ModelError, match=said):
        load_classifier(folder)


NAME = "encoder.lstm.weight_ih_l0"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda found: found.pop(NAME), f"missing weights {NAME}; train the model again"),
        (lambda found: found.update(zebra=torch.zeros(1)), "unknown weights zebra"),
        (lambda found: found.update({NAME: found[NAME].double()}), (f"{NAME}: expected float32 of .* " "got float64 of")),
        (lambda found: found.update({NAME: found[NAME][1:].clone()}), (r"expected float32 of shape \(16, " r"8\), .*\(15, 8\)")),
        (lambda found: found[NAME].fill_(torch.nan), f"{NAME}: expected finite numbers"),
    ],
)  # fmt: skip
def test_weights_are_those_that_the_card_speaks_of(folder: Path, edit, said: str) -> None:
    found = load((folder / "model.safetensors").read_bytes())
    edit(found)
    put(folder / "model.safetensors", save(found))
    with pytest.raises(ModelError, match=said):
        load_classifier(folder)


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_a_torn_file_is_named(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    for size in random.Random(0).sample(range(len(whole)), 20):
        put(folder / name, whole[:size])
        with pytest.raises(ModelError, match=name):
            load_classifier(folder)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        load_classifier(folder)


def test_a_model_without_checksums_is_refused(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    with pytest.raises(ModelError, match=rf"model: has no {MANIFEST}.*; train the model again"):
        load_classifier(folder)


def test_a_training_has_the_name_of_its_weights_wherever_they_are(tmp_path: Path) -> None:
    model = untrained("mlp(hidden=4)")
    named = weights_digest(model)
    saved, _ = load_classifier(save_classifier(model, tmp_path / "model"))
    assert weights_digest(saved) == weights_digest(to_float64(model)) == named
    assert weights_digest(untrained("mlp(hidden=4)", seed=4)) != named


@pytest.mark.parametrize("kind", [torch.float32, torch.float16, torch.bfloat16])
def test_a_module_from_elsewhere_has_the_name_of_its_parameters(kind: torch.dtype) -> None:
    elsewhere = wrapped(untrained("mlp(hidden=4)"))
    model = elsewhere.module.to(kind)
    named = weights_digest(elsewhere)
    model.register_buffer("runs", torch.zeros(1))  # code from elsewhere may count its runs
    assert weights_digest(elsewhere) == named != ""
    with torch.no_grad():
        next(model.parameters()).view(-1)[0] += 1
    assert weights_digest(elsewhere) != named


def test_a_model_without_weights_has_no_name_of_them() -> None:
    assert (
        weights_digest(answers(lambda texts: [[0.5, 0.5] for _ in texts], labels=("a", "b"))) == ""
    )
