"""A BERT written down instead of trained: what each of its heads attends to, and which one decides,
is known.

Its texts are those of `DATA`. A state is a sum of a few directions: which class a word speaks for,
whether it is a cue, whether it is [CLS], and what tells words apart. Every head of every layer has
the same query for all texts, so that it attends by one of these directions, or evenly. What is
attended to by the head `HEAD` of the layer `LAYER` is added to the state of [CLS] as its class; all
others, and everything between layers, add nothing.

    cues       the cue has nearly all the weight of the head that decides; the other heads attend evenly
    decoys     as cues, but the other heads attend to one and the same filler
    sink       every head of every layer has nearly all of its weight on [CLS]; of what is left, the head that decides
               has nearly all on the cue
    even sink  every head of every layer has nearly all of its weight on [CLS], and what is left lies evenly

Fillers speak for a class too, each a little and by chance: together they outvote a cue that is
weighed as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from sightline.audits.audit_result import Audit
from sightline.data.synthetic.cue_words import CLASSES, filler
from tests.adapters.huggingface.toys import BERT_TOKENS, LONGEST, whole_words

DATA = "planted:needle(n=600,length=8)"
FILLERS, NEEDLES, LABELS = 200, 4, CLASSES[:2]
LAYERS, HEADS, SIZE = 2, 4, 8
LAYER, HEAD = 1, 2
"""Of the head that decides, counted from 0."""
WIDTH = HEADS * SIZE
CLASS, CUE, FIRST, PLACE, *OTHERS = range(WIDTH // 2)
"""Directions: the class, a cue, [CLS], what is the same of all tokens, and what tells words
apart."""
DECOY = OTHERS[0]
AGAINST = 0.6
"""How much a filler speaks for a class by chance, where a cue speaks with 1."""
LITTLE = 1e-3
"""What the other heads add: next to nothing, where nothing at all would be refused as weights that
are not used."""
READINGS: Mapping[str, Mapping[str, Any]] = {
    "the head that decides": {"layer": LAYER, "head": HEAD},
    "another head of its layer": {"layer": LAYER, "head": HEAD - 1},
    "the mean of its layer": {"layer": LAYER},
    "the mean of the layer before": {"layer": LAYER - 1},
    "the best of all": {"reading": "all"},
}
HEADS_ALONE = tuple(READINGS)[:2]
CAN, MUST_NOT, UNTOLD = (4, 5), (2, 3), (6, 7)
"""Rows of the verdict table."""


@dataclass(frozen=True)
class World:
    """How much the scores of heads rise by a direction: of the one that decides, and of the others.

    ``gain`` is how much the head that decides adds: more where little of its weight is on words.
    ``right`` are the rows of the verdict that are right of each of `READINGS`; none where the mean
    of heads is on two words, and nothing is known. ``sunk``: more than chance lies on special
    tokens.
    """

    decides: dict[int, float]
    others: dict[int, float]
    gain: float
    right: tuple[tuple[int, ...], ...]
    sunk: bool = False


WORLDS = {
    "cues": World({CUE: 2}, {}, 2, (CAN, MUST_NOT, CAN, MUST_NOT, CAN)),
    "decoys": World({CUE: 2}, {DECOY: 2}, 2, (CAN, MUST_NOT, (), MUST_NOT, CAN)),
    "sink": World(
        {CUE: 2, FIRST: 2.4}, {FIRST: 1.3}, 40, (CAN, MUST_NOT, CAN, MUST_NOT, CAN), sunk=True
    ),
    "even sink": World(
        {FIRST: 1.3}, {FIRST: 1.3}, 150, (*(MUST_NOT,) * 4, MUST_NOT + UNTOLD), sunk=True
    ),
}


def planted_bert(
    world: str = "cues", seed: int = 0
) -> tuple[BertForSequenceClassification, PreTrainedTokenizerFast]:
    """Write down the model of a world; the seed draws what its fillers are like."""
    made, generator = WORLDS[world], torch.Generator().manual_seed(seed)
    words = [f"{name}{number}" for name in LABELS for number in range(1, NEEDLES + 1)]
    tokenizer = whole_words([*words, *(filler(number) for number in range(FILLERS))])
    module = BertForSequenceClassification(_config(len(tokenizer)))
    module.load_state_dict({name: _flat(name, one) for name, one in module.state_dict().items()})
    with torch.no_grad():
        _write_words(module.bert.embeddings, words, generator)
        for number, layer in enumerate(module.bert.encoder.layer):
            for head in range(HEADS):
                decides = (number, head) == (LAYER, HEAD)
                by, gain = (made.decides, made.gain) if decides else (made.others, LITTLE)
                _write_head(layer.attention, head, by, gain)
        module.bert.pooler.dense.weight[0] = 0.3 * towards(CLASS)
        module.classifier.weight[:, 0] = torch.tensor([3.0, -3.0])
    return module.eval(), tokenizer


def _config(words: int) -> BertConfig:
    shape = {
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 1,
    }
    return BertConfig(
        vocab_size=words, max_position_embeddings=LONGEST, id2label=dict(enumerate(LABELS)), **shape
    )


def _flat(name: str, weights: torch.Tensor) -> torch.Tensor:
    """Let a part do nothing: norms scale by 1, places are numbered, all else is 0."""
    if name.endswith("LayerNorm.weight"):
        return torch.ones_like(weights)
    return weights if "_ids" in name else torch.zeros_like(weights)


def towards(direction: int) -> torch.Tensor:
    """Give a direction as a vector of length 1 and mean 0, so that a norm over a state only scales
    it.
    """
    out = torch.zeros(WIDTH)
    out[direction], out[direction + WIDTH // 2] = 0.5**0.5, -(0.5**0.5)
    return out


def _write_words(tables: Any, cues: list[str], generator: torch.Generator) -> None:
    """Say what each word is; what is added to all tokens alike keeps a word from being scaled away
    by the norm.
    """
    tables.token_type_embeddings.weight[:] = towards(PLACE)
    every = torch.stack([towards(one) for one in OTHERS])
    result = tables.word_embeddings.weight
    first, start = BERT_TOKENS.index("[CLS]"), len(BERT_TOKENS)
    result[first], result[BERT_TOKENS.index("[SEP]")] = towards(FIRST), towards(OTHERS[-1])
    fillers = (
        torch.nn.functional.normalize(torch.randn(FILLERS, len(OTHERS), generator=generator))
        @ every
    )
    by_chance = torch.randint(2, (FILLERS, 1), generator=generator) * 2.0 - 1
    result[start + len(cues) :] = fillers + AGAINST * by_chance * towards(CLASS)
    for number in range(len(cues)):
        speaks = 1 if number < NEEDLES else -1
        result[start + number] = speaks * towards(CLASS) + towards(CUE)


def _write_head(attention: Any, head: int, by: dict[int, float], gain: float) -> None:
    """Let a head attend by directions, one query for all and keys that read them, and add what
    class it finds there.
    """
    place = head * SIZE
    attention.self.query.bias[place] = SIZE**0.5
    attention.self.key.weight[place] = sum(
        (much * towards(one) for one, much in by.items()), torch.zeros(WIDTH)
    )
    attention.self.value.weight[place] = towards(CLASS)
    attention.output.dense.weight[:, place] = gain * towards(CLASS)


def sunk(audit: Audit) -> bool:
    """Tell whether SL-106 says that more lies on marks than chance puts there, by more than
    rounding.
    """
    (found,) = [one for one in audit.findings if one.code == "SL-106"]
    return found.result == "failed" and found.score is not None and found.score.high < -0.1


def tells_of_special_tokens(audit: Audit) -> bool:
    """Tell whether a reader of the verdict is told so."""
    return any(one.code == "SL-106" and one.result == "failed" for one in audit.verdict.reasons)
