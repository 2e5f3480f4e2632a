"""What is done to a model by mistake or on purpose: its numbers are right all the same, or it is
refused by name.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers.modeling_outputs import SequenceClassifierOutput

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.core.errors import ModelError
from sightline.data.dataset import Dataset
from tests.adapters.huggingface.toys import classifier, tokenizer_of, word_pieces
from tests.texts import example

Change = Callable[[Any], None]
PIECES = word_pieces()
TEXTS = [
    example(text, number)
    for number, text in enumerate(["the film was very good", "a slow day", "not so bad"])
]


def bert() -> Any:
    return classifier("bert", tokenizer=PIECES, id2label={0: "alpha", 1: "beta"})


def one_head(module: Any) -> HuggingFace:
    return sightline.transformer(module, PIECES, layer=1, head=2)


def failed(module: Any) -> dict[str, str]:
    model = one_head(module)
    return {
        proof.name: proof.wrong
        for proof in check(model, TEXTS, model.labels)
        if proof.outcome == "failed"
    }


def after(
    module: Any, change: Callable[[SequenceClassifierOutput], SequenceClassifierOutput]
) -> None:
    """Let a model say something else than it does."""
    own = module.forward
    module.forward = lambda **asked: change(own(**asked))


def forced(module: Any, attention: str) -> None:
    module.set_attn_implementation(attention)


def tied(module: Any) -> None:
    """Answer by the table of words: the class is the word that the state is like."""
    table = module.bert.embeddings.word_embeddings.weight
    module.classifier.forward = lambda states: states @ table[10:12].T


def frozen(module: Any) -> None:
    module.requires_grad_(requires_grad=False)


def scores_told_as_attentions(module: Any) -> None:
    """Tell logits, as some families do; what is used is still a distribution."""

    def record(out: SequenceClassifierOutput) -> SequenceClassifierOutput:
        out.attentions = tuple(torch.randn(1, 4, 9, 9) for _ in range(2))
        return out

    after(module, record)


RIGHT: dict[str, Change] = {
    "sdpa forced": lambda module: forced(module, "sdpa"),
    "eager": lambda module: forced(module, "eager"),
    "frozen weights": frozen,
    "a head tied to the table of words": tied,
    "logits told as attentions": scores_told_as_attentions,
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_changes_nothing_is_right(name: str) -> None:
    module = bert()
    RIGHT[name](module)
    assert failed(module) == {}
    if name == "a head tied to the table of words":  # whose answers are others
        return
    found, wanted = (
        model.trace(model.collate(TEXTS)) for model in (one_head(module), one_head(bert()))
    )
    assert torch.allclose(found.attention, wanted.attention, atol=1e-6)
    assert torch.allclose(found.logits, wanted.logits, atol=1e-6)


def masked(module: Any, mask: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Hand the model another mask than it is asked with."""
    own = module.forward
    module.forward = lambda **asked: own(
        **asked | {"attention_mask": mask(asked["attention_mask"])}
    )


def test_a_mask_that_is_not_used_is_never_missed() -> None:
    """Padding that is not inert is found out: texts of one length are run at a time, and nothing is
    padded.
    """
    module = bert()
    masked(module, torch.ones_like)
    model = one_head(module)
    assert not model.together
    assert failed(module) == {}
    trace = model.trace(model.collate(TEXTS))
    alone = [model.trace(model.collate([text])).logits[0] for text in TEXTS]
    assert torch.allclose(trace.logits, torch.stack(alone), atol=1e-6)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_decoder_without_a_padding_token_gives_the_same_numbers(family: str) -> None:
    """Several texts of one length are run at a time, and its configuration stays as it is."""
    known = tokenizer_of(family)
    texts = [*TEXTS, example("the film was very bad", len(TEXTS))]
    traces = {}
    for pad in (known.pad_token_id, None):
        model = sightline.transformer(classifier(family, pad_token_id=pad), known)
        assert model.together == (pad is not None)
        assert [one.name for one in check(model, texts) if one.outcome == "failed"] == []
        traces[pad] = model.trace(model.collate(texts))
        assert model.module.config.pad_token_id == pad
    with_pad, without = traces.values()
    assert torch.allclose(without.logits, with_pad.logits, atol=1e-5)
    assert torch.allclose(without.attention, with_pad.attention, atol=1e-5)


def by_hand(module: Any) -> None:
    """Make weights without a softmax: by exponents and a sum, which nobody can tell from other
    arithmetic.
    """
    for layer in module.bert.encoder.layer:
        own = layer.attention.self

        def forward(
            states: torch.Tensor, *_: Any, own: Any = own, **__: Any
        ) -> tuple[torch.Tensor, None]:
            keys = torch.exp(own.query(states) @ own.key(states).transpose(1, 2) / 8)
            return keys / keys.sum(-1, keepdim=True) @ own.value(states), None

        own.forward = forward


REFUSED: dict[str, tuple[Change, str]] = {
    "training mode": (lambda module: module.train(), "dropout of 0.1; call .eval"),
    "regression": (
        lambda module: setattr(module.config, "problem_type", "regression"),
        "got regression",
    ),
    "half precision": (
        lambda module: module.half(),
        "computes in float16, whose rounding alone moves the logits",
    ),
    "weights without a softmax": (
        by_hand,
        "no attention over the tokens of a text was found in it",
    ),
    "a mask upside down": (
        lambda module: masked(module, lambda mask: 1 - mask),
        "decode gives the same logits whatever attention it is handed",
    ),
    "an answer that reads nothing": (
        lambda module: after(module, lambda out: SequenceClassifierOutput(logits=out.logits * 0)),
        "the logits do not depend on the attention of the last layer",
    ),
    "an answer that is drawn": (
        lambda module: after(
            module, lambda out: SequenceClassifierOutput(logits=out.logits + torch.rand(1))
        ),
        "two runs of the same batch differ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_broken_is_refused_by_name(name: str, needles: Dataset) -> None:
    change, message = REFUSED[name]
    module = bert()
    change(module)
    with pytest.raises(ModelError, match=message):
        sightline.audit(one_head(module), needles, limit=20)


def test_a_funnel_of_several_blocks_is_refused_by_its_blocks() -> None:
    """Its later blocks read pooled tokens: their rows and columns are no words."""
    shape = {"d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64}
    for blocks in ([1, 1], [2, 2], [2, 1]):
        module = classifier("funnel", tokenizer=PIECES, block_sizes=blocks, **shape)
        with pytest.raises(ModelError) as refused:
            sightline.transformer(module, PIECES)
        assert f"block_sizes={blocks}" in refused.value.wrong
    module = classifier("funnel", tokenizer=PIECES, block_sizes=[2], **shape)
    model = sightline.transformer(module, PIECES, layer=1, head=2)
    assert (len(model.architecture.sites), model.architecture.row) == (2, "first")
    assert not [one.name for one in check(model, TEXTS) if one.outcome == "failed"]
