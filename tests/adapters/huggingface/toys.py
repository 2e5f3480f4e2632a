"""Small classifiers with random weights and small tokenizers, made here: nothing is downloaded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedTokenizerFast

WORDS = [
    "the",
    "film",
    "was",
    "good",
    "and",
    "people",
    "in",
    "it",
    "were",
    "very",
    "bad",
    "story",
    "not",
    "a",
    "day",
    "for",
    "town",
    "this",
    "is",
    "why",
    "night",
    "so",
    "long",
    "slow",
]
LONGEST = 64
BERT_TOKENS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")


def word_pieces(words: Sequence[str] = WORDS, size: int = 100) -> PreTrainedTokenizerFast:
    """As BERT's: pieces of words, [CLS] before and [SEP] after a text.

    Of the first words every second is a piece, and of the others each half; all letters are pieces.
    """
    lower = [word.lower() for word in words]
    letters = sorted({letter for word in lower for letter in word})
    known = [*BERT_TOKENS, *letters, *(f"##{one}" for one in letters)]
    for place, word in enumerate(lower):
        middle = len(word) // 2 + 1
        known += [word] if place % 2 else [word[:middle], f"##{word[middle:]}"]
    known = [piece for piece in dict.fromkeys(known) if piece != "##"][:size]
    numbered = {piece: number for number, piece in enumerate(known)}
    return _bert_like(_in_pieces(models.WordPiece(numbered, unk_token="[UNK]")))


def trained_pieces(texts: Sequence[str], size: int) -> PreTrainedTokenizerFast:
    """As BERT's, trained on texts. Its pieces differ between processes, because the trainer breaks
    ties by a random order.
    """
    made = _in_pieces(models.WordPiece(unk_token="[UNK]"))
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[*BERT_TOKENS])
    made.train_from_iterator([" ".join(texts)] * 2, trainer)
    return _bert_like(made)


def _in_pieces(model: models.WordPiece) -> Tokenizer:
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def whole_words(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """A piece for each word."""
    numbered = {word: number for number, word in enumerate((*BERT_TOKENS, *words))}
    made = Tokenizer(models.WordLevel(numbered, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return _bert_like(made)


def _bert_like(made: Tokenizer) -> PreTrainedTokenizerFast:
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    named = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=LONGEST, **named)


def bytes_in_pairs(
    ends: str = "<s> $A </s>", first: Sequence[str] = ("<pad>", "<s>", "</s>")
) -> PreTrainedTokenizerFast:
    """As GPT-2's and RoBERTa's: a blank belongs to the word after it; ``ends`` says what stands
    around a text.
    """
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [" ".join(WORDS)] * 2,
        trainers.BpeTrainer(vocab_size=320, special_tokens=[*first], initial_alphabet=alphabet),
    )
    if ends:
        numbers = [(name, made.token_to_id(name)) for name in ("<s>", "</s>") if name in ends]
        made.post_processor = processors.TemplateProcessing(single=ends, special_tokens=numbers)
    named: dict[str, Any] = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    named["model_input_names"] = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=LONGEST, **named)


_SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
_SMALL |= {"max_position_embeddings": LONGEST}
_DECODER = _SMALL | {"num_key_value_heads": 2, "head_dim": 8}
_DEBERTA = _SMALL | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_LINEAR = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
_PARTS = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
}
FAMILIES: Mapping[str, Mapping[str, Any]] = {
    "bert": _SMALL,
    "roberta": _SMALL,
    "xlm-roberta": _SMALL,
    "distilbert": {
        "dim": 32,
        "n_layers": 2,
        "n_heads": 4,
        "hidden_dim": 64,
        "max_position_embeddings": LONGEST,
    },
    "electra": _SMALL | {"embedding_size": 32},
    "albert": _SMALL | {"embedding_size": 32},
    "modernbert": _SMALL
    | {"global_attn_every_n_layers": 2, "local_attention": 4, "classifier_pooling": "cls"},
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA,
    "mpnet": _SMALL,
    "xlnet": {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64},
    "t5": {
        "d_model": 32,
        "d_kv": 8,
        "num_layers": 2,
        "num_heads": 4,
        "d_ff": 64,
        "decoder_start_token_id": 0,
    },
    "bart": {
        "d_model": 32,
        **_PARTS,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "max_position_embeddings": LONGEST,
    },
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": LONGEST},
    "llama": _DECODER,
    "qwen3": _DECODER,
    "gemma3_text": _DECODER | {"sliding_window": 4},
    "mistral": _DECODER | {"sliding_window": 4},
    "eurobert": _DECODER,
    "nomic_bert": _SMALL,
    "qwen3_next": _DECODER
    | _EXPERTS
    | _LINEAR
    | {"shared_expert_intermediate_size": 16, "num_hidden_layers": 4},
    "longformer": _SMALL | {"attention_window": 4},
}
"""What makes a small one of each family."""
_LIKE_BERT = (
    "bert",
    "distilbert",
    "electra",
    "albert",
    "modernbert",
    "deberta",
    "deberta-v2",
    "nomic_bert",
    "longformer",
)
_ENDED = {"t5": "$A </s>", "xlnet": "$A </s> <s>"} | dict.fromkeys(
    ("roberta", "xlm-roberta", "bart"), "<s> $A </s>"
)


def tokenizer_of(family: str) -> PreTrainedTokenizerFast:
    """Make a tokenizer such as the family has."""
    if family in _LIKE_BERT:
        return word_pieces()
    if (
        family == "mpnet"
    ):  # its positions are counted from behind number 1, whatever the configuration says
        return bytes_in_pairs("<s> $A </s>", ("<s>", "<pad>", "</s>"))
    return bytes_in_pairs(_ENDED.get(family, ""))


def classifier(
    family: str, classes: int = 2, tokenizer: PreTrainedTokenizerFast | None = None, **changes: Any
) -> Any:
    """Make a small one of a family, its weights wide enough that words matter."""
    known = tokenizer or tokenizer_of(family)
    named = {"pad_token_id": known.pad_token_id, "vocab_size": len(known), "num_labels": classes}
    if family in ("bart", "t5"):
        named["eos_token_id"] = known.eos_token_id
    wide = {"initializer_range": 0.15, "init_std": 0.15}
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family, **{**wide, **FAMILIES.get(family, {}), **named, **changes}
    )
    return AutoModelForSequenceClassification.from_config(config).eval()


MARKED = (
    "good film!!",
    "so bad ...",
    "(the story).",
    "</a> day",
    "very good!! and ...",
    "it (was).",
)
"""Texts with marks that stand together often enough to become one piece."""


def joining(kind: str) -> PreTrainedTokenizerFast:
    """Train a tokenizer that joins marks: ``word-piece``, ``byte-pair`` or ``unigram``."""
    texts = [*MARKED * 40, " ".join(WORDS)]
    special = [*BERT_TOKENS]
    made: Tokenizer
    trainer: Any
    if kind == "word-piece":
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer = trainers.WordPieceTrainer(vocab_size=150, special_tokens=special)
    elif kind == "byte-pair":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=420, special_tokens=special, initial_alphabet=alphabet
        )
    else:
        made = Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="[UNK]")
    made.train_from_iterator(texts, trainer)
    return _bert_like(made)


def configured(folder: Path, **changes: Any) -> None:
    """Change settings of a saved model."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **changes}), encoding="utf-8")
