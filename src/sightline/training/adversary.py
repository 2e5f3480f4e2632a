"""Adversarial training against a base model: the same predictions from attention as different as
possible.

The loss of each text is ``TVD(ŷ, ŷ*) − λ · D(α, α*)``, where the star marks the base, whose
probabilities and weights are stored once, and D is one of two divergences:

    KL(α ‖ α*) = Σ α log(α / α*)            Wiegreffe & Pinter 2019; Wen et al. 2022, §5.2
    JSD(α, α*) = ½ KL(α ‖ m) + ½ KL(α* ‖ m)  Tutek & Šnajder 2020, eq. 6; Meister et al. 2021, app. C.1

TVD is half the L1 distance between the probabilities of all classes. With one logit it is ``|σ(s) −
σ(s*)|``, twice the value in Wiegreffe & Pinter's released code: λ here is twice theirs. Labels are
not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from jaxtyping import Float

from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.data.batches import length_batches
from sightline.data.dataset import Split
from sightline.models.attention import by_word
from sightline.models.classifier import AttentionClassifier
from sightline.models.lend_attention import attention_of
from sightline.numerics.divergences import probabilities
from sightline.numerics.tensors import to_numpy

BATCH = 128


class AdversaryObjective:
    """The objective of an adversary; its base's probabilities and weights are computed once for
    every text.
    """

    def __init__(self, base: AttentionClassifier, texts: Iterable[Example], spec: FitSpec) -> None:
        self.spec = spec
        self.attention, self.answers = _stored(base, tuple(texts))

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        trace = model.run(model.collate(texts))
        base = by_word([self.attention[text.index] for text in texts], trace.batch).to(
            trace.attention
        )
        answers = torch.tensor(np.stack([self.answers[text.index] for text in texts])).to(
            trace.logits
        )
        apart = {"kl": kullback_leibler, "jsd": jensen_shannon}[self.spec.adversary or "kl"](
            trace.attention, base
        )
        return total_variation(trace.logits, answers) - self.spec.adversary_weight * apart

    def judged(
        self, model: AttentionClassifier, validation: Split, logits: Float[np.ndarray, "N L"]
    ) -> Float[np.ndarray, " N"]:
        """Give the loss of each validation text, the same as in training."""
        out = np.zeros(len(validation))
        with torch.no_grad():
            for rows in length_batches(validation, BATCH):
                out[rows] = to_numpy(self.losses(model, [validation[i] for i in rows]))
        return out


def _stored(
    base: AttentionClassifier, texts: Sequence[Example]
) -> tuple[dict[int, Float[np.ndarray, " _"]], dict[int, Float[np.ndarray, " C"]]]:
    attention, answers = dict[int, np.ndarray](), dict[int, np.ndarray]()
    base.eval()
    for rows in length_batches(texts, BATCH):
        batch = base.collate([texts[i] for i in rows])
        targets = probabilities(to_numpy(base.trace(batch).logits))
        for row, weights, answer in zip(rows, attention_of(base, batch), targets, strict=True):
            attention[texts[row].index], answers[texts[row].index] = weights, answer
    return attention, answers


def total_variation(
    logits: Float[torch.Tensor, "B L"], answers: Float[torch.Tensor, "B C"]
) -> Float[torch.Tensor, " B"]:
    """Half the L1 distance between a model's probabilities and the stored ones."""
    if logits.shape[1] == 1:
        return (logits[:, 0].sigmoid() - answers[:, 1]).abs()
    return 0.5 * (logits.softmax(1) - answers).abs().sum(1)


def kullback_leibler(
    a: Float[torch.Tensor, "B T"], b: Float[torch.Tensor, "B T"]
) -> Float[torch.Tensor, " B"]:
    """``Σ a log(a / b)``; a weight of zero contributes nothing and gets no gradient."""
    least = torch.finfo(a.dtype).tiny
    return (a * (a.clamp(min=least).log() - b.clamp(min=least).log())).sum(1)


def jensen_shannon(
    a: Float[torch.Tensor, "B T"], b: Float[torch.Tensor, "B T"]
) -> Float[torch.Tensor, " B"]:
    """``½ KL(a ‖ m) + ½ KL(b ‖ m)``, m the mean of both."""
    middle = (a + b) / 2
    return (kullback_leibler(a, middle) + kullback_leibler(b, middle)) / 2
