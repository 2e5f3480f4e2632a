"""Train a classifier: a plain loop with an exact seed, which keeps the epoch that validation
selects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.specs import FitSpec
from sightline.core.errors import DataError, ModelError
from sightline.core.seeds import Seeds
from sightline.data.batches import length_batches, training_batches
from sightline.data.dataset import Split
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.classification_metrics import area_under_roc
from sightline.numerics.divergences import probabilities
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy
from sightline.training.adam import Adam, ParameterGroup
from sightline.training.epoch import EpochSteps
from sightline.training.objective import LabelSets, MultiLabelLoss, Objective, SingleLabelLoss
from sightline.training.resume_state import (
    NO_STATES,
    Epoch,
    ResumePoint,
    State,
    restore_training,
    tensors_of,
    weights_of,
)

BatchCallback = Callable[[int, int, int], None]
"""Called after each batch with the epoch number, the batches done in it, and the batches of an
epoch."""


@dataclass(frozen=True)
class FitRecord:
    """The epochs of a training, which one was kept, and whether patience ended it rather than the
    epoch cap.

    A model trained for 0 epochs keeps its initial weights.
    """

    epochs: tuple[Epoch, ...]
    kept: int
    converged: bool

    def summary(self) -> dict[str, Any]:
        """Give the number of epochs, the epoch kept, and whether patience ended the training."""
        return {"epochs": len(self.epochs), "kept": self.kept, "converged": self.converged}

    def to_json(self) -> dict[str, Any]:
        """Give the record as plain JSON values."""
        return asdict(self)


def fit(
    model: AttentionClassifier,
    train: Split,
    validation: Split,
    spec: FitSpec,
    seed: int,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    on_batch: BatchCallback = lambda epoch, done, total: None,
    states: ResumePoint = NO_STATES,
    objective: Objective | None = None,
    sets: LabelSets | None = None,
) -> FitRecord:
    """Train in place, and end with the weights of the best validation epoch.

    The order of texts depends only on ``seed``. Training stops ``spec.patience`` epochs after the
    best one. It sees two splits; the test split is no argument. If ``states`` holds a state of this
    training, it resumes from there and gives bit-identical results. The loss is the loss of the
    labels unless ``objective`` is given. For a model with several labels, ``sets`` maps each label
    number to the labels that it stands for.
    """
    if not train or not validation:
        raise DataError("training needs at least one training and one validation text")
    optimiser = _optimiser(model, spec)
    objective = objective or objective_of(model, train, spec, sets)
    steps = EpochSteps(model, objective, optimiser, spec)
    last = states.last() or State((), {})
    done = list(last.epochs)
    kept = restore_training(last, model, optimiser) if last.tensors else weights_of(model)
    lengths = [len(example.tokens) for example in train]

    def keep(batches: int = 0, total: float = 0.0) -> None:
        states.keep(State(tuple(done), tensors_of(model, kept, optimiser), batches, total))

    begun = last.batches, last.total
    while not _ended(done, spec):
        number = len(done) + 1
        order = training_batches(lengths, spec.batch_size, Seeds(seed).generator("order", number))
        steps.begin(number, len(order), *begun)
        with optimiser.reading():
            _train_epoch(train, order, steps, states.due, keep, on_batch)
        best = max((-np.inf, *(_merit(epoch, spec) for epoch in done)))
        done.append(_validate(model, validation, objective, number, steps.end() / len(train), sets))
        _check_merit(done[-1], spec)
        if _merit(done[-1], spec) > best:
            kept = weights_of(model)
        begun = 0, 0.0
        if states.due():
            keep()
        on_epoch(done[-1])
    model.load_state_dict(kept)
    model.eval()
    return FitRecord(tuple(done), _kept(done, spec), _patient(done, spec) or not spec.epochs)


def objective_of(
    model: AttentionClassifier, train: Split, spec: FitSpec, sets: LabelSets | None
) -> Objective:
    """Give the objective for one label for each text, or for several."""
    if sets is None:
        return SingleLabelLoss(train, len(model.label_names), spec, model.device)
    return MultiLabelLoss(train, sets, spec, model.device)


def _ended(done: list[Epoch], spec: FitSpec) -> bool:
    return len(done) >= spec.epochs or _patient(done, spec)


def _patient(done: list[Epoch], spec: FitSpec) -> bool:
    """Tell whether patience has run out."""
    return bool(done) and len(done) - _kept(done, spec) >= spec.patience


def _optimiser(model: AttentionClassifier, spec: FitSpec) -> Adam:
    """Adam over two groups: the papers put no weight decay on attention (Jain & Wallace's released
    code).

    Meister et al. 2021 also raise the learning rate of attention (app. B).
    """
    attention = [*model.scorer.parameters(), *model.projection.parameters()]
    among = {id(parameter) for parameter in attention}
    rest = [parameter for parameter in model.parameters() if id(parameter) not in among]
    groups = (
        ParameterGroup(rest, spec.learning_rate, spec.weight_decay),
        ParameterGroup(
            attention, spec.learning_rate * spec.attention_rate_factor, spec.attention_weight_decay
        ),
    )
    return Adam(groups, spec.amsgrad, spec.decay == "decoupled", model.embeddings)


def _train_epoch(
    train: Split,
    order: list[list[int]],
    steps: EpochSteps,
    due: Callable[[], bool],
    keep: Callable[[int, float], None],
    on_batch: BatchCallback,
) -> None:
    """Run the remaining steps of an epoch."""
    steps.model.train()
    for done, rows in enumerate(order[steps.done :], start=steps.done + 1):
        steps.make([train[i] for i in rows])
        if due():  # checked first, because gathering a state waits for the device
            steps.look()
            keep(steps.done, steps.total)
        on_batch(steps.epoch, done, len(order))


def predict(
    model: AttentionClassifier, split: Split, batch_size: int = 128
) -> Float[np.ndarray, "N L"]:
    """Compute the logits of every text, in the order of the split."""
    model.eval()
    logits = np.zeros((len(split), 1 if model.link == "sigmoid" else len(model.label_names)))
    with torch.no_grad():
        for rows in length_batches(split, batch_size):
            logits[rows] = to_numpy(model(model.collate([split[i] for i in rows])))
    return logits


def _validate(
    model: AttentionClassifier,
    validation: Split,
    objective: Objective,
    number: int,
    training_loss: float,
    sets: LabelSets | None,
) -> Epoch:
    logits = predict(model, validation)
    labels = np.array([example.label for example in validation])
    loss = float(objective.judged(model, validation, logits).mean())
    apart = [(labels, logits)] if sets is None else [*zip(sets[labels].T, logits.T, strict=True)]
    found = [_rates(own.astype(int), given.reshape(len(labels), -1)) for own, given in apart]
    known = [area for _, area in found if not np.isnan(area)]
    return Epoch(
        number,
        training_loss,
        loss,
        float(np.mean([accuracy for accuracy, _ in found])),
        float(np.mean(known)) if known else float("nan"),
    )


def _rates(labels: Int[np.ndarray, " N"], logits: Float[np.ndarray, "N L"]) -> tuple[float, float]:
    """Give accuracy and area under the ROC curve; with several labels, their means."""
    accuracy = float((decision(logits) == labels).mean())
    return accuracy, area_under_roc(labels, probabilities(logits))


def _merit(epoch: Epoch, spec: FitSpec) -> float:
    return {"loss": -epoch.loss, "auc": epoch.auc, "accuracy": epoch.accuracy}[spec.keep]


def _check_merit(epoch: Epoch, spec: FitSpec) -> None:
    """Refuse a validation score that is undefined: it would choose no epoch."""
    if not np.isnan(_merit(epoch, spec)):
        return
    if spec.keep == "auc":
        raise DataError(
            "validation: expected texts of two classes or more, because the epoch is chosen by AUC; "
            "got one class. Add validation texts of another class, or choose by fit.keep = loss"
        )
    raise ModelError(f"the validation loss of epoch {epoch.number} is not a number")


def _kept(done: list[Epoch], spec: FitSpec) -> int:
    """Give the number of the best epoch, the first among equals; 0 without epochs, for the initial
    model.
    """
    return max(done, key=lambda epoch: (_merit(epoch, spec), -epoch.number)).number if done else 0
