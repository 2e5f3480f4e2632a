"""Audit a module that returns a dict: the module as its owner wrote it, then the lines that wrap
it.

python dict_output.py
"""

import torch
from torch import nn

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.report.text.audit_summary import lines

DATA = sightline.load(parse_data("planted:needle(n=450,length=8,classes=3)"), seed=0)
BUCKETS = 512


class Output(nn.Module):
    """The last layers, which turn a weighted sum of states into logits."""

    def __init__(self, hidden: int, classes: int) -> None:
        super().__init__()
        self.norm, self.last = nn.LayerNorm(hidden), nn.Linear(hidden, classes)

    def forward(self, context):
        """Normalise and classify."""
        return self.last(self.norm(context))


class Classifier(nn.Module):
    """A learned query attends to the words; the module takes ids, or vectors in place of them, as
    many libraries do.
    """

    def __init__(self, hidden: int = 32, classes: int = 3) -> None:
        super().__init__()
        self.embedding = nn.Embedding(BUCKETS, hidden, padding_idx=0)
        self.state = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU())
        self.query = nn.Parameter(torch.randn(hidden) / hidden**0.5)
        self.head = Output(hidden, classes)

    def forward(self, input_ids=None, attention_mask=None, inputs_embeds=None):
        """Return everything that was computed, by name."""
        vectors = self.embedding(input_ids) if inputs_embeds is None else inputs_embeds
        hidden = self.state(vectors)
        weights = (hidden @ self.query).masked_fill(attention_mask == 0, -torch.inf).softmax(dim=-1)
        logits = self.head(torch.einsum("bt,bth->bh", weights, hidden))
        return {"logits": logits, "weights": weights, "hidden": hidden}


def number(word):
    """Hash a word into one of a few hundred buckets; 0 is padding."""
    return 1 + sum(ord(letter) * 31**place for place, letter in enumerate(word)) % (BUCKETS - 1)


def tokenise(texts):
    """Turn lists of words into padded ids and a mask of ones and zeros."""
    width = max(map(len, texts))
    ids = torch.tensor([[*map(number, words), *[0] * (width - len(words))] for words in texts])
    return {"input_ids": ids, "attention_mask": (ids > 0).long()}


def train(texts, labels, epochs=30):
    """Train the module for a few seconds."""
    torch.manual_seed(0)
    model, inputs, targets = Classifier(), tokenise(texts), torch.tensor(labels)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(**inputs)["logits"], targets).backward()
        optimiser.step()
    return model.eval()


# ---------------------------------------------------------------- the lines that an audit needs


def build():
    model = train(
        [example.tokens for example in DATA.train], [example.label for example in DATA.train]
    )

    def collate(examples):
        inputs = tokenise([example.tokens for example in examples])
        return inputs["input_ids"], inputs["attention_mask"].bool()

    def trace(batch, vectors):
        found = model(attention_mask=batch.mask, inputs_embeds=vectors)
        return {**found, "attention": found["weights"]}

    def decode(traced, attention):
        return model.head(torch.einsum("bt,bth->bh", attention, traced["hidden"]))

    return sightline.wrap(
        model,
        collate=collate,
        embed=lambda batch: model.embedding(batch.ids),
        trace=trace,
        decode=decode,
    )


if __name__ == "__main__":
    print("\n".join(lines(sightline.audit(build(), DATA))))
