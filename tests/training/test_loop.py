"""Training: losses, class weights, seeds, early choice, divergence."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.core.errors import DataError
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import build
from sightline.training.adam import Adam
from sightline.training.loop import _optimiser, fit, predict
from sightline.training.objective import class_weights, cross_entropies
from tests.texts import WORDS, example, examples, trained, untrained

DATA = "planted:needle(n=240,length=6)"


def test_losses_are_the_log_likelihoods() -> None:
    one = cross_entropies(torch.tensor([[0.3], [0.3]]), torch.tensor([1, 0]))
    assert one.tolist() == pytest.approx([np.log1p(np.exp(-0.3)), np.log1p(np.exp(0.3))], rel=1e-5)
    several = cross_entropies(torch.tensor([[1.0, 2.0, 0.5]]), torch.tensor([2]))
    assert several.tolist() == pytest.approx(
        [np.log(np.exp([1.0, 2.0, 0.5]).sum()) - 0.5], rel=1e-5
    )


def test_class_weights_are_negatives_over_positives() -> None:
    train = load(parse_data(DATA), 0).train
    skewed = tuple(e for e in train if e.label == 0) + tuple(e for e in train if e.label == 1)[:18]
    negatives = sum(e.label == 0 for e in skewed)
    assert class_weights(skewed, 2, FitSpec(class_weights=True)).tolist() == pytest.approx(
        [1.0, negatives / 18]
    )
    assert class_weights(skewed, 2, FitSpec()).tolist() == [1.0, 1.0]


def test_attention_has_its_own_weight_decay() -> None:
    model = untrained("mlp(hidden=6)+additive")
    optimiser = _optimiser(
        model, FitSpec(weight_decay=0.5, attention_weight_decay=0.0, amsgrad=True)
    )
    decayed = {id(p): group.weight_decay for group in optimiser.groups for p in group.parameters}
    assert {decayed[id(p)] for p in model.scorer.parameters()} == {0.0}
    assert {decayed[id(p)] for n, p in model.named_parameters() if not n.startswith("scorer.")} == {
        0.5
    }
    assert len(decayed) == len(list(model.parameters()))
    assert all(rule.amsgrad for rule in optimiser.rules)


@pytest.mark.parametrize(("decay", "decoupled"), [("coupled", False), ("decoupled", True)])
def test_weight_decay_is_a_penalty_or_stands_beside_the_gradient(
    decay: str, decoupled: bool
) -> None:
    optimiser = _optimiser(untrained("mlp(hidden=6)"), FitSpec(decay=decay))
    assert [rule.decoupled for rule in optimiser.rules] == [decoupled] * 2


def test_attention_may_learn_faster_and_its_projection_is_a_part_of_it() -> None:
    model = untrained("mlp(hidden=6)+additive+entmax(learned=true)")
    groups = _optimiser(model, FitSpec(learning_rate=0.01, attention_rate_factor=10.0)).groups
    rates = {id(p): group.learning_rate for group in groups for p in group.parameters}
    faster = {n for n, p in model.named_parameters() if rates[id(p)] == pytest.approx(0.1)}
    assert faster == {
        "scorer.inner.weight",
        "scorer.inner.bias",
        "scorer.outer.weight",
        "projection.theta",
    }
    assert {rates[id(p)] for n, p in model.named_parameters() if n not in faster} == {0.01}


@pytest.mark.parametrize("clipping", [0.0, 0.25])
def test_clipping_scales_all_gradients_down_together(
    monkeypatch: pytest.MonkeyPatch, clipping: float
) -> None:
    model, seen = untrained("mlp(hidden=6)"), []
    monkeypatch.setattr(
        Adam,
        "step",
        lambda self, skip: seen.append(
            [p.grad.clone() for group in self.groups for p in group.parameters]
        ),
    )
    texts = tuple(examples((5,) * 32))
    fit(model, texts, texts, FitSpec(epochs=1, reduction="sum", gradient_clipping=clipping), 0)
    (gradients,) = seen
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm().item()
    assert norm == pytest.approx(0.25, rel=1e-3) if clipping else norm > 0.5


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_what_retention_asks_for_is_added_to_the_loss_of_each_text(reduction: str) -> None:
    model, plain = untrained("mlp(hidden=8)+tying(delta=4.0)"), untrained("mlp(hidden=8)")
    texts = tuple(examples((5,) * 32))
    beside = model.auxiliary_loss(model.trace(model.collate(texts))).item()
    lines = [
        fit(one, texts, texts, FitSpec(epochs=1, reduction=reduction), 0).epochs[0]
        for one in (model, plain)
    ]
    assert lines[0].training_loss == pytest.approx(lines[1].training_loss + beside, rel=1e-5)
    assert lines[0].loss == pytest.approx(lines[1].loss, abs=0.1)  # validation reads the task alone


def test_tying_brings_states_to_their_embeddings() -> None:
    def apart(kind: str) -> float:
        model, dataset = trained(DATA, f"bilstm(hidden=50)+{kind}", epochs=5, learning_rate=0.01)
        trace = model.trace(model.collate(dataset.test))
        return (trace.states - trace.embeddings)[trace.batch.mask].square().sum(1).mean().item()

    assert apart("tying(delta=10)") < 0.3 * apart("none")


def test_masked_language_modelling_leaves_the_embeddings_and_learns_to_guess() -> None:
    """Texts of one word, said six times: a masked one follows from those beside it, whatever the
    label.
    """
    texts = tuple(example(" ".join([WORDS[i % 25]] * 6), i, (i // 25) % 2) for i in range(200))
    model = untrained("bilstm(hidden=8)+mlm(p=0.3)", embedding=16)
    before = model.embedding.weight.clone()
    record = fit(model, texts, texts, FitSpec(epochs=15, patience=15, learning_rate=0.01), 0)
    assert torch.equal(model.embedding.weight, before)
    assert record.epochs[-1].training_loss < 0.5 * record.epochs[0].training_loss


@pytest.mark.parametrize("seed", [0, 1])
def test_dot_attention_stays_uniform_unless_its_vector_starts_large(seed: int) -> None:
    """Tutek & Šnajder 2020, app. C: the cure is N(0, 1)."""
    dataset = load(parse_data("planted:needle(n=800,length=12)"), 0)

    def largest_weight(start: str) -> float:
        """The largest weight of a text, as a multiple of the uniform one."""
        spec, training = build_specs(f"bilstm(hidden=32)+dot(start={start})", "tutek2020", epochs=5)
        spec = replace(spec, embedding=64, embedding_std=1.0)
        model = build(spec, Vocabulary.fit(dataset.train), dataset.label_names, seed)
        fit(model, dataset.train, dataset.validation, training, seed)
        trace = model.trace(model.collate(dataset.test))
        return (trace.attention.amax(1) * trace.batch.attendable.sum(1)).mean().item()

    assert largest_weight("uniform") < 1.1
    assert largest_weight("normal") > 1.8


def test_training_learns_and_depends_on_its_seed_alone() -> None:
    first, dataset = trained("planted:needle(n=800,length=9)", "mlp(hidden=32)", epochs=15)
    second, _ = trained("planted:needle(n=800,length=9)", "mlp(hidden=32)", epochs=15)
    accuracy = ((predict(first, dataset.test)[:, 0] > 0) == [e.label for e in dataset.test]).mean()
    assert accuracy > 0.95
    assert all(
        torch.equal(a, b)
        for a, b in zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    )


@pytest.mark.parametrize("keep", ["loss", "auc", "accuracy"])
def test_the_kept_epoch_is_the_best_by_the_chosen_figure(keep: str) -> None:
    dataset = load(parse_data("planted:needle(n=240,length=6,strength=0.7)"), 0)
    model = build(
        parse_model("mlp(hidden=16)"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    record = fit(
        model, dataset.train, dataset.validation, FitSpec(epochs=12, patience=12, keep=keep), 0
    )
    figures = [{"loss": -e.loss, "auc": e.auc, "accuracy": e.accuracy}[keep] for e in record.epochs]
    assert record.kept == int(np.argmax(figures)) + 1
    labels = np.array([e.label for e in dataset.validation])
    now = ((predict(model, dataset.validation)[:, 0] > 0) == labels).mean()
    assert now == pytest.approx(record.epochs[record.kept - 1].accuracy)


def test_of_equal_epochs_the_weights_of_the_first_are_kept() -> None:
    dataset = load(parse_data("planted:needle(n=240,length=6,strength=0.7)"), 0)
    model = build(
        parse_model("mlp(hidden=16)"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    weights = []
    record = fit(
        model,
        dataset.train,
        dataset.validation[:8],
        FitSpec(epochs=8, patience=8, keep="accuracy"),
        0,
        on_epoch=lambda epoch: weights.append(model.decoder.affine.weight.detach().clone()),
    )
    figures = [epoch.accuracy for epoch in record.epochs]
    best = [number for number, figure in enumerate(figures) if figure == max(figures)]
    assert len(best) > 1
    assert best[-1] > 0
    assert record.kept == best[0] + 1
    kept = model.decoder.affine.weight
    assert [torch.equal(kept, one) for one in weights].index(True) == best[0]
    assert sum(torch.equal(kept, one) for one in weights) == 1


def test_training_stops_when_patience_ends() -> None:
    dataset = load(parse_data("planted:needle(n=240,length=6,strength=0.5)"), 0)
    model = build(
        parse_model("mlp(hidden=16)"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    record = fit(
        model,
        dataset.train,
        dataset.validation,
        FitSpec(epochs=60, patience=3, learning_rate=0.01),
        0,
    )
    assert len(record.epochs) == record.kept + 3 < 60


def test_padding_stays_zero() -> None:
    model, _ = trained(DATA, "bilstm(hidden=4)", epochs=2)
    assert (model.embedding.weight[0] == 0).all()


def test_empty_splits_are_errors() -> None:
    dataset = load(parse_data(DATA), 0)
    model = build(
        parse_model("mlp(hidden=4)"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    with pytest.raises(DataError, match="at least one training"):
        fit(model, dataset.train, (), FitSpec(epochs=1), 0)


def test_an_epoch_cannot_be_chosen_by_the_auc_of_one_class() -> None:
    dataset = load(parse_data(DATA), 0)
    model = build(
        parse_model("mlp(hidden=4)"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    alone = tuple(text for text in dataset.validation if text.label == 1)
    asked = FitSpec(epochs=2, keep="auc")
    with pytest.raises(DataError, match="two classes or more"):
        fit(model, dataset.train, alone, asked, 0)
    assert fit(model, dataset.train, alone, replace(asked, keep="loss"), 0).kept


def test_classes_are_weighed_by_the_first_one_that_has_texts() -> None:
    texts = tuple(example("a", index, label) for index, label in enumerate((1, 1, 2)))
    assert class_weights(texts, 3, FitSpec(class_weights=True)).tolist() == [2.0, 1.0, 2.0]
