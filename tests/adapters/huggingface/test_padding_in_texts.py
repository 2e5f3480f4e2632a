"""A text may hold the padding token as it is written: its row is read where the model reads it."""

from dataclasses import replace

import pytest
import torch

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.attention_reduction import place, readable_tokens
from sightline.adapters.truncation import visible_texts
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from tests.adapters.huggingface.toys import classifier, tokenizer_of

WRITTEN = ("the film was {}", "good {} story {} {}", "{}", "a {} day", "the film was very good")
READ = {"bert": "[PAD]", "gpt2": "<pad>", "llama": "<pad>", "xlnet": "<pad>"}


def texts(pad: str) -> list[Example]:
    filled = [one.replace("{}", pad) for one in WRITTEN]
    return [Example(f"{n}", n, text, *tokenise(text), label=n % 2) for n, text in enumerate(filled)]


@pytest.mark.parametrize("family", READ)
@pytest.mark.parametrize("head", [1, "mean"])
def test_the_logits_and_the_row_are_those_of_the_model(family: str, head: int | str) -> None:
    module, tokenizer = classifier(family), tokenizer_of(family)
    one = sightline.transformer(module, tokenizer, layer=1, head=head)
    examples = visible_texts(one, texts(READ[family]))
    batch = one.collate(examples)
    assert int((batch.ids[batch.mask] == tokenizer.pad_token_id).sum()) == 6
    trace = one.trace(batch)
    wanted = torch.stack([one.logits_in_use(text) for text in examples])
    assert torch.allclose(trace.logits, wanted, atol=1e-5)
    assert torch.allclose(one.logits(batch), wanted, atol=1e-5)
    assert torch.allclose(one.decode(trace, trace.own), wanted, atol=1e-5)
    if one.answers_under:
        assert torch.allclose(one.logits_under(batch, {})["own"], wanted, atol=1e-5)
    found = {proof.name: proof.outcome for proof in check(one, examples)}
    # Not the gradient: a padding token has an embedding of zeros, where that of a norm is steep.
    named = ("in_use", "identity", "alone", "padding", "deletion")
    assert [found[name] for name in named] == ["passed"] * len(named)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_decoder_shows_the_row_of_the_token_that_it_reads(family: str) -> None:
    module, tokenizer = classifier(family), tokenizer_of(family)
    one = sightline.transformer(module, tokenizer, layer=1, head=1)
    assert one.architecture.skipped == tokenizer.pad_token_id
    batch = one.collate(texts("<pad>")[:1])
    (shown,) = one.trace(batch).attention
    assert shown[int(batch.mask.sum()) - 1] == 0  # what stands behind the token is not in its sight
    # Without the padding token, the same row is shown.
    shorter = one.trace(batch.keep(batch.ids != tokenizer.pad_token_id)).attention[0]
    assert torch.allclose(shown[: len(shorter)], shorter, atol=1e-6)


def test_a_decoder_without_a_padding_token_reads_the_last_token() -> None:
    module, tokenizer = classifier("gpt2", pad_token_id=None), tokenizer_of("gpt2")
    one = sightline.transformer(module, tokenizer, layer=1, head=1)
    assert one.architecture.skipped is None
    examples = texts("<pad>")
    trace = one.trace(one.collate(examples))
    wanted = torch.stack([one.logits_in_use(text) for text in examples])
    assert torch.allclose(one.decode(trace, trace.own), wanted, atol=1e-5)


def test_places_without_any_readable_token_are_the_first() -> None:
    ids = torch.tensor([[5, 0, 6, 0], [0, 0, 0, 0], [7, 7, 7, 7]])
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[2, 3] = False
    assert place(readable_tokens(ids, mask, 0), "last").tolist() == [2, 0, 2]
    assert place(readable_tokens(ids, mask, None), "last").tolist() == [3, 3, 2]
    assert place(readable_tokens(ids, mask, 0), "first").tolist() == [0, 0, 0]


def test_inputs_that_an_audit_leaves_out_are_found() -> None:
    """GPT-2 adds the embedding of a token for each token_type_id, which an audit never hands over."""
    tokenizer = tokenizer_of("gpt2")
    tokenizer.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    one = sightline.transformer(classifier("gpt2"), tokenizer, layer=1, head=1)
    found = {proof.name: proof for proof in check(one, texts("good"))}["in_use"]
    assert found.outcome == "failed"
    assert found.measured is not None
    assert found.measured > 1e-2
    # As every tokenizer of GPT-2's own class is.
    tokenizer = tokenizer_of("gpt2")
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    found = {
        proof.name: proof
        for proof in check(
            replace(one, reader=replace(one.reader, tokenizer=tokenizer)), texts("good")
        )
    }["in_use"]
    assert found.outcome == "passed"
