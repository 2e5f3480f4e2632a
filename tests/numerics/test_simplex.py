"""Exact answers over all attention distributions against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sightline.numerics.simplex import (
    attention_proof,
    decision,
    gaps_of,
    permuted_extremes,
    permuted_moments,
    permuted_reach,
    reach,
)
from tests.reference import formulas

logit = st.sampled_from([-30.0, -2.0, -0.5, 0.0, 0.0, 0.7, 3.0, 40.0])


@st.composite
def problems(draw: st.DrawFn, most_words: int = 6) -> tuple[np.ndarray, np.ndarray, int]:
    """Token logits and attention of one padded text, and its number of words; ties and zeros are
    common.
    """
    words, logits = draw(st.integers(1, most_words)), draw(st.sampled_from([1, 2, 3, 4]))
    z = draw(arrays(float, (words, logits), elements=logit))
    raw = draw(arrays(float, words, elements=st.sampled_from([0.0, 0.0, 0.2, 1.0, 5.0])))
    raw = raw + (raw.sum() == 0)
    padded_z, padded_a = np.full((1, 8, logits), 77.0), np.zeros((1, 8))
    padded_z[0, :words], padded_a[0, :words] = z, raw / raw.sum()
    return padded_z, padded_a, words


def own(z: np.ndarray, attention: np.ndarray) -> np.ndarray:
    return np.einsum("bt,btl->bl", attention, z)


def sampled_attention(words: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return np.concatenate([np.eye(words), generator.dirichlet(np.full(words, 0.3), size=200)])


@given(problems())
def test_reach_brackets_what_any_attention_does(
    problem: tuple[np.ndarray, np.ndarray, int],
) -> None:
    z, attention, words = problem
    mask, logits = np.arange(8)[None] < words, own(z, attention)
    low, high = reach(z, mask, logits)
    here = formulas.probabilities(logits[0])
    found = [
        formulas.total_variation(here, formulas.probabilities(a @ z[0, :words]))
        for a in sampled_attention(words, 0)
    ]
    assert max(found) <= high[0] + 1e-9
    assert low[0] == pytest.approx(max(found[:words]), abs=1e-9)
    if z.shape[-1] == 1:
        assert low[0] == high[0]


@given(problems())
def test_attention_proof_texts_decide_alike_everywhere(
    problem: tuple[np.ndarray, np.ndarray, int],
) -> None:
    z, _, words = problem
    proof = attention_proof(z, np.arange(8)[None] < words)[0]
    alone = {int(decision(z[0, t])) for t in range(words)}
    assert proof == (len(alone) == 1)
    if proof:
        mixed = {int(decision(a @ z[0, :words])) for a in sampled_attention(words, 1)}
        assert (
            len(mixed) == 1 or np.abs(z[0, :words]).min() < 1e-9 or z.shape[-1] > 1
        )  # a tie may round either way


@given(problems(most_words=5))
def test_permutations_are_bounded_by_their_extremes(
    problem: tuple[np.ndarray, np.ndarray, int],
) -> None:
    z, attention, words = problem
    mask, logits = np.arange(8)[None] < words, own(z, attention)
    every = formulas.all_permuted_logits(z[0, :words], attention[0, :words])
    gaps = every[:, -1] - (every[:, 0] if z.shape[-1] > 1 else 0.0)
    least, most = permuted_extremes(gaps_of(z, -1), attention[None], mask)
    assert least[0, 0, 0] == pytest.approx(gaps.min(), abs=1e-9)
    assert most[0, 0, 0] == pytest.approx(gaps.max(), abs=1e-9)
    here = formulas.probabilities(logits[0])
    largest = max(formulas.total_variation(here, formulas.probabilities(s)) for s in every)
    bound = permuted_reach(z, attention[None], mask, logits[None])[0, 0]
    assert bound >= largest - 1e-9
    if z.shape[-1] <= 2:
        assert bound == pytest.approx(largest, abs=1e-9)


@given(problems(most_words=5))
def test_moments_of_all_permutations(problem: tuple[np.ndarray, np.ndarray, int]) -> None:
    z, attention, words = problem
    every = formulas.all_permuted_logits(z[0, :words], attention[0, :words])
    mean, variance = permuted_moments(z, attention, np.arange(8)[None] < words)
    assert mean[0] == pytest.approx(every.mean(0), abs=1e-9)
    assert variance[0] == pytest.approx(every.var(0), abs=1e-8)


def test_equal_token_logits_are_proof_and_immovable() -> None:
    z, attention, mask = (
        np.full((1, 5, 1), 0.3),
        np.array([[0.6, 0.1, 0.1, 0.1, 0.1]]),
        np.ones((1, 5), bool),
    )
    assert attention_proof(z, mask).all()
    assert permuted_reach(z, attention[None], mask, own(z, attention)[None]) == pytest.approx(
        0, abs=1e-12
    )
    assert reach(z, mask, own(z, attention))[1] == pytest.approx(0, abs=1e-12)


def test_a_tie_is_decided_as_the_models_decide_it() -> None:
    assert decision(np.array([[0.0], [1e-9], [-1e-9]])).tolist() == [0, 1, 0]
    assert decision(np.array([[1.0, 1.0, 0.0]])).tolist() == [0]
