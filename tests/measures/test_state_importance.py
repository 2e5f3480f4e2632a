"""What each word does to each state: all at once against one backward pass a state, closed forms,
and deletion.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.measures.batch_words import words_of
from sightline.measures.state_importance import (
    asked_in_turn,
    deletion_of_states,
    facet_importance,
    state_importance,
)
from sightline.models.classifier import AttentionClassifier
from sightline.models.fast import transformer_jacobian
from tests.reference import states as literal
from tests.texts import WORDS, example, examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))
SPECS = [
    "bilstm(hidden=6)+additive",
    "bilstm(hidden=4)+additive+residual",
    "bilstm(hidden=3)+dot+concat",
    "bilstm(hidden=3,layers=2)+additive",
    "mlp(hidden=6)+additive",
    "cnn(channels=4)+additive",
    "cnn(channels=4,kernels=1-3)+additive+concat",
    "transformer(hidden=8,layers=1)+additive",
    "transformer(hidden=8,layers=2)+dot+residual",
    "transformer(hidden=12,layers=3)+additive+concat",
]


def lively(model: AttentionClassifier) -> AttentionClassifier:
    """Scale and move what is normalised: as drawn, the states of a Transformer are all of one
    length.
    """
    drawn = torch.Generator().manual_seed(0)
    for norm in (one for one in model.modules() if isinstance(one, torch.nn.LayerNorm)):
        torch.nn.init.uniform_(norm.weight, 0.5, 1.5, generator=drawn)
        torch.nn.init.normal_(norm.bias, generator=drawn)
    return model


@pytest.mark.parametrize("boundaries", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_every_state_is_asked_as_if_it_were_alone(spec: str, boundaries: bool) -> None:
    model = lively(untrained(spec, boundaries=boundaries)).double()
    trace = model.trace(model.collate(TEXTS))
    words, found = words_of(trace).mask, state_importance(model, trace)
    for row, text in enumerate(TEXTS):
        real = words[row]
        assert found[row][np.ix_(real, real)] == pytest.approx(
            literal.importance(model, text), rel=1e-9, abs=1e-12
        )
        assert found[row][~real].sum() == found[row][:, ~real].sum() == 0


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    seed=st.integers(0, 99),
    kind=st.sampled_from([torch.float32, torch.float64]),
    spec=st.sampled_from(["bilstm(hidden=5)+additive", "transformer(hidden=6,layers=2)+additive"]),
)
def test_one_sweep_is_one_backward_pass_a_state(
    lengths: list[int], seed: int, kind: torch.dtype, spec: str
) -> None:
    model = lively(untrained(spec, seed=seed)).to(kind)
    assert "influence" in model.offers
    trace = model.trace(model.collate(examples(tuple(lengths), seed)))
    swept = model.influence(trace)
    asked = asked_in_turn(model, trace, partial(torch.linalg.vector_norm, dim=2)).sqrt()
    # Each to its own digits: of the largest of its state, below which a gradient is what rounding
    # left of it.
    most = asked.amax(dim=2, keepdim=True)
    within = {torch.float32: 1e-5, torch.float64: 1e-9}[kind]
    assert ((swept - asked).abs() <= within * most).all()


def test_states_go_back_in_as_many_parts_as_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = lively(untrained("transformer(hidden=8,layers=3)+additive")).double()
    trace = model.trace(model.collate(TEXTS))
    whole = model.influence(trace)
    for room in (1, 250):
        monkeypatch.setattr(transformer_jacobian, "AT_ONCE", room)
        assert torch.allclose(model.influence(trace), whole, rtol=1e-9, atol=1e-15)


def test_in_an_mlp_a_state_knows_its_own_word_alone() -> None:
    """``∂‖h‖ / ∂e = Wᵀ ((1 − h²) ⊙ h) / ‖h‖`` with ``h = tanh(We + b)``."""
    model = untrained("mlp(hidden=6)+additive").double()
    trace = model.trace(model.collate(TEXTS))
    states, weight = trace.states.detach(), model.encoder.affine.weight.detach()
    along = states / states.norm(dim=2, keepdim=True)
    known = ((1 - states**2) * along) @ weight
    mask = trace.batch.mask
    expected = torch.diag_embed(known.norm(dim=2).where(mask, torch.zeros(()).double())).numpy()
    assert state_importance(model, trace) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "spec",
    [
        "bilstm(hidden=3)+additive",
        "bilstm(hidden=2,layers=2)+additive",
        "cnn(channels=4)+additive+concat",
        "transformer(hidden=4,layers=2)+additive",
    ],
)
def test_facets_together_are_the_frobenius_norm_of_the_jacobian(spec: str) -> None:
    model = lively(untrained(spec)).double()
    text = example(" ".join(WORDS[:4]))
    trace = model.trace(model.collate([text]))
    states = lambda embeddings: model.states(model.trace(trace.batch, embeddings))  # noqa: E731
    jacobian = torch.autograd.functional.jacobian(states, trace.embeddings)[0, :, :, 0]  # T P T E
    expected = jacobian.square().sum((1, 3)).sqrt().numpy()
    assert facet_importance(model, trace)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("spec", ["bilstm(hidden=6)+additive", "mlp(hidden=6)+additive"])
def test_a_word_that_goes_takes_its_state_along(spec: str) -> None:
    model = untrained(spec).double()
    trace = model.trace(model.collate(TEXTS))
    for tokens in (2**13, 20):
        found = deletion_of_states(model, trace, tokens)
        assert np.isnan(found[1]).all()  # the only word would go
        for row in (0, 4):
            size = len(TEXTS[row].tokens)
            expected = [literal.removal(model, TEXTS[row], word) for word in range(size)]
            assert pytest.approx(np.array(expected), abs=1e-12) == found[row, :size, :size].T
            assert not found[row, size:].any()


def test_a_word_in_pieces_has_the_length_over_all_of_them() -> None:
    model = untrained("bilstm(hidden=6)+additive").double()
    trace = model.trace(model.collate([TEXTS[0]]))
    tokens = state_importance(model, trace)[0]
    broken = replace(trace, batch=replace(trace.batch, word=torch.tensor([[0, 0, 1, 2, 3, 3, 3]])))
    words = state_importance(model, broken)[0]
    assert words.shape == (4, 4)
    assert words[0, 3] == pytest.approx(np.sqrt((tokens[:2, 4:] ** 2).sum()))
    assert words[1, 2] == pytest.approx(tokens[2, 3])
