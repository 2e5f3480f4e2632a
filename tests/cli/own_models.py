"""A file with models of the user's own, and modules written from it."""

from itertools import count
from pathlib import Path

FILE = """
import torch
from torch import nn
import sightline

class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = nn.Embedding(997, 6)
        self.query = nn.Parameter(torch.randn(6))
        self.output = nn.Linear(6, OUTPUTS)

def build(**changes):
    model = Tiny().eval()

    def collate(examples):
        rows = [torch.tensor([1 + sum(map(ord, w)) % 996 for w in e.tokens]) for e in examples]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return ids, ids > 0

    def trace(batch, vectors):
        attention = (vectors @ model.query).masked_fill(~batch.mask, -torch.inf).softmax(1)
        return {"attention": attention, "states": vectors, "logits": decode({"states": vectors}, attention)}

    def decode(traced, attention):
        return model.output(torch.einsum("bt,bte->be", attention, traced["states"]))

    calls = dict(collate=collate, embed=lambda batch: model.embedding(batch.ids), trace=trace, decode=decode)
    return sightline.wrap(model, **{**calls, "link": LINK, **changes})

def named():
    return build(labels=("pos", "neg"))

def strangers():
    return build(labels=("yes", "no"))

def broken():
    model = build(decode=lambda traced, attention: traced["logits"])
    model.module.output.weight.data *= float("1")
    return model

def bare():
    return Tiny()

def nothing():
    return None

def raising():
    raise ValueError("no weights here")

def needing(path):
    return build()

number = 3

class Box:
    build = staticmethod(build)
"""
_numbers = count()


def write(folder: Path, text: str, outputs: int = 1, link: str = "sigmoid") -> str:
    """Write a module under a name that no other test has imported, and return the name."""
    name = f"mine_{next(_numbers)}"
    Path(folder, f"{name}.py").write_text(
        text.replace("OUTPUTS", str(outputs)).replace("LINK", repr(link))
    )
    return name
