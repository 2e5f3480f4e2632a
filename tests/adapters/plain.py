"""A classifier written as anybody would, without a class of ours, and the built-in weights put into
it.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

import sightline
from sightline.adapters.tapped_module import TappedModule
from sightline.adapters.wrap import WrappedModule
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.models.classifier import AttentionClassifier
from tests.texts import untrained


class Plain(nn.Module):
    """An LSTM both ways or one layer, additive attention, one affine layer."""

    def __init__(
        self, words: int, embedding: int, hidden: int, outputs: int, recurrent: bool
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding)
        self.lstm = (
            nn.LSTM(embedding, hidden, bidirectional=True, batch_first=True) if recurrent else None
        )
        self.layer = None if recurrent else nn.Linear(embedding, hidden)
        states = 2 * hidden if recurrent else hidden
        self.inner = nn.Linear(states, max(1, states // 2))
        self.outer = nn.Linear(max(1, states // 2), 1, bias=False)
        self.dropout = nn.Dropout(0.5)
        self.output = nn.Linear(states, outputs)

    def encode(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.lstm is None:
            return torch.tanh(self.layer(vectors))
        packed = pack_padded_sequence(
            vectors, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        return pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1]
        )[0]

    def score(self, states: torch.Tensor) -> torch.Tensor:
        return self.outer(torch.tanh(self.inner(states))).squeeze(-1)

    def attend(self, states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return self.score(states).masked_fill(~words, -torch.inf).softmax(1)

    def classify(self, states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        return self.output(self.dropout((attention[:, :, None] * states).sum(1)))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.encode(self.embedding(ids), mask)
        return self.classify(states, self.attend(states, mask))


def exported(model: AttentionClassifier) -> Plain:
    """Put the weights of a built-in model into a plain one."""
    weights = model.state_dict()
    recurrent = "encoder.lstm.weight_hh_l0" in weights
    hidden = (
        weights["encoder.lstm.weight_hh_l0"].shape[1]
        if recurrent
        else weights["encoder.affine.weight"].shape[0]
    )
    outputs = weights["decoder.affine.weight"].shape[0]
    plain = Plain(*weights["embedding.weight"].shape, hidden, outputs, recurrent)
    named = {
        "encoder.lstm.": "lstm.",
        "encoder.affine.": "layer.",
        "scorer.": "",
        "decoder.affine.": "output.",
    }
    for theirs, ours in named.items():
        weights = {
            ours + name.removeprefix(theirs) if name.startswith(theirs) else name: w
            for name, w in weights.items()
        }
    plain.load_state_dict(weights)
    return plain.eval()


def ids_and_mask(
    model: AttentionClassifier, examples: Sequence[Example]
) -> tuple[torch.Tensor, torch.Tensor]:
    rows = [torch.tensor(model.vocabulary.ids(example.tokens)) for example in examples]
    ids = pad_sequence(rows, batch_first=True)
    return ids, ids != 0


def tapped(ours: AttentionClassifier, plain: Plain | None = None) -> TappedModule:
    """Tap a built-in model's plain twin as its owner would, who splits nothing."""
    return sightline.tap(
        plain or exported(ours), collate=lambda texts: ids_and_mask(ours, texts), link=ours.link
    )


def wrapped(
    ours: AttentionClassifier | None = None, plain: Plain | None = None, **changes: object
) -> WrappedModule:
    """Wrap a built-in model's plain twin as its owner would; ``changes`` replace callables, None
    takes one away.
    """
    ours = ours or untrained("bilstm(hidden=6)")
    plain = plain or exported(ours)

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        states = plain.encode(vectors, batch.mask)
        attention = plain.attend(states, batch.attendable)
        return {
            "states": states,
            "attention": attention,
            "logits": plain.classify(states, attention),
        }

    calls = {
        "collate": lambda examples: ids_and_mask(ours, examples),
        "embed": lambda batch: plain.embedding(batch.ids),
        "trace": trace,
        "decode": lambda traced, attention: plain.classify(traced["states"], attention),
        "token_logits": lambda traced: plain.output(traced["states"]),
        "link": ours.link,
    }
    return sightline.wrap(plain, **{**calls, **changes})
