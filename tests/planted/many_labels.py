"""A small model with an attention for each label, trained on texts whose cues are planted.

As in CAML (Mullenbach et al. 2018): embeddings, a convolution, and for each label an attention and
a sigmoid. Of the label ``used`` the logit rests on its attention, which finds the cue. Of the label
``unused`` the logit rests on the greatest states whatever the weights are, and the weights shown
are those at initialisation. The label ``rare`` is in few texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

import sightline
from sightline.adapters.wrap import WrappedModule
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.data.dataset import Dataset
from sightline.data.vocabulary import Vocabulary

LABELS = ("used", "unused", "rare")
SHARES = (0.5, 0.5, 0.04)
FILLERS, CUES = 60, 2
LITTLE = 1e-3
"""What attention adds to the label that does not use it: weights that add nothing are refused."""


def corpus(seed: int, texts: int) -> tuple[list[str], list[list[str]]]:
    """Draw fillers, and put a cue of each label of a text at a random place."""
    generator = np.random.default_rng(seed)
    written, labels = list[str](), list[list[str]]()
    for _ in range(texts):
        words = [f"w{n}" for n in generator.integers(FILLERS, size=generator.integers(9, 14))]
        own = [
            label for label, share in zip(LABELS, SHARES, strict=True) if generator.random() < share
        ]
        for label in own:
            cue = f"{label}{generator.integers(CUES)}"
            words.insert(int(generator.integers(len(words) + 1)), cue)
        written.append(" ".join(words))
        labels.append(own)
    return written, labels


class Caml(nn.Module):
    """Embeddings, a convolution, and an attention and a sigmoid for each label."""

    def __init__(self, words: int, size: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.convolution = nn.Conv1d(size, size, 3, padding=1)
        self.queries = nn.Parameter(torch.randn(len(LABELS), size) * 0.3)
        self.outputs = nn.Linear(size, len(LABELS))

    def encode(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        vectors = vectors * mask[..., None]
        return torch.tanh(self.convolution(vectors.transpose(1, 2)).transpose(1, 2)) + vectors

    def attend(self, states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        scores = torch.einsum("kh,bth->bkt", self.queries, states)
        return scores.masked_fill(~words[:, None], -torch.inf).softmax(-1)

    def classify(
        self, states: torch.Tensor, attention: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        weight, bias = self.outputs.weight, self.outputs.bias
        pooled = torch.einsum("bkt,bth->bkh", attention, states)
        alone = torch.einsum("kh,bth->bkt", weight, states).masked_fill(~mask[:, None], -torch.inf)
        logits = (pooled * weight).sum(-1) + bias
        greatest = alone.max(-1).values + bias + LITTLE * logits
        return torch.stack([logits[:, 0], greatest[:, 1], logits[:, 2]], dim=1)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.encode(self.embedding(ids), mask)
        return self.classify(states, self.attend(states, mask), mask)


@cache
def trained() -> tuple[Caml, Vocabulary]:
    """Train the model on texts of its own."""
    texts, labels = corpus(1, 1200)
    data = sightline.data_from(texts, labels, splits="all")
    vocabulary = Vocabulary.fit(data.test)
    torch.manual_seed(0)
    model = Caml(len(vocabulary))
    batch = ids_and_mask(vocabulary, data.test)
    targets = torch.tensor([[float(name in own) for name in LABELS] for own in labels])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    generator = torch.Generator().manual_seed(0)
    for _ in range(15):
        for rows in torch.randperm(len(texts), generator=generator).split(64):
            optimiser.zero_grad()
            logits = model(batch[0][rows], batch[1][rows])
            nn.functional.binary_cross_entropy_with_logits(logits, targets[rows]).backward()
            optimiser.step()
    with torch.no_grad():  # as at initialisation: even a little use would have taught it the cue
        model.queries[1] = 0.3 * torch.randn(model.queries.shape[1], generator=generator)
    return model.eval(), vocabulary


def ids_and_mask(
    vocabulary: Vocabulary, examples: Sequence[Example]
) -> tuple[torch.Tensor, torch.Tensor]:
    rows = [torch.tensor(vocabulary.ids(example.tokens)) for example in examples]
    ids = pad_sequence(rows, batch_first=True)
    return ids, ids != 0


def wrapped(only: int | None = None, broken: int | None = None) -> WrappedModule:
    """Wrap the model with all of its labels, or with one alone as its owner would write that;
    the logits of a ``broken`` label are no numbers.
    """
    names = LABELS if only is None else (f"not {LABELS[only]}", LABELS[only])
    link = "sigmoids" if only is None else "sigmoid"
    return sightline.wrap(**functions(only, broken), link=link, labels=names, name="caml")


def functions(only: int | None = None, broken: int | None = None) -> dict[str, Any]:
    """Give the module and the functions around it, as its owner writes them."""
    model, vocabulary = trained()

    def spoiled(logits: torch.Tensor) -> torch.Tensor:
        if broken is None:
            return logits
        return logits.index_fill(1, torch.tensor([broken]), torch.nan)

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        states = model.encode(vectors, batch.mask)
        attention = model.attend(states, batch.attendable)
        logits = spoiled(model.classify(states, attention, batch.mask))
        known = {"states": states, "all": attention}
        if only is None:
            return known | {"attention": attention, "logits": logits}
        return known | {"attention": attention[:, only], "logits": logits[:, only : only + 1]}

    def decode(traced: dict[str, torch.Tensor], attention: torch.Tensor) -> torch.Tensor:
        mask = traced["batch"].mask
        if only is None:
            return spoiled(model.classify(traced["states"], attention, mask))
        given = torch.stack(
            [attention if k == only else traced["all"][:, k] for k in range(len(LABELS))], dim=1
        )
        return model.classify(traced["states"], given, mask)[:, only : only + 1]

    return {
        "module": model,
        "collate": lambda examples: ids_and_mask(vocabulary, examples),
        "embed": lambda batch: model.embedding(batch.ids),
        "trace": trace,
        "decode": decode,
    }


@cache
def data(texts: int = 160) -> Dataset:
    """Texts that the model has not seen."""
    return sightline.data_from(*corpus(2, texts), splits="all")
