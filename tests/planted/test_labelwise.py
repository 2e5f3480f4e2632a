"""A trained model with an attention for each label whose truth is known: one label may be shown, and
the other, predicted as well, may not. Every door gives the same numbers.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.precision import to_float64
from sightline.api.train import save_trained
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import DataError, SpecError
from sightline.core.protocols import Auditable, Batch
from sightline.core.results import Measurement
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.classification_metrics import area_under_roc
from sightline.training.loop import predict
from tests.planted.labelwise import LABELS, VALIDATION, data, trained


@cache
def audits() -> sightline.LabelAudits:
    return sightline.audit_labels(trained(), data())


def test_each_label_gets_the_verdict_that_is_true() -> None:
    found = audits()
    assert [*found.audits] == [*LABELS]
    assert found.audits["read"].verdict.by_class["read"].level.permits
    assert found.audits["hidden"].verdict.by_class["hidden"].level == "must not be shown"
    assert found.audits["hidden"].verdict.level == "must not be shown"
    assert all(one.metrics["accuracy"].value > 0.9 for one in found.audits.values())


def wrapped() -> Auditable:
    """Wrap the model as its owner would, who knows nothing of views."""
    model = to_float64(trained())
    assert isinstance(model, AttentionClassifier)

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        states = model.encoder(vectors, batch.mask)
        scores = model.scorer(states).masked_fill(~batch.attendable[:, None], -torch.inf)
        attention = scores.softmax(-1)
        return {"attention": attention, "states": states, "logits": mixed(states, attention)}

    def mixed(states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        return model.decoder(torch.einsum("bkt,bth->bkh", attention, states))

    return sightline.wrap(
        model,
        collate=model.collate,
        embed=model.embed,
        trace=trace,
        decode=lambda traced, attention: mixed(traced["states"], attention),
        token_logits=lambda traced: model.decoder.affine(traced["states"]),
        link="sigmoids",
        labels=LABELS,
    )


def numbers_of(audit: Any) -> dict[str, np.ndarray]:
    return {
        f"{name}.{quantity}": values
        for name, one in audit.measurements.items()
        if isinstance(one, Measurement)
        for quantity, values in one.values.items()
        if isinstance(values, np.ndarray) and values.dtype.kind == "f"
    }


def test_the_door_of_modules_gives_the_numbers_of_the_built_in_one() -> None:
    other = sightline.audit_labels(wrapped(), data(), "read").audits["read"]
    own, theirs = numbers_of(audits().audits["read"]), numbers_of(other)
    both = [name for name in theirs if name in own and theirs[name].shape == own[name].shape]
    # Of a module each changed text is a run: random words are removed in fewer orders.
    drawn = {
        name
        for name in both
        if name in ("erasure.floor", "erasure.alone") or name.endswith(".random")
    }
    both = [name for name in both if name not in drawn]
    assert len(both) > 30
    for name in both:
        np.testing.assert_allclose(theirs[name], own[name], atol=1e-5, rtol=0, err_msg=name)


def test_training_from_texts_with_several_labels_is_the_same_again() -> None:
    one, other = (
        sightline.train(data(), "cnn(channels=4)+labelwise", epochs=2, companions="none")
        for _ in range(2)
    )
    assert isinstance(one.model, AttentionClassifier)
    assert isinstance(other.model, AttentionClassifier)
    assert one.model.labels == LABELS
    assert one.model.link == "sigmoids"
    assert all(
        torch.equal(a, b)
        for a, b in zip(one.model.parameters(), other.model.parameters(), strict=True)
    )
    last = one.record["fit"]["epochs"][-1]
    logits, sets = predict(one.model, data().validation), data().label_sets
    assert sets is not None
    assert logits.shape == (VALIDATION, 2)
    wanted = sets[[example.label for example in data().validation]]
    assert last["accuracy"] == pytest.approx(((logits > 0) == wanted).mean())
    odds = np.exp(-np.abs(logits))
    chances = np.where(logits > 0, 1, odds) / (1 + odds)
    areas = [
        area_under_roc(wanted[:, k].astype(int), np.stack([1 - chances[:, k], chances[:, k]], 1))
        for k in range(2)
    ]
    assert last["auc"] == pytest.approx(np.mean(areas))
    loss = -np.where(wanted, np.log(chances), np.log1p(-chances)).sum(1).mean()
    assert last["loss"] == pytest.approx(loss, rel=1e-5)


def test_a_saved_model_is_audited_predicts_and_is_looked_at_by_label(tmp_path: Path) -> None:
    made = sightline.train(data(), "cnn(channels=8)+labelwise", epochs=8, learning_rate=0.02)
    folder = save_trained(made, tmp_path / "model")
    found = sightline.audit_labels(folder, data(), "read", limit=110)
    again = sightline.audit_labels(made, data(), "read", limit=110)
    score = found.audits["read"].findings[0].score
    assert score is not None
    assert score == again.audits["read"].findings[0].score
    assert any(one.code == "SL-001" and one.score for one in found.audits["read"].findings)
    (said,) = sightline.predict(folder, ["w1 w2 read0 w3 hidden1 end"])
    assert said.label == "hidden;read"
    assert [*said.probabilities] == [*LABELS]
    assert min(said.probabilities.values()) > 0.5
    looked = sightline.look(folder, "w1 w2 read0 w3 end", label_name="read")
    assert looked.text.predicted == "read"
    assert looked.maps["attention"].argmax() == 2
    with pytest.raises(SpecError, match="label_name: expected one of the labels"):
        sightline.look(folder, "w1 w2 read0 w3 end")


@pytest.mark.parametrize(
    ("model", "labels", "said"),
    [
        ("mlp", [["a", "b"], ["a"], []] * 4, r"add \+labelwise"),
        ("mlp+labelwise", ["a", "b", "a"] * 4, r"leave \+labelwise out"),
        ("mlp+labelwise", [["a"], ["a"], []] * 4, "two labels or more"),
    ],
)
def test_texts_and_model_agree_on_the_number_of_labels(
    model: str, labels: list[Any], said: str
) -> None:
    made = sightline.data_from([f"w{n} word" for n in range(12)], labels)
    with pytest.raises(DataError, match=said):
        sightline.train(made, model)


@pytest.mark.parametrize("setting", ["guide", "adversary"])
def test_what_needs_one_attention_for_each_text_is_refused(setting: str) -> None:
    fit = FitSpec(**{setting: "last" if setting == "guide" else "kl"})
    with pytest.raises(SpecError, match="one attention for each text") as caught:
        RunSpec(parse_data("notes.csv"), parse_model("mlp+labelwise"), fit)
    assert caught.value.field == f"fit.{setting}"
