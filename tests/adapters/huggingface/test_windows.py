"""A row in a sliding window sees some words: other weights stay among them."""

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.core.protocols import MeasureContext, Trace
from sightline.core.seeds import Seeds
from sightline.measures.attention_need import AttentionNeed
from sightline.measures.batch_words import words_of
from sightline.measures.decode_attention import task_of
from sightline.measures.permutation import Permutation
from sightline.measures.permutation_outputs import Decoded
from sightline.numerics.projections import uniform
from sightline.numerics.relative_positions import CELLS
from tests.adapters.huggingface.toys import classifier, tokenizer_of

TEXTS = texts_without_data()
ROWS = [("mistral", 1, "last"), ("gemma3_text", 0, "last"), ("modernbert", 1, "first")]


def traced(family: str, layer: int, head: int | str) -> tuple[HuggingFace, Trace]:
    one = sightline.transformer(classifier(family), tokenizer_of(family), layer=layer, head=head)
    return one, one.trace(one.collate(TEXTS))


@pytest.mark.parametrize("head", [1, "mean"])
@pytest.mark.parametrize(("family", "layer", "row"), ROWS)
def test_uniform_weights_are_shared_by_the_words_in_sight(
    family: str, layer: int, row: str, head: int | str
) -> None:
    one, trace = traced(family, layer, head)
    assert one.architecture.row == row
    words, own = trace.batch.attendable, trace.inside.own
    seen = (own > 0).reshape(-1, *words.shape).any(0) & words
    assert trace.in_sight is not None
    assert torch.equal(trace.in_sight, seen)
    assert bool((seen.sum(1) < words.sum(1)).any())
    put = one.choice.replaced(own, uniform(words, trace.attention), words)
    wanted = uniform(seen, own) * (own * words).sum(-1, keepdim=True)
    assert torch.allclose(put[..., words], wanted[..., words], atol=1e-6)
    # All weight on a word that is out of sight cannot be put there.
    hidden = (words & ~seen).any(1)
    first = (words & ~seen).long().argmax(1)
    alone = torch.nn.functional.one_hot(first, words.shape[1]).to(own.dtype)
    put = one.choice.replaced(own, alone, words)
    assert torch.allclose(
        put[..., hidden, :][..., words[hidden]],
        wanted[..., hidden, :][..., words[hidden]],
        atol=1e-6,
    )


def test_a_row_without_a_window_sees_every_word() -> None:
    assert traced("bert", 1, 1)[1].in_sight is None
    assert traced("gpt2", 1, "mean")[1].in_sight is None


@pytest.mark.parametrize("head", [1, "mean"])
def test_permuted_and_drawn_weights_lie_on_words_in_sight(
    head: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, trace = traced("mistral", 1, head)
    put: list[torch.Tensor] = []

    def kept(model: HuggingFace, traced: Trace, attention: torch.Tensor) -> torch.Tensor:
        put.append(attention)
        return traced.logits.expand(len(attention), -1, -1)

    monkeypatch.setattr(type(one), "decode_many", kept)
    monkeypatch.setattr(
        Decoded, "largest", lambda _, weights, own, drawn: np.ones((len(weights), len(own[0])))
    )
    Permutation(permutations=5, draws=2).on_batch(MeasureContext(one), trace, Seeds(0))
    monkeypatch.setattr(
        type(one), "decode", lambda model, traced, one: kept(model, traced, one[None])[0]
    )
    context = MeasureContext(one, learned=np.full(CELLS, 1 / CELLS))
    need = AttentionNeed(permutations=3)
    others = need._others(context.learned, trace, words_of(trace), Seeds(0))
    put += [torch.stack(others["permuted"]), torch.stack(others["one word"])]
    hidden = trace.batch.attendable & ~trace.in_sight
    assert len(put) >= 5
    for weights in put:
        assert float(weights[..., hidden].abs().max()) == 0
        assert torch.allclose(weights.sum(-1), torch.ones(()).to(weights), atol=1e-5)
    assert not bool((task_of(one, trace, words_of(trace)).mask & words_hidden(trace)).any())


def words_hidden(trace: Trace) -> torch.Tensor:
    """Mark words without any weight."""
    words = words_of(trace)
    return torch.from_numpy(words.mask & (words.attention == 0))
