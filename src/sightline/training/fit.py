"""Fit a classifier: a plain loop, an exact seed, and the epoch that validation chose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from sightline.data.batching import length_batches, training_batches
from sightline.data.dataset import Split
from sightline.errors import DataError, ModelError
from sightline.maths.divergences import probabilities
from sightline.maths.scores import area_under_roc
from sightline.maths.simplex import decision
from sightline.models.classifier import AttentionClassifier
from sightline.seeds import Seeds
from sightline.spec.values import FitSpec
from sightline.training.adam import Adam, Group
from sightline.training.objective import Labels, Objective
from sightline.training.states import NO_STATES, Epoch, States, state_of, take_up, weights_of

Steps = Callable[[int, int, int], None]
"""Told after each batch: the number of the epoch, the batches done in it, and those in all."""


@dataclass(frozen=True)
class FitRecord:
    """The epochs of a training, which one was kept, and whether patience ended it rather than the cap on epochs."""

    epochs: tuple[Epoch, ...]
    kept: int
    converged: bool

    def summary(self) -> dict[str, Any]:
        """Say how long it took, which epoch was kept, and whether patience ended it."""
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
    on_batch: Steps = lambda epoch, done, total: None,
    states: States = NO_STATES,
    objective: Objective | None = None,
) -> FitRecord:
    """Train in place and leave the weights of the best validation epoch.

    The order of texts depends on ``seed`` alone. Stops ``spec.patience`` epochs after the best one. The arguments are
    the two splits it may see: the test split cannot get in. A training that finds a state of its own in ``states`` goes
    on from there, and ends with the bits of one that was never stopped. What is made small is the loss of the labels,
    unless there is another ``objective``.
    """
    if not train or not validation:
        raise DataError("training needs at least one training and one validation text")
    optimiser = _optimiser(model, spec)
    objective = objective or Labels(train, len(model.label_names), spec, model.device)
    last = states.last()
    done = [] if last is None else list(last.epochs)
    kept = weights_of(model) if last is None else take_up(last, model, optimiser)
    lengths = [len(example.tokens) for example in train]
    while not _ended(done, spec):
        number = len(done) + 1
        order = training_batches(lengths, spec.batch_size, Seeds(seed).generator("order", number))
        step = partial(on_batch, number)
        with optimiser.reading():
            loss = _train_epoch(model, train, order, optimiser, objective, spec, step)
        best = max((-np.inf, *(_merit(epoch, spec) for epoch in done)))
        done.append(_validate(model, validation, objective, number, loss))
        if _merit(done[-1], spec) > best:
            kept = weights_of(model)
        states.keep(state_of(tuple(done), model, kept, optimiser))
        on_epoch(done[-1])
    model.load_state_dict(kept)
    model.eval()
    return FitRecord(tuple(done), _kept(done, spec), _patient(done, spec))


def _ended(done: list[Epoch], spec: FitSpec) -> bool:
    return len(done) >= spec.epochs or _patient(done, spec)


def _patient(done: list[Epoch], spec: FitSpec) -> bool:
    """Tell whether validation has had its chances to improve."""
    return bool(done) and len(done) - _kept(done, spec) >= spec.patience


def _optimiser(model: AttentionClassifier, spec: FitSpec) -> Adam:
    """Adam over two groups: the papers put no weight decay on attention (Jain & Wallace's released code).

    Meister et al. 2021 also let attention learn faster (app. B).
    """
    attention = [*model.scorer.parameters(), *model.projection.parameters()]
    among = {id(parameter) for parameter in attention}
    rest = [parameter for parameter in model.parameters() if id(parameter) not in among]
    groups = (
        Group(rest, spec.learning_rate, spec.weight_decay),
        Group(attention, spec.learning_rate * spec.attention_rate_factor, spec.attention_weight_decay),
    )
    return Adam(groups, spec.amsgrad, spec.decay == "decoupled", model.embeddings)


def _train_epoch(
    model: AttentionClassifier,
    train: Split,
    order: list[list[int]],
    optimiser: Adam,
    objective: Objective,
    spec: FitSpec,
    on_batch: Callable[[int, int], None] = lambda done, total: None,
) -> float:
    model.train()
    total = 0.0
    for done, rows in enumerate(order, start=1):
        losses = objective.losses(model, [train[i] for i in rows])
        loss = losses.sum() if spec.reduction == "sum" else losses.mean()
        model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        gathered = optimiser.gather()
        if spec.gradient_clipping:
            torch.nn.utils.clip_grad_norm_([*model.parameters(), *gathered], spec.gradient_clipping)
        optimiser.step()
        total += float(losses.detach().sum())
        on_batch(done, len(order))
    if not np.isfinite(total):
        raise ModelError(f"training diverged: the loss is {total}; lower the learning rate ({spec.learning_rate})")
    return total / len(train)


def predict(model: AttentionClassifier, split: Split, batch_size: int = 128) -> Float[np.ndarray, "N L"]:
    """Compute the logits of every text, in the order of the split."""
    model.eval()
    logits = np.zeros((len(split), 1 if model.link == "sigmoid" else len(model.label_names)))
    with torch.no_grad():
        for rows in length_batches(split, batch_size):
            logits[rows] = model(model.collate([split[i] for i in rows])).double().cpu().numpy()
    return logits


def _validate(
    model: AttentionClassifier, validation: Split, objective: Objective, number: int, training_loss: float
) -> Epoch:
    logits = predict(model, validation)
    labels = np.array([example.label for example in validation])
    loss = float(objective.judged(model, validation, logits).mean())
    accuracy = float((decision(logits) == labels).mean())
    return Epoch(number, training_loss, loss, accuracy, area_under_roc(labels, probabilities(logits)))


def _merit(epoch: Epoch, spec: FitSpec) -> float:
    return {"loss": -epoch.loss, "auc": epoch.auc, "accuracy": epoch.accuracy}[spec.keep]


def _kept(done: list[Epoch], spec: FitSpec) -> int:
    """Give the number of the best epoch, the first one among equals."""
    return max(done, key=lambda epoch: (_merit(epoch, spec), -epoch.number)).number
