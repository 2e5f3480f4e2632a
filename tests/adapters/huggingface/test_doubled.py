"""Words read in two pieces have the numbers of words read in one, where the model is made so that
they must.

A text in which every token stands twice, with the same embedding and without positions, is the same
text to a transformer: each key and value is there twice, so every softmax gives a token half of its
weight at each of its two places, the mixed values are the same, and so is every state, layer by
layer. It holds for special tokens as for words, so they are doubled too; where weights are replaced
it holds in the last layer, of which one row is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.core.protocols import Measure
from sightline.core.results import Bracket, Measurement, Ragged, Values
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.measures.permutation import Permutation
from tests.adapters.huggingface.toys import BERT_TOKENS, classifier, whole_words
from tests.sampling import slow_but

SYLLABLES = [a + b for a in "bdfghjklmnprstvz" for b in "aeiou"]
WORDS = [syllable * 2 for syllable in SYLLABLES]
"""Both pieces of a word are of no other word, so both can have its embedding."""
SPECIAL = {"flat", "marks", "length"}
"""What counts special tokens, of which there are twice as many."""


def doubled() -> PreTrainedTokenizerFast:
    """Read "baba" as "ba" and "##ba", and put each special token twice."""
    numbered = {
        piece: n
        for n, piece in enumerate((*BERT_TOKENS, *SYLLABLES, *(f"##{one}" for one in SYLLABLES)))
    }
    made = Tokenizer(models.WordPiece(numbered, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    special = [("[CLS]", numbered["[CLS]"]), ("[SEP]", numbered["[SEP]"])]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] [CLS] $A [SEP] [SEP]", special_tokens=special
    )
    named = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    return PreTrainedTokenizerFast(tokenizer_object=made, **named)


def without_places(tokenizer: PreTrainedTokenizerFast) -> Any:
    """Make a BERT to which every place is alike, in double precision: what is left of a difference
    is no rounding.
    """
    named = {"id2label": {0: "alpha", 1: "beta"}}
    module = classifier("bert", tokenizer=tokenizer, initializer_range=0.3, **named).double()
    table = module.bert.embeddings
    with torch.no_grad():
        table.position_embeddings.weight.zero_()
        table.token_type_embeddings.weight[1] = table.token_type_embeddings.weight[0]
    return module


def alike(head: int | str) -> tuple[Any, Any]:
    """Make both models: all weights are those of the first, and a piece has the embedding of its
    word.
    """
    whole, halves = whole_words(WORDS), doubled()
    one, two = without_places(whole), without_places(halves)
    table = "bert.embeddings.word_embeddings.weight"
    shared = one.state_dict()
    word = [
        piece if piece in BERT_TOKENS else piece.removeprefix("##") * 2
        for piece in _in_order(halves)
    ]
    two.load_state_dict(shared | {table: shared[table][whole.convert_tokens_to_ids(word)]})
    return sightline.transformer(one, whole, head=head), sightline.transformer(
        two, halves, head=head
    )


def _in_order(tokenizer: PreTrainedTokenizerFast) -> list[str]:
    return [str(piece) for piece in tokenizer.convert_ids_to_tokens(range(len(tokenizer)))]


@pytest.fixture(scope="module")
def rewritten() -> Dataset:
    """Needles, in words of two equal syllables."""
    data = sightline.load(parse_data("planted:needle(n=200,length=8,fillers=60)"), 0)
    known = sorted({word for text in data.test for word in text.tokens})
    result = dict(zip(known, WORDS, strict=False))
    texts = [" ".join(result[word] for word in text.tokens) for text in data.test]
    made = [(text, *tokenise(text)) for text in texts]
    test = tuple(
        replace(one, text=text, tokens=tuple(tokens), places=tuple(places))
        for one, (text, tokens, places) in zip(data.test, made, strict=True)
    )
    return replace(data, test=test)


@pytest.mark.parametrize("head", slow_but({1}, [1, "mean"]))
def test_words_in_two_pieces_have_the_numbers_of_words_in_one(
    rewritten: Dataset, head: int | str
) -> None:
    one, two = alike(head)
    assert (
        two.collate(rewritten.test).mask.sum(1) == 2 * one.collate(rewritten.test).mask.sum(1)
    ).all()
    whole, halves = (
        sightline.audit(model, rewritten, limit=12, measures=quick()) for model in (one, two)
    )
    measured = {
        code for code, found in whole.measurements.items() if isinstance(found, Measurement)
    }
    assert measured >= {
        "outputs",
        "agreement",
        "polarity",
        "marks",
        "erasure",
        "sufficiency",
        "transplant",
    }
    assert measured >= {"need", "permutation", "reach"}
    for code in measured:
        ours, theirs = whole.measurements[code], halves.measurements[code]
        assert ours.values.keys() == theirs.values.keys()
        for name in ours.values.keys() - (SPECIAL if code == "marks" else set()):
            assert flat(theirs.values[name]) == pytest.approx(
                flat(ours.values[name]), abs=1e-9, nan_ok=True
            ), name
    for name in ("marks", "length"):
        counted = (one.measurements["marks"].values[name] for one in (halves, whole))
        assert np.array_equal(next(counted), np.asarray(next(counted)) + 2)
    predicted = {text.predicted for text in whole.texts}
    assert len(predicted) == 2  # numbers of one answer to all would be no test


def quick() -> tuple[Measure, ...]:
    """Take every measure, with fewer permutations: each is one more run."""
    return tuple(
        Permutation(permutations=5, draws=2) if one.code == "permutation" else one
        for one in default_measures()
    )


def flat(values: Values) -> np.ndarray:
    """Lay out the numbers of a quantity."""
    if isinstance(values, Bracket):
        return np.stack([values.low, values.high])
    return np.asarray(values.flat if isinstance(values, Ragged) else values, dtype=float)
