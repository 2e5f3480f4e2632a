"""Softmax with masks: simplex membership, padding inert, empty rows, gradients."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sightline.maths.projections import renormalise, softmax, uniform

scores = arrays(np.float64, (3, 6), elements=st.floats(-60, 60))
masks = arrays(bool, (3, 6))


@given(scores, masks)
def test_softmax_is_on_the_simplex_of_real_tokens(values: np.ndarray, real: np.ndarray) -> None:
    weights = softmax(torch.from_numpy(values), torch.from_numpy(real)).numpy()
    assert (weights >= 0).all()
    assert (weights[~real] == 0).all()
    assert weights.sum(1) == pytest.approx(real.any(1).astype(float))


@given(scores, st.floats(-5, 5))
def test_softmax_ignores_padding_and_shifts(values: np.ndarray, shift: float) -> None:
    whole, real = torch.from_numpy(values), torch.ones(3, 4, dtype=torch.bool)
    mask = torch.cat([real, ~real[:, :2]], dim=1)
    alone = softmax(whole[:, :4] + shift, real)
    assert torch.allclose(softmax(whole, mask)[:, :4], alone, atol=1e-12)


def test_softmax_gradient() -> None:
    mask = torch.tensor([[True, True, True, False]])
    values = torch.randn(1, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(lambda s: softmax(s, mask), values)


def test_uniform_and_renormalise_share_among_real_tokens() -> None:
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = torch.tensor([[0.1, 0.3, 0.6], [0.2, 0.2, 0.6]])
    assert torch.equal(uniform(mask, weights), torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    assert torch.allclose(renormalise(weights, mask), torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]]))
    nothing_left = renormalise(torch.tensor([[0.0, 0.0, 1.0]]), mask[:1])
    assert torch.equal(nothing_left, torch.tensor([[0.5, 0.5, 0.0]]))
