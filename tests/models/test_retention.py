"""Retention against its formulas, and what it does to a trained model."""

import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

from sightline.core.seeds import seed_for
from sightline.data.vocabulary import SPECIALS, UNK
from sightline.models.retention import masked
from tests.texts import examples, untrained

BILSTM = "bilstm(hidden=4)"


def test_concat_and_residual_change_what_attention_sums_and_scores() -> None:
    texts = examples()
    for name, join in (
        ("concat", lambda h, e: torch.cat([h, e], 2)),
        ("residual", lambda h, e: h + e),
    ):
        model = untrained(f"{BILSTM}+additive+{name}")
        trace = model.trace(model.collate(texts))
        assert torch.equal(trace.pooled, join(trace.states, trace.embeddings))
        assert torch.equal(trace.scores, model.scorer(trace.pooled))
        by_hand = torch.einsum("bt,btp->bp", trace.attention, trace.pooled)
        torch.testing.assert_close(model.decoder(by_hand), trace.logits)
        assert model.auxiliary_loss(trace) is None


def test_tying_is_the_mean_squared_distance_over_real_tokens() -> None:
    model = untrained(f"{BILSTM}+tying(delta=3.0)", boundaries=True)
    batch = model.collate(examples())
    trace = model.trace(batch)
    apart = [
        float(((trace.states[b, t] - trace.embeddings[b, t]) ** 2).sum())
        for b in range(5)
        for t in range(batch.ids.shape[1])
        if batch.mask[b, t]
    ]
    assert len(apart) == 7 + 1 + 4 + 12 + 2 + 5 * 2
    assert float(model.auxiliary_loss(trace)) == pytest.approx(3 * np.mean(apart), rel=1e-5)
    assert torch.equal(trace.pooled, trace.states)


def test_masked_language_modelling_guesses_words_with_the_frozen_embeddings() -> None:
    model = untrained(f"{BILSTM}+mlm(eta=2.0,p=0.5)")
    assert not model.embedding.weight.requires_grad
    batch = model.collate(examples())
    trace = model.run(batch)
    generator = torch.Generator().manual_seed(seed_for(3, "mlm", 0))
    hidden, chosen = masked(batch.ids, batch.attendable, 0.5, 29, generator)
    states = model.encoder(model.embedding(hidden), batch.mask)
    losses = [
        -log_softmax(model.embedding.weight @ states[b, t], 0)[batch.ids[b, t]].item()
        for b, t in torch.nonzero(chosen).tolist()
    ]
    first = model.auxiliary_loss(trace)
    assert first.item() == pytest.approx(2 * np.mean(losses), rel=1e-5)
    assert model.auxiliary_loss(trace).item() != first.item()  # the next batch hides other words


def test_without_a_chosen_word_there_is_nothing_to_guess() -> None:
    model = untrained(f"{BILSTM}+mlm(p=0.000000001)")
    assert model.auxiliary_loss(model.run(model.collate(examples()))).item() == 0.0


def test_of_the_chosen_words_eight_in_ten_are_masked_and_one_is_another() -> None:
    ids = torch.full((100, 1000), 7)
    words = torch.ones_like(ids, dtype=torch.bool)
    words[:, :10] = False
    hidden, chosen = masked(ids, words, 0.15, 1000, torch.Generator().manual_seed(0))
    assert not chosen[:, :10].any()
    assert torch.equal(hidden[~chosen], ids[~chosen])
    shares = [
        chosen[:, 10:],
        *(kind[chosen] for kind in (hidden == UNK, (hidden != UNK) & (hidden != 7), hidden == 7)),
    ]
    assert [share.float().mean().item() for share in shares] == pytest.approx(
        [0.15, 0.8, 0.1, 0.1], abs=0.01
    )
    others = hidden[chosen & (hidden != UNK)]
    assert others.min() >= SPECIALS
    assert others.max() == 999
