"""A run from its spec: exact seeds, saved and loaded models, and no test text in training."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline.adapters.label_alignment import numbered_for
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.core.results import Measurement, Ragged
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.load_dataset import load
from sightline.experiments.callbacks import Display
from sightline.experiments.device import pick_device
from sightline.experiments.load_models import load_trained, save_trained
from sightline.experiments.pipeline import audit_trained, cut_short, run, train
from sightline.models.alterations import RandomShown
from tests.edits import put

SPEC = RunSpec(
    parse_data("planted:needle(n=200,length=9)"),
    parse_model("bilstm(hidden=6)+additive"),
    FitSpec(epochs=2),
    seed=4,
)


def arrays(outcomes: dict) -> dict[str, np.ndarray]:
    return {
        f"{name}.{quantity}": value.flat if isinstance(value, Ragged) else value
        for name, m in outcomes.items()
        if isinstance(m, Measurement)
        for quantity, value in m.values.items()
    }


def test_the_same_spec_gives_the_same_bits() -> None:
    spec = replace(SPEC, limit=12)
    torch.manual_seed(1)
    first = arrays(run(spec)[1].measurements)
    torch.manual_seed(2)
    np.random.seed(3)  # noqa: NPY002 (the global generator must not matter)
    second = arrays(run(spec)[1].measurements)
    assert first.keys() == second.keys()
    assert all(
        np.array_equal(first[k], second[k], equal_nan=first[k].dtype.kind == "f") for k in first
    )
    other = arrays(run(replace(spec, seed=5))[1].measurements)
    assert not np.array_equal(first["outputs.attention"][:50], other["outputs.attention"][:50])


def test_a_saved_model_audits_as_it_did_before(tmp_path: Path) -> None:
    trained = train(SPEC)
    before = arrays(audit_trained(trained, SPEC.seed, Display()).measurements)
    folder = save_trained(trained, tmp_path / "model")
    loaded = load_trained(folder, SPEC.data, SPEC.seed)
    after = arrays(audit_trained(loaded, SPEC.seed, Display()).measurements)
    assert "retrained.retrained" in after  # the companion came along
    assert before.keys() == after.keys()
    assert all(
        np.array_equal(before[k], after[k], equal_nan=before[k].dtype.kind == "f") for k in before
    )


def test_a_control_model_that_was_removed_is_missed(tmp_path: Path) -> None:
    """Without it a test would be left out, and its caveat with it."""
    folder = save_trained(train(SPEC), tmp_path / "model")
    shutil.rmtree(folder / "companions" / "uniform")
    with pytest.raises(ModelError, match="control model 'uniform'"):
        load_trained(folder, SPEC.data, SPEC.seed)
    alone = save_trained(train(replace(SPEC, companions=())), tmp_path / "alone")
    assert load_trained(alone, SPEC.data, SPEC.seed).companions == {}


def test_a_model_is_not_audited_on_texts_it_was_trained_on(tmp_path: Path) -> None:
    rows = ["text,label"] + [
        f"{word} film number {i} of its series,{word}"
        for i in range(60)
        for word in ("good", "bad")
    ]
    (tmp_path / "reviews.csv").write_text("\n".join(rows))
    data = parse_data(str(tmp_path / "reviews.csv"))
    spec = replace(
        SPEC, data=data, model=parse_model("mlp(hidden=4)"), fit=FitSpec(epochs=1), companions=()
    )
    folder = save_trained(train(spec), tmp_path / "model")
    assert load_trained(folder, data, spec.seed).dataset.test
    for other in (data, replace(data, max_tokens=4)):
        with pytest.raises(DataError, match="test texts were used to train"):
            load_trained(folder, other, spec.seed + 1)


def test_the_test_split_cannot_reach_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only training and validation texts are ever collated before the audit."""
    from sightline.models.classifier import AttentionClassifier

    seen: set[int] = set()
    collate = AttentionClassifier.collate

    def watched(self: AttentionClassifier, examples: list) -> object:
        seen.update(e.index for e in examples)
        return collate(self, examples)

    monkeypatch.setattr(AttentionClassifier, "collate", watched)
    dataset = train(SPEC).dataset
    assert seen == {e.index for e in (*dataset.train, *dataset.validation)}
    assert not seen & {e.index for e in dataset.test}


def test_validation_chooses_the_epoch_that_is_kept() -> None:
    lines: list[float] = []
    spec = replace(SPEC, fit=FitSpec(epochs=6, patience=6), companions=())
    trained = train(spec, Display(on_epoch=lambda name, epoch, epochs: lines.append(epoch.loss)))
    record = trained.record["fit"]
    assert len(lines) == 6
    assert record["kept"] == int(np.argmin(lines)) + 1


def test_labels_are_numbered_as_the_model_numbers_them(tmp_path: Path) -> None:
    folder = save_trained(train(SPEC), tmp_path / "model")
    rows = ["text,label,split"] + [
        f"word{i} here,{label},{split}"
        for i, (label, split) in enumerate(
            [
                ("beta", "train"),
                ("alpha", "train"),
                ("beta", "dev"),
                ("alpha", "dev"),
                ("beta", "test"),
                ("alpha", "test"),
            ]
        )
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    dataset = load_trained(folder, parse_data(str(tmp_path / "t.csv")), 0).dataset
    assert [dataset.label_names[e.label] for e in dataset.test] == ["beta", "alpha"]
    (tmp_path / "u.csv").write_text("\n".join(rows).replace("beta", "gamma"))
    with pytest.raises(DataError, match="no class for 'gamma'"):
        load_trained(folder, parse_data(str(tmp_path / "u.csv")), 0)


def test_what_cannot_be_run_is_said() -> None:
    with pytest.raises(SpecError, match="unknown control model 'twin'; expected one of uniform"):
        train(replace(SPEC, companions=("twin",)))
    for name in ("moon", "meta"):
        with pytest.raises(ModelError, match=f"device: {name}"):
            pick_device(name)
    assert pick_device("cpu") == "cpu"


@pytest.mark.parametrize("damage", ["model.json", "model.safetensors"])
def test_a_damaged_checkpoint_is_an_error_that_names_it(tmp_path: Path, damage: str) -> None:
    folder = save_trained(train(replace(SPEC, companions=())), tmp_path / "model")
    (folder / damage).write_bytes((folder / damage).read_bytes()[:100])
    with pytest.raises(
        ModelError, match=rf"{damage}: not as it was written, says SHA256SUMS next to it; train"
    ):
        load_trained(folder, SPEC.data, SPEC.seed)
    with pytest.raises(
        ModelError, match=rf"{damage}: expected (what|the weights that) `sightline train` wrote"
    ):
        load_trained(put(folder / damage, (folder / damage).read_bytes()), SPEC.data, SPEC.seed)


def test_saving_refuses_a_strange_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    with pytest.raises(ModelError, match="exists and is not a saved model"):
        save_trained(train(replace(SPEC, companions=())), tmp_path / "mine")


@pytest.mark.gpu
def test_a_run_on_an_accelerator_agrees_with_the_cpu() -> None:
    here, there = (run(SPEC, device=device)[1] for device in ("cpu", pick_device("auto")))
    for name in ("gradient", "deletion"):
        first, second = (a.measurements["agreement"].values[name].flat for a in (here, there))
        assert first == pytest.approx(second, abs=1e-3)


def test_a_training_that_the_cap_ended_is_named_in_the_report() -> None:
    short = train(replace(SPEC, fit=FitSpec(epochs=2, patience=2)))
    assert cut_short(short) == ["model", "control model (uniform attention)"]
    message = audit_trained(short, 0, Display(), limit=5).spec["trainings"]
    assert message["model"] == {
        "epochs": 2,
        "kept": short.record["fit"]["kept"],
        "converged": False,
    }
    long = train(
        replace(SPEC, fit=FitSpec(epochs=60, patience=2, learning_rate=0.02), companions=())
    )
    assert cut_short(long) == []
    assert len(long.record["fit"]["epochs"]) == long.record["fit"]["kept"] + 2


def test_candidates_are_numbered_as_the_model_numbers_its_labels() -> None:
    dataset = load(parse_data("planted:world(n=40,places=3,named=true,sentences=4)"), 0)
    turned = numbered_for(
        dataset, ("cellar", "office", "kitchen", "garden")
    )  # the data: garden, kitchen, office
    for before, after in zip(dataset.test, turned.test, strict=True):
        assert turned.label_names[after.label] == dataset.label_names[before.label]
        named = [turned.label_names[candidate] for candidate in after.candidates]
        assert named == [dataset.label_names[candidate] for candidate in before.candidates]


def test_another_question_about_a_text_is_another_text() -> None:
    one = load(parse_data("planted:world(n=40)"), 0).test[0]
    other = replace(one, query=("where", "is", "nobody"))
    assert fingerprint(one) == fingerprint(replace(one, label=0))
    assert len({fingerprint(one), fingerprint(other), fingerprint(replace(one, query=None))}) == 3
    asked = replace(one, query=("where", "is"), query_text="Where is nobody")
    assert fingerprint(asked) == fingerprint(other)  # however many words of a query are read
    plain = replace(one, text="A good film", query=None)
    # what saved models know of their texts must not change
    assert fingerprint(plain) == hashlib.blake2b(b"a good film", digest_size=8).hexdigest()


def test_an_audit_takes_what_it_is_asked_for_and_shows_what_it_is_told_to() -> None:
    asked = replace(SPEC, measures=("need", "reach"), companions=())
    trained, found = run(asked)
    assert list(found.measurements) == ["outputs", "need", "reach"]
    assert next(f.reason for f in found.findings if f.code == "SL-301") == "it was not asked for"
    shown, other = run(replace(asked, altered="random"))
    assert isinstance(shown.model, RandomShown)
    need = next(f for f in other.findings if f.code == "SL-001")
    assert need.score.value == 0.0  # nothing follows from weights that are not used
    parameters = zip(trained.model.parameters(), shown.model.model.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in parameters)
