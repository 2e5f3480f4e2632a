"""What a training makes small: the loss of the labels, with what is added to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float, Int
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.data.dataset import Split
from sightline.models.classifier import AttentionClassifier
from sightline.training.attention_supervision import check_guidable, guidance


class Objective(Protocol):
    """What is made small: for each training text, and by which validation judges an epoch."""

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        ...

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text, whose logits are known already."""
        ...


class Labels:
    """The loss of the labels, weighed by class, and what the guide and the model's retention ask
    for beside it.
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
        beside = model.losses_beside(trace)
        return losses if beside is None else losses + beside

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text by its label alone, every class weighing the
        same.
        """
        labels = torch.tensor([example.label for example in validation])
        return np.asarray(cross_entropies(torch.from_numpy(logits), labels))


def class_weights(train: Split, classes: int, spec: FitSpec) -> Float[torch.Tensor, " C"]:
    """Weigh a class by how often the first occurs against it, as the papers weigh positives by
    N_neg/N_pos.
    """
    if not spec.class_weights:
        return torch.ones(classes)
    counts = np.bincount([example.label for example in train], minlength=classes)
    return torch.tensor(counts[0] / np.maximum(counts, 1), dtype=torch.float32)


def cross_entropies(
    logits: Float[torch.Tensor, "B L"], labels: Int[torch.Tensor, " B"]
) -> Float[torch.Tensor, " B"]:
    """Negative log-likelihood of each label: binary for one logit, categorical for more."""
    if logits.shape[1] == 1:
        return binary_cross_entropy_with_logits(
            logits[:, 0], labels.to(logits.dtype), reduction="none"
        )
    return cross_entropy(logits, labels, reduction="none")
