"""A built-in model with an attention for each label, trained on texts whose cues are planted.

Both labels are predicted well. Attention of the label ``read`` is trained to lie on its cue, where
there is one. That of the label ``hidden`` is trained to lie on the last word, which is the same in
every text: a state there has read the whole text, so the prediction is right, and the word that is
shown says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import torch
from jaxtyping import Float

import sightline
from sightline.config.spec_syntax import parse_model
from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.data.dataset import Dataset
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import AttentionClassifier, build
from sightline.training.loop import fit
from sightline.training.objective import MultiLabelLoss

LABELS = ("hidden", "read")
SPEC = "bilstm(hidden=16)+additive+labelwise"
TRAIN, VALIDATION, TEST = 600, 100, 160
FILLERS, CUES = 40, 2


def corpus(seed: int, texts: int) -> tuple[list[str], list[list[str]]]:
    """Draw fillers, put a cue of each label of a text at a random place, and end all texts with the
    same word.
    """
    generator = np.random.default_rng(seed)
    written, labels = list[str](), list[list[str]]()
    for _ in range(texts):
        words = [f"w{n}" for n in generator.integers(FILLERS, size=generator.integers(8, 13))]
        own = [label for label in LABELS if generator.random() < 0.5]
        for label in own:
            cue = f"{label}{generator.integers(CUES)}"
            words.insert(int(generator.integers(len(words) + 1)), cue)
        written.append(" ".join([*words, "end"]))
        labels.append(own)
    return written, labels


@cache
def data() -> Dataset:
    """Texts to train on, to choose the epoch by, and to audit."""
    sizes = {"train": TRAIN, "validation": VALIDATION, "test": TEST}
    splits = [name for name, size in sizes.items() for _ in range(size)]
    return sightline.data_from(*corpus(1, len(splits)), splits=splits)


class HidesOne(MultiLabelLoss):
    """The loss of all labels, attention of ``read`` on its cue, and that of ``hidden`` on the last
    word.
    """

    def losses(
        self, model: AttentionClassifier, texts: Sequence[Example]
    ) -> Float[torch.Tensor, " B"]:
        """Give the loss of each text of a batch, with gradients."""
        trace = model.run(model.collate(texts))
        width = trace.batch.mask.shape[1]
        sought = {
            "hidden": [[word == "end" for word in text.tokens] for text in texts],
            "read": [[word in ("read0", "read1") for word in text.tokens] for text in texts],
        }
        losses = super().losses(model, texts)
        for number, label in enumerate(LABELS):
            rows = [row + [False] * (width - len(row)) for row in sought[label]]
            wanted = torch.tensor(rows)
            mass = (trace.attention[:, number] * wanted).sum(1).clamp(min=1e-6)
            losses = losses - mass.log() * wanted.any(1)
        return losses


@cache
def trained() -> AttentionClassifier:
    """Train the model; validation chooses the epoch."""
    sets = data().label_sets
    assert sets is not None
    spec = FitSpec(epochs=12, learning_rate=0.01)
    model = build(parse_model(SPEC, embedding=16), Vocabulary.fit(data().train), LABELS, 0)
    objective = HidesOne(data().train, sets, spec)
    fit(model, data().train, data().validation, spec, 0, objective=objective, sets=sets)
    return model
