"""Projections with masks: values by another algorithm, simplex membership, padding inert, empty
rows, gradients, extremes.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sightline.numerics.projections import (
    entmax,
    gumbel,
    gumbel_softmax,
    renormalise,
    softmax,
    sparsegen,
    sparsemax,
    uniform,
)
from tests.reference import simplices

scores = arrays(np.float64, (3, 6), elements=st.floats(-60, 60))
masks = arrays(bool, (3, 6))

Project = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
ALL: dict[str, tuple[Project, Callable[[list[float]], list[float]]]] = {
    "softmax": (softmax, lambda z: simplices.entmax(z, 1.0)),
    "sparsemax": (sparsemax, simplices.sparsemax),
    "sparsegen(0.5)": (lambda z, m: sparsegen(z, m, 0.5), lambda z: simplices.sparsegen(z, 0.5)),
    "sparsegen(-3)": (lambda z, m: sparsegen(z, m, -3.0), lambda z: simplices.sparsegen(z, -3.0)),
    "entmax(1.5)": (lambda z, m: entmax(z, m, 1.5), lambda z: simplices.entmax(z, 1.5)),
    "entmax(1.2)": (lambda z, m: entmax(z, m, 1.2), lambda z: simplices.entmax(z, 1.2)),
    "entmax(2)": (lambda z, m: entmax(z, m, 2.0), simplices.sparsemax),
    "gumbel(0.8)": (
        lambda z, m: gumbel_softmax(z, m, 0.8),
        lambda z: simplices.entmax([x / 0.8 for x in z], 1.0),
    ),
}
every = pytest.mark.parametrize("name", ALL)


@every
@settings(max_examples=30)
@given(values=scores, real=masks)
def test_weights_are_on_the_simplex_of_real_tokens(
    name: str, values: np.ndarray, real: np.ndarray
) -> None:
    weights = ALL[name][0](torch.from_numpy(values), torch.from_numpy(real)).numpy()
    assert (weights >= 0).all()
    assert (weights[~real] == 0).all()
    assert weights.sum(1) == pytest.approx(real.any(1).astype(float))


@every
@settings(max_examples=30)
@given(values=scores, real=masks)
def test_weights_are_those_of_another_algorithm(
    name: str, values: np.ndarray, real: np.ndarray
) -> None:
    project, literal = ALL[name]
    weights = project(torch.from_numpy(values), torch.from_numpy(real)).numpy()
    for row, kept, found in zip(values, real, weights, strict=True):
        if kept.any():
            assert found[kept] == pytest.approx(literal(row[kept].tolist()), abs=1e-8)


@every
@settings(max_examples=30)
@given(values=scores, shift=st.floats(-5, 5))
def test_padding_and_shifts_are_ignored(name: str, values: np.ndarray, shift: float) -> None:
    project = ALL[name][0]
    whole, real = torch.from_numpy(values), torch.ones(3, 4, dtype=torch.bool)
    mask = torch.cat([real, ~real[:, :2]], dim=1)
    alone = project(whole[:, :4] + shift, real)
    assert torch.allclose(project(whole, mask)[:, :4], alone, atol=1e-9)


@every
def test_the_order_of_scores_is_the_order_of_weights_and_ties_stay_ties(name: str) -> None:
    values = torch.tensor([[0.3, -1.0, 0.3, 0.1, 0.3]])
    weights = ALL[name][0](values, torch.ones(1, 5, dtype=torch.bool))[0]
    assert weights[0] == weights[2] == weights[4]
    assert weights[0] >= weights[3] >= weights[1]


@every
def test_one_token_gets_everything_and_no_token_nothing(name: str) -> None:
    mask = torch.tensor([[False, True, False], [False, False, False], [True, True, True]])
    values = torch.tensor(
        [[9.0, -3.0, 9.0], [1.0, 2.0, 3.0], [-torch.inf, 0.0, -torch.inf]], requires_grad=True
    )
    weights = ALL[name][0](values, mask)
    assert weights[0].tolist() == [0, 1, 0]
    assert weights[1].tolist() == [0, 0, 0]
    assert weights[2].tolist() == [0, 1, 0]
    weights[:2].pow(2).sum().backward()
    assert values.grad is not None
    assert torch.isfinite(values.grad).all()


@every
def test_gradients(name: str) -> None:
    mask = torch.tensor([[True, True, True, False], [True, False, True, True]])
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(2, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s: ALL[name][0](s, mask), values)


def test_the_gradient_of_a_learned_alpha() -> None:
    mask = torch.tensor([[True, True, True, False], [True, False, True, True]])
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(2, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    alpha = torch.tensor(1.4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s, a: entmax(s, mask, a), (values, alpha), atol=1e-4)
    assert torch.allclose(entmax(values, mask, alpha), entmax(values, mask, 1.4))


@given(scores)
def test_towards_its_ends_alpha_gives_softmax_and_sparsemax(values: np.ndarray) -> None:
    z, real = torch.from_numpy(values).float(), torch.ones(3, 6, dtype=torch.bool)
    assert torch.allclose(entmax(z, real, 1.0), softmax(z, real))
    assert torch.allclose(entmax(z, real, 1.0001), softmax(z, real), atol=2e-3)
    assert torch.allclose(entmax(z, real, 2.0), sparsemax(z, real))
    assert torch.allclose(entmax(z, real, 1.9999), sparsemax(z, real), atol=2e-3)
    assert torch.allclose(entmax(z, real, 1.499999), entmax(z, real, 1.5), atol=1e-4)


@pytest.mark.parametrize("alpha", [1.0001, 1.01, 1.3, 1.99])
def test_single_precision_loses_nothing_even_near_one(alpha: float) -> None:
    z = torch.tensor([[0.3, -0.2, 0.11, 4.0, 3.9], [1000.0, 1000.5, 999.0, 990.0, 1000.2]])
    real = torch.ones(2, 5, dtype=torch.bool)
    assert torch.allclose(
        entmax(z, real, alpha), entmax(z.double(), real, alpha).float(), atol=1e-6
    )


def test_towards_one_lambda_chooses_a_single_token_and_below_zero_it_spreads() -> None:
    z, real = torch.tensor([[0.10, 0.11, -0.4]]), torch.ones(1, 3, dtype=torch.bool)
    assert sparsegen(z, real, 1 - 1e-12).tolist() == [[0, 1, 0]]
    assert torch.allclose(sparsegen(z, real, -1e9), torch.full((1, 3), 1 / 3))
    assert torch.equal(sparsegen(z, real, 0.0), sparsemax(z, real))
    support = [
        (sparsegen(z, real, strength) > 0).sum().item() for strength in (-30.0, 0.0, 0.7, 0.99)
    ]
    assert support == sorted(support, reverse=True)
    assert support[0] == 3
    assert support[-1] == 1


def test_gumbel_noise_has_the_law_it_is_named_after() -> None:
    drawn = gumbel(torch.empty(100_000).exponential_(generator=torch.Generator().manual_seed(0)))
    assert drawn.mean().item() == pytest.approx(0.5772, abs=0.02)
    assert drawn.var().item() == pytest.approx(np.pi**2 / 6, abs=0.04)
    assert drawn.median().item() == pytest.approx(-np.log(np.log(2)), abs=0.02)
    assert torch.isfinite(gumbel(torch.zeros(1))).all()


def test_uniform_and_renormalise_share_among_real_tokens() -> None:
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = torch.tensor([[0.1, 0.3, 0.6], [0.2, 0.2, 0.6]])
    assert torch.equal(uniform(mask, weights), torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    assert torch.allclose(
        renormalise(weights, mask), torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]])
    )
    nothing_left = renormalise(torch.tensor([[0.0, 0.0, 1.0]]), mask[:1])
    assert torch.equal(nothing_left, torch.tensor([[0.5, 0.5, 0.0]]))
