"""Small causal language models with random weights, and tokenizers that read prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from tests.adapters.huggingface.toys import FAMILIES, LONGEST, WORDS

TEMPLATE = "Review: {text}\nAnswer:"
ANSWERS = ("bad", "good")
CAUSAL: Mapping[str, Mapping[str, Any]] = {
    **{name: FAMILIES[name] for name in ("llama", "qwen3", "gpt2")},
    # A window that reaches back behind the end of the template, to several words.
    **{name: {**FAMILIES[name], "sliding_window": 8} for name in ("mistral", "gemma3_text")},
}


def byte_pieces(*more: str, special: tuple[str, ...] = ("<pad>", "<s>")) -> PreTrainedTokenizerFast:
    """As GPT-2's: a blank belongs to the word after it, and every word here is one piece."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    lines = [f"Review: {word} {word}\nAnswer: {word}" for word in (*WORDS, *more)]
    made.train_from_iterator(
        lines * 20,
        trainers.BpeTrainer(
            vocab_size=600,
            special_tokens=[*special],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    named = {"pad_token": "<pad>", "bos_token": "<s>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=LONGEST, **named)


def language_model(
    family: str, tokenizer: PreTrainedTokenizerFast | None = None, **changes: Any
) -> Any:
    """Make a small one of a family, its weights wide enough that words matter."""
    known = tokenizer or byte_pieces()
    named = {"pad_token_id": known.pad_token_id, "vocab_size": len(known)}
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family, **{"initializer_range": 0.15, **CAUSAL.get(family, {}), **named, **changes}
    )
    return AutoModelForCausalLM.from_config(config).eval()
