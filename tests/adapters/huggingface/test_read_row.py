"""The last layer for the token that is read alone gives what the whole layer gives."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface import architecture_probe, read_logits
from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.core.errors import ModelError
from sightline.core.protocols import SupportsLogits, SupportsLogitsUnder, SupportsManyDecodings
from sightline.measures import decode_attention
from sightline.measures.batch_words import words_of
from sightline.measures.decode_attention import Decoding
from sightline.measures.importance import deletion_importance
from sightline.measures.perturbations import logits_of_variants
from sightline.numerics.projections import renormalise, uniform
from tests.adapters.huggingface.toys import classifier, tokenizer_of

TEXTS = texts_without_data()


@pytest.mark.parametrize(
    ("family", "head", "alone"),
    [("bert", 1, True), ("bert", "mean", True), ("gpt2", 0, True), ("albert", 1, False)],
)
def test_many_weights_are_decoded_as_one_after_the_other(family, head, alone) -> None:
    one = transformer(classifier(family), tokenizer_of(family), layer=1, head=head)
    assert one.last_alone == alone
    trace = one.trace(one.collate(TEXTS))
    drawn = torch.rand((5, *trace.attention.shape), generator=torch.Generator().manual_seed(0))
    many = renormalise(drawn, trace.batch.attendable)
    whole = replace(trace, inside=replace(trace.inside, ahead={}, last=None))
    wanted = torch.stack([one.decode(whole, each) for each in many])
    assert isinstance(one, SupportsManyDecodings)
    assert torch.allclose(one.decode_many(trace, many), wanted, atol=1e-6)
    assert torch.allclose(one.decode(trace, many[0]), wanted[0], atol=1e-6)
    assert not torch.allclose(wanted[0], wanted[1], atol=1e-4)


def test_a_layer_that_is_not_the_last_runs_whole() -> None:
    one = transformer(classifier("bert"), tokenizer_of("bert"), layer=0, head=1)
    assert not one.last_alone
    assert one.trace(one.collate(TEXTS)).inside.last is None


def test_measures_decode_so_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one = transformer(classifier("bert"), tokenizer_of("bert"), layer=1, head=1)
    trace = one.trace(one.collate(TEXTS))
    words = words_of(trace)
    many = np.stack([words.attention * scale for scale in (1.0, 0.5, 0.25)])
    asked: list[int] = []
    decode = type(one).decode_many
    monkeypatch.setattr(
        type(one),
        "decode_many",
        lambda model, traced, each: asked.append(len(each)) or decode(model, traced, each),
    )
    monkeypatch.setattr(decode_attention, "AT_ONCE", 2)
    found = Decoding(one, trace, words).logits(many)
    assert asked == [2, 1]
    assert found.shape == (3, *trace.logits.shape)
    assert np.allclose(found[0], trace.logits.numpy(), atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "gpt2", "albert"])
def test_logits_alone_are_those_of_a_trace(family) -> None:
    one = transformer(classifier(family), tokenizer_of(family), layer=1, head=1)
    batch = one.collate(TEXTS)
    assert isinstance(one, SupportsLogits)
    assert torch.allclose(one.logits(batch), one.trace(batch).logits, atol=1e-5)
    assert torch.allclose(logits_of_variants(one, batch), one.logits(batch), atol=0)


@pytest.mark.parametrize(("family", "alone"), [("bert", True), ("gpt2", True), ("albert", False)])
def test_the_last_layer_runs_for_the_token_alone_that_is_read(family, alone, monkeypatch) -> None:
    one = transformer(classifier(family), tokenizer_of(family), layer=1, head=1)
    batch = one.collate(TEXTS)
    lengths = batch.mask.sum(1)
    assert len(set(lengths.tolist())) > 1  # some are padded
    assert (one.last_layer is not None) == alone
    tokens: list[int] = []
    last = one.module.get_submodule(one.architecture.sites[-1].part)
    handle = last.register_forward_hook(lambda _, __, out: tokens.append(out[0].shape[1]))
    found = one.logits(batch)
    handle.remove()
    assert torch.allclose(found, one.trace(batch).logits, atol=1e-5)
    if alone:
        assert tokens == [1]
    again = one.logits(batch.rows(slice(0, 1)))
    assert torch.allclose(again, found[:1], atol=1e-5)


def test_a_run_that_breaks_in_the_last_layer_leaves_nothing_behind(monkeypatch) -> None:
    one = transformer(classifier("bert"), tokenizer_of("bert"), layer=1, head=1)
    batch, wanted = one.collate(TEXTS), None
    wanted = one.logits(batch)
    last = one.module.get_submodule(one.architecture.sites[-1].part)
    with monkeypatch.context() as patch:
        patch.setattr(read_logits, "_mixed", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            one.logits(batch)
    assert not last._forward_hooks
    assert not last._forward_pre_hooks
    assert torch.equal(one.logits(batch), wanted)


@pytest.mark.parametrize(
    ("family", "layer", "head", "alone"),
    [("bert", 1, 1, True), ("bert", 1, "mean", True), ("gpt2", 1, 0, True), ("bert", 0, 1, False)],
)
def test_other_attention_is_answered_without_a_trace(family, layer, head, alone) -> None:
    one = transformer(classifier(family), tokenizer_of(family), layer=layer, head=head)
    assert isinstance(one, SupportsLogitsUnder)
    assert one.answers_under == alone
    if not alone:
        return
    batch = one.collate(TEXTS)
    trace = one.trace(batch)
    drawn = torch.rand(trace.attention.shape, generator=torch.Generator().manual_seed(0))
    other = renormalise(drawn, batch.attendable)
    found = one.logits_under(batch, {"other": other})
    assert found.keys() == {"own", "other"}
    assert torch.allclose(found["own"], trace.logits, atol=1e-5)
    assert torch.allclose(found["other"], one.decode(trace, other), atol=1e-5)
    assert not torch.allclose(found["own"], found["other"], atol=1e-4)


def test_leave_one_out_under_other_attention_takes_no_trace(monkeypatch) -> None:
    one = transformer(classifier("bert"), tokenizer_of("bert"), layer=1, head="mean")
    trace = one.trace(one.collate(TEXTS))
    flat = {"free": uniform(trace.batch.attendable, trace.attention)}
    with monkeypatch.context() as patch:
        patch.setattr(type(one), "answers_under", False)
        wanted = deletion_importance(one, trace, flat, 64)
    monkeypatch.setattr(type(one), "trace", lambda *_: pytest.fail("a text was traced"))
    found = deletion_importance(one, trace, flat, 64)
    for name in ("own", "signed", "free"):
        assert np.allclose(found[name], wanted[name], atol=1e-5, equal_nan=True)
        assert np.nanmax(np.abs(wanted[name])) > 1e-4


def test_a_trace_from_embeddings_keeps_a_graph_where_gradients_are_asked_and_nowhere_else() -> None:
    one = transformer(classifier("bert"), tokenizer_of("bert"), layer=1, head=1)
    batch = one.collate(TEXTS)
    start = one.embed(batch)
    assert not one.trace(batch, start).logits.requires_grad
    assert one.trace(batch, start.clone().requires_grad_()).logits.requires_grad


def test_a_row_that_is_neither_first_nor_last_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So reads a decoder whose tokenizer ends each text with the padding token."""
    text = torch.zeros(2, 7, dtype=torch.long)
    for places, row in (((0,), "first"), ((6,), "last"), (tuple(range(7)), "all")):
        monkeypatch.setattr(architecture_probe, "rows_read", lambda *_, places=places: places)
        assert architecture_probe._row(None, text, None) == row
    monkeypatch.setattr(architecture_probe, "rows_read", lambda *_: (5,))
    with pytest.raises(ModelError, match="token 6 of 7"):
        architecture_probe._row(None, text, None)
