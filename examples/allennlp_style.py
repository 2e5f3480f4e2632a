"""Audit a module in the style of AllenNLP: fields in, a dict out, attention inside a part that
pools a text.

python allennlp_style.py
sightline check-model py:allennlp_style:build
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.report.text.audit_summary import lines

DATA = sightline.load(parse_data("planted:needle(n=400,length=8)"), seed=0)


def masked_softmax(vector, mask):
    """Take a softmax over all positions, and scale the weights of real tokens to sum to one."""
    result = torch.softmax(vector * mask, dim=-1) * mask
    return result / (result.sum(dim=-1, keepdim=True) + 1e-13)


class TokenEmbedder(nn.Module):
    """Look up ids in a table of its own."""

    def __init__(self, words: int, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(words, size))

    def forward(self, tokens):
        """Give a vector for each id."""
        return nn.functional.embedding(tokens, self.weight)


class AttentionEncoder(nn.Module):
    """A Seq2Vec part: one vector a text, the sum of its states weighted by attention."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(size, size), nn.Tanh(), nn.Linear(size, 1))

    def forward(self, states, mask):
        """Sum the states by attention."""
        weights = masked_softmax(self.score(states).squeeze(-1), mask)
        return torch.bmm(weights.unsqueeze(1), states).squeeze(1)


class TextClassifier(nn.Module):
    """Embedder, LSTM, attention, classifier; called with a text field, as a data reader of AllenNLP
    gives it.
    """

    def __init__(self, words: int, labels: int = 2, size: int = 24) -> None:
        super().__init__()
        self.text_field_embedder = nn.ModuleDict(
            {"token_embedder_tokens": TokenEmbedder(words, size)}
        )
        self.seq2seq = nn.LSTM(size, size, bidirectional=True, batch_first=True)
        self.seq2vec = AttentionEncoder(2 * size)
        self.classification_layer = nn.Linear(2 * size, labels)

    def forward(self, tokens, label=None):
        """Give logits and probabilities, and a loss where the labels are known."""
        ids = tokens["tokens"]["tokens"]
        mask = ids > 0
        vectors = self.text_field_embedder["token_embedder_tokens"](ids)
        packed = pack_padded_sequence(
            vectors, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.seq2seq(packed)[0], batch_first=True)
        logits = self.classification_layer(self.seq2vec(states, mask[:, : states.shape[1]]))
        output = {"logits": logits, "probs": logits.softmax(dim=-1)}
        return (
            output
            if label is None
            else {**output, "loss": nn.functional.cross_entropy(logits, label)}
        )


def index(texts, vocabulary):
    """Turn lists of words into a text field: 0 is padding, 1 an unknown word."""
    width = max(map(len, texts))
    rows = [
        [*(vocabulary.get(word, 1) for word in words), *[0] * (width - len(words))]
        for words in texts
    ]
    return {"tokens": {"tokens": torch.tensor(rows)}}


def train(examples, epochs=8):
    """Train the module for a few seconds; return it with its vocabulary."""
    torch.manual_seed(0)
    words = sorted({word for example in examples for word in example.tokens})
    vocabulary = {word: number for number, word in enumerate(words, start=2)}
    model = TextClassifier(len(vocabulary) + 2)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for start in range(0, len(examples), 32):
            batch = examples[start : start + 32]
            field = index([example.tokens for example in batch], vocabulary)
            optimiser.zero_grad()
            model(field, torch.tensor([example.label for example in batch]))["loss"].backward()
            optimiser.step()
    return model.eval(), vocabulary


# ---------------------------------------------------------------- the lines that an audit needs


def build():
    model, vocabulary = train(DATA.train)

    def collate(examples):
        ids = index([example.tokens for example in examples], vocabulary)["tokens"]["tokens"]
        return ids, ids > 0

    return sightline.tap(
        model, collate=collate, run=lambda batch: model({"tokens": {"tokens": batch.ids}})
    )


if __name__ == "__main__":
    print("\n".join(lines(sightline.audit(build(), DATA))))
