"""Exact answers over attention: every check of `exactly` on drawn texts, and what padding, size and
edges may not do.
"""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit

from sightline.numerics.divergences import jensen_shannon
from sightline.numerics.max_divergence import bound_gap, farthest, overlap
from sightline.numerics.max_divergence_multiclass import farthest_answering, farthest_deciding
from sightline.numerics.minimal_mass import least_mass
from sightline.numerics.score_margin import nats_to_flip
from tests.memory import peak
from tests.numerics.exactly import CHECKS, EPSILONS, EXACT_TOKENS, LOGITS, WEIGHTS, case
from tests.reference.searching import found, search

OPEN = np.full((1, 1), np.inf)


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_exact_answers_are_those_of_brute_force(name: str, data: st.DataObject) -> None:
    check, logits, most = CHECKS[name]
    least = EXACT_TOKENS if most == EXACT_TOKENS else 1
    shape = data.draw(st.integers(least, min(most, 6))), data.draw(st.sampled_from(logits))
    z = data.draw(arrays(float, shape, elements=st.sampled_from(LOGITS) | st.floats(-5, 5)))
    raw = data.draw(arrays(float, shape[0], elements=st.sampled_from(WEIGHTS) | st.floats(0.01, 1)))
    raw = raw + (raw.sum() == 0)
    check(z, raw / raw.sum(), data.draw(st.sampled_from(EPSILONS)))


@pytest.mark.parametrize("name", CHECKS)
def test_the_cases_that_are_counted_hold(name: str) -> None:
    for seed in (*range(5), 60):  # the last is decided at a corner on three tokens
        CHECKS[name][0](*case(name, seed))


def test_the_search_is_never_above_the_exact_answer() -> None:
    """At one tolerance in one unit; mixing those of the optimiser and of the selection makes a
    search look better.
    """
    generator = np.random.default_rng(0)
    mask = np.arange(12) < generator.integers(1, 13, (30, 1))
    z, weights = generator.normal(0, 3, mask.shape), np.where(mask, generator.random(mask.shape), 0)
    weights /= weights.sum(1, keepdims=True)
    best = one_logit(z, weights, mask, 0.01)
    logits, attention = torch.from_numpy(z), torch.from_numpy(weights)

    def decode(some: torch.Tensor) -> torch.Tensor:
        return (some * logits).sum(-1).sigmoid()

    ended = search(decode, attention, torch.from_numpy(mask), 0.01, steps=80)
    reached = found(decode, ended, attention, 0.01).numpy()
    assert (reached <= best + 1e-6).all()
    assert reached.mean() > 0.2 * best.mean()  # it does search


def one_logit(z: np.ndarray, weights: np.ndarray, mask: np.ndarray, epsilon: float) -> np.ndarray:
    own = (weights * z).sum(1)
    return farthest(z, weights, mask, *bound_gap(own, expit(own), expit(-own), epsilon)).divergence


@pytest.mark.parametrize("logit", [-800.0, -40.0, -3.0, 0.0, 2.0, 40.0, 800.0])
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.4])
def test_the_ends_are_where_the_probability_has_moved_by_epsilon(
    logit: float, epsilon: float
) -> None:
    own = np.array([logit])
    low, high = bound_gap(own, expit(own), expit(-own), epsilon)
    assert low[0] <= logit <= high[0]
    for end, way in ((low[0], -1), (high[0], 1)):
        if np.isfinite(end):
            assert expit(end) - expit(logit) == pytest.approx(way * epsilon, rel=1e-6, abs=1e-12)
        else:
            assert not 0 < expit(logit) + way * epsilon < 1


def test_the_overlap_is_what_a_divergence_lacks() -> None:
    p, q = np.array([0.3, 0.7, 0.0]), np.array([0.2, 0.0, 0.8])
    assert np.log(2) - overlap(p, q).sum() / 2 == pytest.approx(jensen_shannon(p, q))
    assert overlap(0.0, q).tolist() == [0, 0, 0]


@pytest.mark.parametrize("shape", ["drawn", "rising"])
def test_long_texts_are_answered_as_in_pieces_and_in_little_room(shape: str) -> None:
    """All pairs of 300 tokens, looked through one by one, against tiles and pruning; 2,000 tokens
    in 200 MB.
    """
    generator = np.random.default_rng(3)
    z = generator.normal(0, 3, (2, 300))
    weights = np.exp(np.abs(z) if shape == "rising" else generator.normal(0, 2, z.shape))
    weights /= weights.sum(1, keepdims=True)
    own = (weights * z).sum(1)
    low, high = bound_gap(own, expit(own), expit(-own), 0.01)
    ours = farthest(z, weights, np.ones(z.shape, dtype=bool), low, high)
    for row in range(2):
        losses = [
            overlap(1.0, weights[row][(z[row] >= low[row]) & (z[row] <= high[row])]).min(
                initial=np.inf
            )
        ]
        for wall in (low[row], high[row]):
            u, d = np.maximum(z[row] - wall, 0)[None, :], np.maximum(wall - z[row], 0)[:, None]
            with np.errstate(invalid="ignore"):
                share = np.where((u > 0) & (d > 0), u / (u + d), np.nan)
            pairs = overlap(share, weights[row][:, None]) + overlap(
                1 - share, weights[row][None, :]
            )
            losses.append(np.nanmin(pairs))
        assert ours.divergence[row] == pytest.approx(np.log(2) - min(losses) / 2, abs=1e-12)
    long = np.tile(z, (1, 7))[:, :2000] + generator.normal(0, 0.1, (2, 2000))
    even = np.exp(np.abs(long))
    even /= even.sum(1, keepdims=True)
    assert peak(lambda: one_logit(long, even, np.ones(long.shape, dtype=bool), 0.01)) < 200 * 2**20


def test_one_token_and_equal_logits_have_their_answers() -> None:
    one, mask = np.array([[2.0, 9.0]]), np.array([[True, False]])
    assert one_logit(one, np.array([[1.0, 0.0]]), mask, 0.01) == pytest.approx([0], abs=1e-12)
    alike, weights = np.full((1, 3), 0.3), np.array([[0.7, 0.2, 0.1]])
    away = float(jensen_shannon(np.array([0.0, 0.0, 1.0]), weights[0]))
    assert one_logit(alike, weights, np.ones((1, 3), bool), 0.0) == pytest.approx([away])
    assert one_logit(
        np.array([[5.0, -5.0]]), np.array([[1.0, 0.0]]), np.ones((1, 2), bool), 1.0
    ) == pytest.approx([np.log(2)])


def test_two_logits_are_one() -> None:
    generator = np.random.default_rng(1)
    z, weights = generator.normal(0, 2, (20, 6, 2)), generator.dirichlet(np.ones(6), 20)
    mask = np.ones((20, 6), dtype=bool)
    two = farthest_answering(z, weights, mask, 0.01)
    assert two.low == pytest.approx(
        one_logit(z[..., 1] - z[..., 0], weights, mask, 0.01), abs=1e-12
    )
    assert (two.low == two.high).all()


def test_a_text_beyond_what_is_looked_through_is_bounded_closely() -> None:
    generator = np.random.default_rng(0)
    gaps, weights = generator.normal(0.3, 2, (8, 12, 2)), generator.dirichlet(np.ones(12), 8)
    weights[(np.einsum("bt,btk->bk", weights, gaps) < 0).any(axis=1)] = np.eye(12)[0]
    gaps[:, 0] = np.abs(gaps[:, 0])
    mask = np.ones((8, 12), dtype=bool)
    exact, bounded = (
        farthest_deciding(gaps, weights, mask, corners=10**6),
        farthest_deciding(gaps, weights, mask, corners=0),
    )
    assert (exact.low == exact.high).all()
    assert (bounded.low <= exact.low + 1e-9).all()
    assert (bounded.high >= exact.low - 1e-9).all()
    assert (bounded.low < exact.low - 1e-3).any()  # or the bounds would not be tried
    assert (bounded.high - bounded.low).mean() < 0.05


def test_a_word_that_alone_has_evidence_must_keep_its_share() -> None:
    """From 0 up to a logit of 3 by a word of 4: three quarters must stay on it, and none on any
    other.
    """
    gaps, mask = np.array([[[4.0], [0.0], [0.0]]]), np.ones((1, 3), dtype=bool)
    held = np.array(
        [
            [[True, False, False]],
            [[False, True, True]],
            [[True, True, True]],
            [[False, False, False]],
        ]
    )
    assert least_mass(gaps, held, mask, np.full((1, 1), 3.0), OPEN)[:, 0].tolist() == [
        0.75,
        0,
        1,
        0,
    ]
    assert np.isnan(least_mass(gaps, held, mask, np.full((1, 1), 5.0), OPEN)).all()
    assert least_mass(-gaps, held, mask, -OPEN, np.full((1, 1), -3.0))[:, 0].tolist() == [
        0.75,
        0,
        1,
        0,
    ]


def test_nats_of_two_words_are_half_the_log_of_what_stands_against_what() -> None:
    gaps, mask = np.array([[[3.0], [-1.0], [0.0]]]), np.ones((1, 3), dtype=bool)
    weights = np.array([[0.5, 0.2, 0.3]])
    assert nats_to_flip(gaps, weights, mask) == pytest.approx([np.log(1.5 / 0.2) / 2])
    assert np.isinf(nats_to_flip(np.abs(gaps), weights, mask)).all()
    assert np.isnan(nats_to_flip(gaps, np.array([[0.5, 0.5, 0.0]]), mask)).all()
    assert nats_to_flip(
        np.concatenate([gaps, gaps * [[[1], [3], [1]]]], 2), weights, mask
    ) == pytest.approx([np.log(1.5 / 0.6) / 2])
