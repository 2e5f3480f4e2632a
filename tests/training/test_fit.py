"""Training: losses, class weights, seeds, early choice, divergence."""

import numpy as np
import pytest
import torch

from sightline.data.loading import load
from sightline.data.vocabulary import Vocabulary
from sightline.errors import DataError, ModelError
from sightline.models.classifier import build
from sightline.spec import FitSpec, parse_data, parse_model
from sightline.training.fit import _class_weights, _optimiser, cross_entropies, fit, predict
from tests.texts import trained, untrained

DATA = "planted:needle(n=240,length=6)"


def test_losses_are_the_log_likelihoods() -> None:
    one = cross_entropies(torch.tensor([[0.3], [0.3]]), torch.tensor([1, 0]))
    assert one.tolist() == pytest.approx([np.log1p(np.exp(-0.3)), np.log1p(np.exp(0.3))], rel=1e-5)
    several = cross_entropies(torch.tensor([[1.0, 2.0, 0.5]]), torch.tensor([2]))
    assert several.tolist() == pytest.approx([np.log(np.exp([1.0, 2.0, 0.5]).sum()) - 0.5], rel=1e-5)


def test_class_weights_are_negatives_over_positives() -> None:
    train = load(parse_data(DATA), 0).train
    skewed = tuple(e for e in train if e.label == 0) + tuple(e for e in train if e.label == 1)[:18]
    negatives = sum(e.label == 0 for e in skewed)
    assert _class_weights(skewed, 2, FitSpec(class_weights=True)).tolist() == pytest.approx([1.0, negatives / 18])
    assert _class_weights(skewed, 2, FitSpec()).tolist() == [1.0, 1.0]


def test_attention_has_its_own_weight_decay() -> None:
    model = untrained("mlp(hidden=6)+additive")
    groups = _optimiser(model, FitSpec(weight_decay=0.5, attention_weight_decay=0.0, amsgrad=True)).param_groups
    decayed = {id(p): g["weight_decay"] for g in groups for p in g["params"]}
    assert {decayed[id(p)] for p in model.scorer.parameters()} == {0.0}
    assert {decayed[id(p)] for n, p in model.named_parameters() if not n.startswith("scorer.")} == {0.5}
    assert len(decayed) == len(list(model.parameters()))
    assert all(g["amsgrad"] for g in groups)


def test_training_learns_and_depends_on_its_seed_alone() -> None:
    first, dataset = trained("planted:needle(n=800,length=9)", "mlp(hidden=32)", epochs=15)
    second, _ = trained("planted:needle(n=800,length=9)", "mlp(hidden=32)", epochs=15)
    accuracy = ((predict(first, dataset.test)[:, 0] > 0) == [e.label for e in dataset.test]).mean()
    assert accuracy > 0.95
    assert all(
        torch.equal(a, b) for a, b in zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    )


@pytest.mark.parametrize("keep", ["loss", "auc", "accuracy"])
def test_the_kept_epoch_is_the_best_by_the_chosen_figure(keep: str) -> None:
    dataset = load(parse_data("planted:needle(n=240,length=6,strength=0.7)"), 0)
    model = build(parse_model("mlp(hidden=16)"), Vocabulary.fit(dataset.train), dataset.label_names, 0)
    record = fit(model, dataset.train, dataset.validation, FitSpec(epochs=12, patience=12, keep=keep), 0)
    figures = [{"loss": -e.loss, "auc": e.auc, "accuracy": e.accuracy}[keep] for e in record.epochs]
    assert record.kept == int(np.argmax(figures)) + 1
    labels = np.array([e.label for e in dataset.validation])
    now = ((predict(model, dataset.validation)[:, 0] > 0) == labels).mean()
    assert now == pytest.approx(record.epochs[record.kept - 1].accuracy)


def test_training_stops_when_patience_ends() -> None:
    dataset = load(parse_data("planted:needle(n=240,length=6,strength=0.5)"), 0)
    model = build(parse_model("mlp(hidden=16)"), Vocabulary.fit(dataset.train), dataset.label_names, 0)
    record = fit(model, dataset.train, dataset.validation, FitSpec(epochs=60, patience=3, learning_rate=0.01), 0)
    assert len(record.epochs) == record.kept + 3 < 60


def test_padding_stays_zero() -> None:
    model, _ = trained(DATA, "bilstm(hidden=4)", epochs=2)
    assert (model.embedding.weight[0] == 0).all()


def test_divergence_and_empty_splits_are_errors() -> None:
    dataset = load(parse_data(DATA), 0)
    model = build(parse_model("mlp(hidden=4)"), Vocabulary.fit(dataset.train), dataset.label_names, 0)
    with torch.no_grad():
        model.decoder.affine.weight[:] = float("nan")
    with pytest.raises(ModelError, match="training diverged"):
        fit(model, dataset.train, dataset.validation, FitSpec(epochs=1), 0)
    with pytest.raises(DataError, match="at least one training"):
        fit(model, dataset.train, (), FitSpec(epochs=1), 0)
