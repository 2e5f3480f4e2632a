"""Audit an nn.TransformerEncoder: the module as its owner wrote it, then the lines that tap one of
its heads.

python transformer_encoder.py
sightline check-model py:transformer_encoder:build
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.core.protocols import Batch
from sightline.report.text.audit_summary import lines

PAD, UNKNOWN, CLS = 0, 1, 2
DATA = sightline.load(parse_data("planted:needle(n=600,length=8)"), seed=0)


class EncoderClassifier(nn.Module):
    """Embed words and positions, run the encoder, and classify by the state of [CLS]."""

    def __init__(self, words: int, size: int = 32, heads: int = 4, longest: int = 64) -> None:
        super().__init__()
        self.words, self.places = (
            nn.Embedding(words, size, padding_idx=PAD),
            nn.Embedding(longest, size),
        )
        layer = nn.TransformerEncoderLayer(size, heads, 2 * size, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.output = nn.Linear(size, 2)

    def forward(self, ids, mask):
        """Give two logits a text."""
        vectors = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.output(self.encoder(vectors, src_key_padding_mask=~mask)[:, 0])


def read(texts, vocabulary):
    """Turn lists of words into ids behind a [CLS], padded, and a mask that is True on real
    tokens.
    """
    rows = [
        torch.tensor([CLS, *(vocabulary.get(word, UNKNOWN) for word in words)]) for words in texts
    ]
    ids = pad_sequence(rows, batch_first=True, padding_value=PAD)
    return ids, ids != PAD


def train(examples, epochs=12):
    """Train the module for a few seconds; return it with its vocabulary."""
    torch.manual_seed(0)
    words = sorted({word for example in examples for word in example.tokens})
    vocabulary = {word: number for number, word in enumerate(words, start=3)}
    model = EncoderClassifier(len(vocabulary) + 3)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(epochs):
        for start in range(0, len(examples), 32):
            batch = examples[start : start + 32]
            inputs = read([example.tokens for example in batch], vocabulary)
            loss = nn.functional.cross_entropy(
                model(*inputs), torch.tensor([example.label for example in batch])
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval(), vocabulary


# ---------------------------------------------------------------- the lines that an audit needs


def build():
    model, vocabulary = train(DATA.train)

    def collate(examples):
        ids, mask = read([example.tokens for example in examples], vocabulary)
        words = mask & (ids != CLS)
        about = [
            torch.tensor([getattr(example, what) for example in examples])
            for what in ("label", "index")
        ]
        return Batch(ids, mask, words, (words.cumsum(1) - 1).masked_fill(~words, -1), *about)

    return sightline.tap(model, collate=collate, part="encoder.layers.1.self_attn", head=0)


if __name__ == "__main__":
    print("\n".join(lines(sightline.audit(build(), DATA))))
