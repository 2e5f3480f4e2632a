"""A causal language model written down instead of trained: which of its heads answers a prompt, by
which word, and how much of its attention is on the template, is known.

It is a GPT-2 without places. As in `tests/adapters/huggingface/planted.py` a hidden state is a sum
of directions, and each head has one query for all texts. One head of the last layer attends to the
cue and adds its class to the last token, which answers. The others add next to nothing: one attends
evenly to everything, and one has nearly all of its weight on the first word of the template.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from sightline.data.synthetic.cue_words import filler
from tests.adapters.huggingface.planted import (
    AGAINST,
    CLASS,
    CUE,
    FILLERS,
    FIRST,
    HEADS,
    LABELS,
    NEEDLES,
    OTHERS,
    PLACE,
    SIZE,
    WIDTH,
    towards,
)
from tests.adapters.huggingface.toys import BERT_TOKENS, LONGEST, whole_words

TEMPLATE = "review {text} answer is"
OF_TEMPLATE = ("review", "answer", "is")
LAYER, READS, SINKS, EVEN = 1, 2, 1, 0
"""The last layer, and its heads: the one that reads the cue, the one on the template's first word,
and one that attends evenly."""
SCORES: Mapping[int, Mapping[int, float]] = {READS: {CUE: 3.0}, SINKS: {FIRST: 1.0}}
"""How much the scores of a head rise by a direction."""
GAIN, LITTLE = 4.0, 0.01
"""What the head that decides adds, and what the others do: weights that move nothing at all would be
refused as weights that are not used."""


def planted_prompt(seed: int = 0) -> tuple[GPT2LMHeadModel, PreTrainedTokenizerFast]:
    """Write the model down; the seed draws what its fillers are like."""
    generator = torch.Generator().manual_seed(seed)
    cues = [f"{name}{number}" for name in LABELS for number in range(1, NEEDLES + 1)]
    words = [*OF_TEMPLATE, *LABELS, *cues, *(filler(number) for number in range(FILLERS))]
    tokenizer = whole_words(words)
    tokenizer.backend_tokenizer.post_processor = None
    module = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer),
            n_positions=LONGEST,
            n_embd=WIDTH,
            n_layer=LAYER + 1,
            n_head=HEADS,
            n_inner=1,
            tie_word_embeddings=False,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=None,
        )
    )
    flat = {name: _flat(name, weights) for name, weights in module.state_dict().items()}
    module.load_state_dict(flat)
    with torch.no_grad():
        _write_words(module, cues, generator)
        for number, layer in enumerate(module.transformer.h):
            for head in range(HEADS):
                decides = (number, head) == (LAYER, READS)
                _write_head(layer.attn, head, GAIN if decides else LITTLE)
    return module.eval(), tokenizer


def _flat(name: str, weights: torch.Tensor) -> torch.Tensor:
    """Let a part do nothing: norms scale by 1, all else is 0."""
    norm = ".ln_" in name and name.endswith("weight")
    return torch.ones_like(weights) if norm else torch.zeros_like(weights)


def _write_words(module: GPT2LMHeadModel, cues: list[str], generator: torch.Generator) -> None:
    """Say what each word is; words of the template have no class, and answers only an output."""
    table, start = module.transformer.wte.weight, len(BERT_TOKENS)
    every = torch.stack([towards(one) for one in OTHERS])
    table[:] = towards(PLACE)
    table[start] += towards(FIRST)
    for number in range(1, len(OF_TEMPLATE)):
        table[start + number] += towards(OTHERS[-number])
    first_answer = start + len(OF_TEMPLATE)
    first_cue = first_answer + len(LABELS)
    for number in range(len(cues)):
        speaks = 1 if number < NEEDLES else -1
        table[first_cue + number] += speaks * towards(CLASS) + towards(CUE)
    drawn = torch.randn(FILLERS, len(OTHERS), generator=generator)
    by_chance = torch.randint(2, (FILLERS, 1), generator=generator) * 2.0 - 1
    table[first_cue + len(cues) :] += torch.nn.functional.normalize(
        drawn
    ) @ every + AGAINST * by_chance * towards(CLASS)
    for number, speaks in enumerate((3.0, -3.0)):
        module.lm_head.weight[first_answer + number] = speaks * towards(CLASS)


def _write_head(attention: torch.nn.Module, head: int, gain: float) -> None:
    """Let a head attend by its directions, and add what class it finds there."""
    query = head * SIZE
    attention.c_attn.bias[query] = SIZE**0.5
    for direction, much in SCORES.get(head, {}).items():
        attention.c_attn.weight[:, WIDTH + query] += much * towards(direction)
    attention.c_attn.weight[:, 2 * WIDTH + query] = towards(CLASS)
    attention.c_proj.weight[query] = gain * towards(CLASS)
