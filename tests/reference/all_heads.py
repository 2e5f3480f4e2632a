"""All heads of a layer replaced at once, slowly: text by text, head by head, by the eager attention
of transformers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

Row = list[float]
Edit = Callable[[Row, Sequence[int]], Row]
"""From the weights that one row has and the word of each piece (−1: none) to other weights."""


@dataclass
class Literal:
    """Computes attention step by step, and edits the weights of one layer, in the rows that are
    read.
    """

    layer: int
    rows: Sequence[int]
    edit: Callable[[int, int, Row], Row]
    calls: int = 0
    own: dict[tuple[int, int], Row] = field(default_factory=dict)

    def __call__(
        self,
        module: Any,
        query: Any,
        key: Any,
        value: Any,
        mask: Any,
        scaling: float | None = None,
        **_: Any,
    ) -> tuple[torch.Tensor, None]:
        groups = query.shape[1] // key.shape[1]
        key, value = (one.repeat_interleave(groups, dim=1) for one in (key, value))
        scores = (
            query
            @ key.transpose(-1, -2)
            * (query.shape[-1] ** -0.5 if scaling is None else scaling)
        )
        weights = (scores if mask is None else scores + mask).softmax(-1)
        if self.calls == self.layer:
            for head in range(weights.shape[1]):
                for row in self.rows:
                    self.own[head, row] = weights[0, head, row].tolist()
                    weights[0, head, row] = torch.tensor(self.edit(head, row, self.own[head, row]))
        self.calls += 1
        return (weights @ value).transpose(1, 2).contiguous(), None


@contextmanager
def literally(module: Any, computed: Literal) -> Iterator[None]:
    """Let a model of transformers compute its attention so."""
    code: Any = importlib.import_module(type(module).__module__)
    before, used = code.eager_attention_forward, module.config._attn_implementation
    code.eager_attention_forward = computed
    module.set_attn_implementation("eager")
    try:
        yield
    finally:
        code.eager_attention_forward = before
        module.set_attn_implementation(used)


def answer(
    module: Any,
    ids: Sequence[int],
    words: Sequence[int],
    layer: int,
    rows: Sequence[int],
    edit: Edit,
) -> tuple[list[float], dict[tuple[int, int], Row]]:
    """Answer one text, without padding, with every head's rows edited; and what these rows were."""
    computed = Literal(layer, rows, lambda head, row, own: edit(own, words))
    with literally(module, computed), torch.no_grad():
        text = torch.tensor([ids])
        found = module(input_ids=text, attention_mask=torch.ones_like(text)).logits[0]
    return found.tolist(), computed.own


def by_words(own: Row, words: Sequence[int], new: Callable[[Row], Row]) -> Row:
    """Give words the weights that ``new`` makes of theirs; pieces share as before, and what is no
    word keeps its own.

    Weights of words sum to one before and after: their share of the whole stays.
    """
    count = max(words) + 1
    totals = [
        sum(weight for weight, word in zip(own, words, strict=True) if word == number)
        for number in range(count)
    ]
    share = sum(totals)
    made = new([one / share for one in totals])
    out = []
    for weight, word in zip(own, words, strict=True):
        out.append(weight if word < 0 else made[word] * share * weight / totals[word])
    return out
