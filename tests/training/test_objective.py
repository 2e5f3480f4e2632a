"""The losses of single texts, written out."""

import numpy as np
import pytest
import torch

from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier
from sightline.training.objective import MultiLabelLoss, SingleLabelLoss
from tests.reference.formulas import run_alone
from tests.texts import example, examples, untrained

TEXTS = tuple(examples((5, 3, 7, 4, 6)))


def logits_of(model: AttentionClassifier, text: Example) -> np.ndarray:
    return model.trace(model.collate([text])).logits[0].double().numpy()


@pytest.mark.parametrize(("classes", "weights"), [(2, (1, 1.5)), (3, (1, 2, 4))])
@pytest.mark.parametrize("weighed", [True, False])
def test_the_loss_of_a_text_is_weighed_by_its_class(
    classes: int, weights: tuple[float, ...], weighed: bool
) -> None:
    model = untrained("mlp(hidden=6)+additive", classes)
    labels = (0, 0, 0, 1, 1) if classes == 2 else (0, 0, 0, 0, 1, 1, 2)
    train = tuple(example("ba", n, label) for n, label in enumerate(labels))
    objective = SingleLabelLoss(train, classes, FitSpec(class_weights=weighed))
    texts = examples((5, 3, 7, 4, 6), classes=classes)
    wanted = [
        -np.log(run_alone(model, text)[text.label]) * (weights[text.label] if weighed else 1)
        for text in texts
    ]
    assert objective.losses(model.eval(), texts).tolist() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("spec", ["mlp(hidden=6)+additive", "mlp(hidden=8)+tying(delta=4.0)"])
@pytest.mark.parametrize("weighed", [True, False])
def test_only_labels_that_a_text_has_are_weighed(spec: str, weighed: bool) -> None:
    model, texts = untrained(spec, 4).eval(), examples((5, 3, 7, 4, 6), classes=3)
    sets = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]], dtype=bool)  # of each label number
    train = tuple(example("ba", n, label) for n, label in enumerate((0, 1, 1, 1)))
    # Texts without the label over those with it, of which the last has none and counts as one.
    ratios = (3 / 1, 1 / 3, 0 / 4, 4 / 1) if weighed else (1, 1, 1, 1)
    beside = model.auxiliary_loss(model.trace(model.collate(texts)))
    wanted = []
    for text in texts:
        loss = 0.0 if beside is None else beside.item()
        for z, has, ratio in zip(logits_of(model, text), sets[text.label], ratios, strict=True):
            loss += ratio * np.log1p(np.exp(-z)) if has else np.log1p(np.exp(z))
        wanted.append(loss)
    objective = MultiLabelLoss(train, sets, FitSpec(class_weights=weighed))
    assert objective.losses(model, texts).tolist() == pytest.approx(wanted, rel=1e-5)


def test_validation_weighs_all_classes_and_labels_alike() -> None:
    train = tuple(example("ba", n, n % 2) for n in range(3))
    spec, one = FitSpec(class_weights=True), untrained("mlp(hidden=6)+additive")
    logits = np.array([logits_of(one, text) for text in TEXTS])
    wanted = [-np.log(run_alone(one, text)[text.label]) for text in TEXTS]
    judged = SingleLabelLoss(train, 2, spec).judged(one, TEXTS, logits)
    assert judged == pytest.approx(wanted, rel=1e-5)
    sets, several = np.array([[True, False], [True, True]]), untrained("mlp(hidden=6)", 2)
    logits = torch.tensor([[0.5, -1.0], [2.0, 0.0], [0.0, 1.0], [-1.0, 3.0], [0.0, 0.0]]).numpy()
    signs = np.where(sets[[text.label for text in TEXTS]], 1, -1)
    wanted = np.log1p(np.exp(-signs * logits)).sum(axis=1)
    judged = MultiLabelLoss(train, sets, spec).judged(several, TEXTS, logits)
    assert judged == pytest.approx(wanted, rel=1e-5)
