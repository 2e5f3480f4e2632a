"""Training objectives: the loss of the labels, plus additional terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.data.dataset import Split
from sightline.models.classifier import AttentionClassifier
from sightline.training.attention_supervision import check_guidable, guidance

LabelSets = np.ndarray
"""For each label number, the set of labels that it stands for, as booleans: numbers × labels."""


class Objective(Protocol):
    """The loss that training minimises, and the loss that validation judges an epoch by."""

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        ...

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text from its logits."""
        ...


class SingleLabelLoss:
    """The class-weighted loss of the one label of each text, plus the losses of the guide and the
    retention.
    """

    def __init__(
        self, train: Split, classes: int, spec: FitSpec, device: torch.device | str = "cpu"
    ) -> None:
        check_guidable(train, spec)
        self.spec = spec
        self.weights = class_weights(train, classes, spec).to(device)

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        trace = model.run(model.collate(texts))
        losses = (
            cross_entropies(trace.logits, trace.batch.labels) * self.weights[trace.batch.labels]
        )
        if self.spec.guide:
            losses = losses + guidance(trace.attention, trace.batch, texts, self.spec)
        auxiliary = model.auxiliary_loss(trace)
        return losses if auxiliary is None else losses + auxiliary

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text from its label only, with equal class weights."""
        labels = torch.tensor([example.label for example in validation])
        return np.asarray(cross_entropies(torch.from_numpy(logits), labels))


class MultiLabelLoss:
    """The loss of several labels, each against its absence, summed over the labels of a text
    (Mullenbach et al. 2018, eq. 5); positives get the weight that `class_weights` gives the second
    class.

    ``sets`` maps each label number to its labels.
    """

    def __init__(
        self,
        train: Split,
        sets: Bool[np.ndarray, "S K"],
        spec: FitSpec,
        device: torch.device | str = "cpu",
    ) -> None:
        self.targets = torch.from_numpy(sets).float().to(device)
        positive = self.targets[[example.label for example in train]].sum(0)
        ratio = (len(train) - positive) / positive.clamp(min=1)
        self.weights = ratio if spec.class_weights else torch.ones_like(ratio)

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        trace = model.run(model.collate(texts))
        targets = self.targets[trace.batch.labels]
        losses = by_label(trace.logits, targets) * torch.where(targets > 0, self.weights, 1.0)
        auxiliary = model.auxiliary_loss(trace)
        return losses.sum(1) if auxiliary is None else losses.sum(1) + auxiliary

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text from its labels only, with equal weights."""
        targets = self.targets.cpu()[[example.label for example in validation]]
        return np.asarray(by_label(torch.from_numpy(logits), targets).sum(1))


def by_label(
    logits: Float[torch.Tensor, "B K"], targets: Float[torch.Tensor, "B K"]
) -> Float[torch.Tensor, "B K"]:
    """Negative log-likelihood of each label or its absence."""
    return binary_cross_entropy_with_logits(logits, targets.to(logits.dtype), reduction="none")


def class_weights(train: Split, classes: int, spec: FitSpec) -> Float[torch.Tensor, " C"]:
    """Weigh each class by the count of the first class that has texts over its own, as the papers
    weigh positives by N_neg/N_pos.
    """
    if not spec.class_weights:
        return torch.ones(classes)
    counts = np.bincount([example.label for example in train], minlength=classes)
    return torch.tensor(counts[counts > 0][0] / np.maximum(counts, 1), dtype=torch.float32)


def cross_entropies(
    logits: Float[torch.Tensor, "B L"], labels: Int[torch.Tensor, " B"]
) -> Float[torch.Tensor, " B"]:
    """Negative log-likelihood of each label: binary for one logit, categorical for more."""
    if logits.shape[1] == 1:
        return binary_cross_entropy_with_logits(
            logits[:, 0], labels.to(logits.dtype), reduction="none"
        )
    return cross_entropy(logits, labels, reduction="none")
