"""The plain way to train what Jain & Wallace 2019 describe, with what torch offers and nothing
else.

Padded batches of 32 in noisy order of length, a packed bidirectional LSTM or one affine layer with
tanh, additive attention between the boundaries, and three Adams over dense gradients. Written from
the description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from time import process_time

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sightline.core.example import Example
from sightline.data.vocabulary import BOS, EOS, Vocabulary

Padded = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Ids, lengths and labels of a batch."""


class Plain(nn.Module):
    """Embeddings, an encoder, additive attention, one affine layer to a logit."""

    def __init__(self, words: int, encoder: str, embedding: int = 300, hidden: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding, padding_idx=0)
        with torch.no_grad():
            self.embedding.weight.mul_(0.1)  # the start of ours
        bilstm = encoder == "bilstm"
        self.lstm = (
            nn.LSTM(embedding, hidden, bidirectional=True, batch_first=True) if bilstm else None
        )
        self.affine = None if bilstm else nn.Linear(embedding, hidden)
        width = 2 * hidden if bilstm else hidden
        self.inner, self.outer = nn.Linear(width, width // 2), nn.Linear(width // 2, 1, bias=False)
        self.decoder = nn.Linear(width, 1)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Give the logit of each text."""
        vectors = self.embedding(ids)
        if self.lstm is not None:
            packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
            states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        else:
            assert self.affine is not None
            states = torch.tanh(self.affine(vectors))
        places = torch.arange(ids.shape[1])
        words = (places > 0) & (places < lengths[:, None] - 1)  # not the boundaries
        scores = self.outer(torch.tanh(self.inner(states)))[:, :, 0].masked_fill(~words, -torch.inf)
        return self.decoder((scores.softmax(1)[:, :, None] * states).sum(1))[:, 0]


class PlainTraining:
    """A training of `Plain`; ``seconds`` of one processor by what was done."""

    def __init__(
        self, train: Sequence[Example], vocabulary: Vocabulary, encoder: str, seed: int
    ) -> None:
        torch.manual_seed(seed)
        self.draw = np.random.default_rng(seed)
        self.model = Plain(len(vocabulary), encoder)
        self.ids = [[BOS, *vocabulary.ids(one.tokens), EOS] for one in train]
        self.labels = [one.label for one in train]
        self.weight = self.labels.count(0) / self.labels.count(1)
        attention = [*self.model.inner.parameters(), *self.model.outer.parameters()]
        decoder = [*self.model.decoder.parameters()]
        among = {id(one) for one in (*attention, *decoder)}
        encoding = [one for one in self.model.parameters() if id(one) not in among]
        groups = ((encoding, 1e-5), (attention, 0.0), (decoder, 1e-5))
        self.optimisers = [
            torch.optim.Adam(
                some, lr=0.001, weight_decay=decay, amsgrad=True, foreach=False, fused=False
            )
            for some, decay in groups
        ]
        self.seconds = Counter[str]()

    def epoch(self) -> None:
        """Go through all texts once."""
        self.model.train()
        noisy = np.array([len(ids) for ids in self.ids]) * (
            1 + self.draw.uniform(-0.1, 0.1, len(self.ids))
        )
        order = np.argsort(noisy)
        batches = [order[start : start + 32] for start in range(0, len(order), 32)]
        for number in self.draw.permutation(len(batches)):
            self._step(batches[number].tolist())

    def accuracy(self, validation: Sequence[Example], vocabulary: Vocabulary) -> float:
        """Say how often the logit has the sign of the label."""
        right = 0
        with torch.no_grad():
            for one in validation:
                ids = torch.tensor([[BOS, *vocabulary.ids(one.tokens), EOS]])
                logit = self.model(ids, torch.tensor([ids.shape[1]]))
                right += int((logit.item() > 0) == bool(one.label))
        return right / len(validation)

    def _step(self, rows: list[int]) -> None:
        times = [process_time()]
        ids, lengths, labels = self._padded(rows)
        times.append(process_time())
        logits = self.model(ids, lengths)
        weights = torch.where(labels > 0, self.weight, 1.0)
        loss = (binary_cross_entropy_with_logits(logits, labels, reduction="none") * weights).sum()
        times.append(process_time())
        for optimiser in self.optimisers:
            optimiser.zero_grad()
        loss.backward()
        times.append(process_time())
        for optimiser in self.optimisers:
            optimiser.step()
        times.append(process_time())
        for name, taken in zip(
            ("collate", "forward", "backward", "optimiser"), np.diff(times), strict=True
        ):
            self.seconds[name] += float(taken)

    def _padded(self, rows: list[int]) -> Padded:
        lengths = [len(self.ids[row]) for row in rows]
        ids = torch.zeros(len(rows), max(lengths), dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : lengths[place]] = torch.tensor(self.ids[row])
        return ids, torch.tensor(lengths), torch.tensor([float(self.labels[row]) for row in rows])
