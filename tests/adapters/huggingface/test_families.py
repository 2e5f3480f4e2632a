"""Every family passes all proofs, or is refused with a reason that is right."""

from dataclasses import replace

import pytest
import torch

from sightline.adapters.compatibility import check
from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.numerics.projections import renormalise
from tests.adapters.huggingface.toys import FAMILIES, classifier, tokenizer_of, word_pieces
from tests.sampling import slow_but

TEXTS = texts_without_data()
REFUSED = {"longformer": "no attention over the tokens of a text"}
_NARROW = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4}
WITHOUT_TABLE = {
    "perceiver": {"num_latents": 4, "d_latents": 32, "d_model": 32, "max_position_embeddings": 64}
    | {"num_self_attends_per_block": 1, "num_self_attention_heads": 4},
    "canine": _NARROW | {"intermediate_size": 64, "num_hash_buckets": 64},
    "ibert": _NARROW | {"intermediate_size": 64, "max_position_embeddings": 64},
}
"""Families that look no embedding of a token up, or that make more than a tensor of it."""
LAYERS = {"t5": 4, "bart": 4, "qwen3_next": 1}
"""Of those that are not two: an encoder's own and what a decoder sees of it; what of a hybrid has a
softmax."""
IN_TURNS = {"albert"}
"""One layer that runs again and again: nothing runs before it alone."""
READ = {"xlnet": "last", "t5": "last", "bart": "last", "eurobert": "all"}
READ |= dict.fromkeys(("gpt2", "llama", "qwen3", "gemma3_text", "mistral", "qwen3_next"), "last")


READ_HERE = [name for name in FAMILIES if name not in REFUSED]
FIRST = {
    READ_HERE.index(name)
    for name in ("bert", "gpt2", "t5", "xlnet", "distilbert", "roberta")
    if name in READ_HERE
}


@pytest.mark.parametrize("family", slow_but(FIRST, READ_HERE))
def test_every_proof_holds(family: str) -> None:
    module, tokenizer = classifier(family), tokenizer_of(family)
    layers = LAYERS.get(family, 2)
    for head in (1, "mean"):
        one = transformer(module, tokenizer, layer=layers - 1, head=head)
        assert (len(one.architecture.sites), one.architecture.row) == (
            layers,
            READ.get(family, "first"),
        )
        found = {proof.name: proof for proof in check(one, TEXTS, one.labels)}
        assert not [str(proof) for proof in found.values() if proof.outcome == "failed"]
        assert {found[name].outcome for name in ("identity", "used")} == {"passed"}
        assert bool(one.changed) == (family not in IN_TURNS)
        assert_layers_ahead_change_nothing(one)


def assert_layers_ahead_change_nothing(one: HuggingFace) -> None:
    """Hold other weights decoded from the middle against a whole run with them."""
    trace = one.trace(one.collate(TEXTS))
    drawn = torch.rand(trace.attention.shape, generator=torch.Generator().manual_seed(0))
    other = renormalise(drawn, trace.batch.attendable)
    found = one.decode(trace, other)
    inside = replace(trace.inside, ahead={}, last=None)
    whole = one.decode(replace(trace, inside=inside), other)
    assert torch.allclose(found, whole, atol=1e-6)
    assert not torch.allclose(found, trace.logits, atol=1e-6)


@pytest.mark.parametrize("family", REFUSED)
def test_what_cannot_be_read_is_refused(family: str) -> None:
    with pytest.raises(ModelError, match=REFUSED[family]):
        transformer(classifier(family), tokenizer_of(family))


@pytest.mark.parametrize("family", WITHOUT_TABLE)
def test_a_family_without_one_embedding_for_each_token_is_refused_by_name(family: str) -> None:
    pieces = word_pieces()
    module = classifier(family, tokenizer=pieces, **WITHOUT_TABLE[family])
    with pytest.raises(ModelError, match="one embedding for each token") as refused:
        transformer(module, pieces, name="mine")
    assert refused.value.field == "model"
    words = str(refused.value)
    assert all(word in words for word in ("mine", type(module).__name__, "audit another model"))


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5", "xlnet"])
def test_logits_are_those_of_the_model_alone(family: str) -> None:
    module, tokenizer = classifier(family), tokenizer_of(family)
    model = transformer(module, tokenizer, layer=0, head=2)
    trace = model.trace(model.collate(TEXTS))
    with torch.no_grad():
        for row, text in enumerate(TEXTS):
            wanted = module(
                **{
                    k: v
                    for k, v in tokenizer(text.text, return_tensors="pt").items()
                    if k != "token_type_ids"
                }
            )
            assert torch.allclose(trace.logits[row], wanted.logits[0], atol=1e-5), family


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_texts_with_different_numbers_of_end_tokens_get_the_logits_of_each_alone(
    family: str,
) -> None:
    """A model of encoder and decoder refuses a batch of them."""
    module, tokenizer = classifier(family), tokenizer_of(family)
    model = transformer(module, tokenizer, layer=0, head=1)
    written = ("a good </s> film", "so bad", "very </s> good </s> day")
    texts = [Example(text, i, text, *tokenise(text), label=0) for i, text in enumerate(written)]
    trace = model.trace(model.collate(texts))
    alone = torch.cat([model.trace(model.collate([one])).logits for one in texts])
    assert torch.allclose(trace.logits, alone, atol=1e-5)
    assert torch.allclose(model.logits(model.collate(texts)), alone, atol=1e-5)
    for row, text in enumerate(texts):
        with torch.no_grad():
            wanted = module(input_ids=torch.tensor([tokenizer(text.text).input_ids])).logits[0]
        assert torch.allclose(alone[row], wanted, atol=1e-5)
