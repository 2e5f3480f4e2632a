"""Audit a hand-written LSTM with attention: the module as its owner wrote it, then the lines that
wrap it.

python lstm_attention.py
sightline check-model py:lstm_attention:build
sightline audit --model py:lstm_attention:build --data 'planted:needle(n=400,length=8)'
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.report.text.audit_summary import lines

PAD, UNKNOWN = 0, 1
DATA = sightline.load(parse_data("planted:needle(n=400,length=8)"), seed=0)


class LstmAttention(nn.Module):
    """Embed, run an LSTM both ways, weigh the states by attention, and give one logit."""

    def __init__(self, words: int, embedding: int = 16, hidden: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding, padding_idx=PAD)
        self.lstm = nn.LSTM(embedding, hidden, bidirectional=True, batch_first=True)
        self.score = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1, bias=False)
        )
        self.dropout = nn.Dropout(0.2)
        self.output = nn.Linear(2 * hidden, 1)

    def encode(self, vectors, mask):
        """Run the LSTM over each text's own length."""
        packed = pack_padded_sequence(
            vectors, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1]
        )
        return states

    def attend(self, states, mask):
        """Weigh the words of each text."""
        return self.score(states).squeeze(-1).masked_fill(~mask, -torch.inf).softmax(dim=1)

    def classify(self, states, attention):
        """Sum the states by attention, and classify."""
        return self.output(self.dropout((attention[:, :, None] * states).sum(dim=1)))

    def forward(self, ids, mask):
        """Give the logit of each text."""
        states = self.encode(self.embedding(ids), mask)
        return self.classify(states, self.attend(states, mask))


def read(examples, vocabulary):
    """Turn texts into ids, padded, and a mask that is True on words."""
    rows = [
        torch.tensor([vocabulary.get(word, UNKNOWN) for word in example.tokens])
        for example in examples
    ]
    ids = pad_sequence(rows, batch_first=True, padding_value=PAD)
    return ids, ids != PAD


def train(examples, epochs=8):
    """Train the module for a few seconds; return it with its vocabulary."""
    torch.manual_seed(0)
    words = sorted({word for example in examples for word in example.tokens})
    vocabulary = {word: number for number, word in enumerate(words, start=2)}
    model = LstmAttention(len(vocabulary) + 2)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for start in range(0, len(examples), 32):
            batch = examples[start : start + 32]
            labels = torch.tensor([[float(example.label)] for example in batch])
            loss = nn.functional.binary_cross_entropy_with_logits(
                model(*read(batch, vocabulary)), labels
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval(), vocabulary


# ---------------------------------------------------------------- the lines that an audit needs


def build():
    model, vocabulary = train(DATA.train)

    def trace(batch, vectors):
        states = model.encode(vectors, batch.mask)
        attention = model.attend(states, batch.mask)
        return {
            "states": states,
            "attention": attention,
            "logits": model.classify(states, attention),
        }

    def collate(examples):
        return read(examples, vocabulary)

    def embed(batch):
        return model.embedding(batch.ids)

    def decode(traced, attention):
        return model.classify(traced["states"], attention)

    return sightline.wrap(
        model, link="sigmoid", collate=collate, embed=embed, trace=trace, decode=decode
    )


if __name__ == "__main__":
    print("\n".join(lines(sightline.audit(build(), DATA))))
