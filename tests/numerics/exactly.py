"""What must hold of every exact answer about one text: each a check that the tests and
``validation/exact.py`` make.

A check is given token logits (T × L), the weights of the tokens and ε, and fails by an assertion.
"""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.special import expit

from sightline.numerics.max_divergence import Farthest, bound_gap, farthest
from sightline.numerics.max_divergence_multiclass import (
    farthest_answering,
    farthest_deciding,
    walls,
)
from sightline.numerics.minimal_mass import least_mass
from sightline.numerics.score_margin import nats_to_flip
from sightline.numerics.simplex import (
    decision,
    gaps_of,
    permuted_extremes,
    permuted_moments,
    rival_gaps,
)
from tests.reference import attentions as literal

ROOM = 9
"""Columns of a padded text; what is behind its tokens must not matter."""
LOGITS = (-30.0, -2.0, -0.5, 0.0, 0.0, 0.7, 3.0, 40.0)
WEIGHTS = (0.0, 0.0, 0.2, 1.0, 5.0)
EPSILONS = (0.0, 1e-3, 0.01, 0.1, 0.6)


def drawn(generator: np.random.Generator, logits: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a text; half of the logits, and of the weights, come from a few values, so that ties are
    common.
    """
    tokens = int(generator.integers(1, most + 1))
    few = generator.random(2) < 0.5
    z = (
        generator.choice(LOGITS, (tokens, logits))
        if few[0]
        else generator.normal(0, 2, (tokens, logits))
    )
    raw = generator.choice(WEIGHTS, tokens) if few[1] else generator.dirichlet(np.ones(tokens))
    raw = raw + (raw.sum() == 0)
    return z, raw / raw.sum()


def padded(z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Put a text into a batch of one, with padding that would be seen if it were read."""
    tokens = len(weights)
    out_z, out_weights = np.full((1, ROOM, z.shape[1]), 77.0), np.zeros((1, ROOM))
    out_z[0, :tokens], out_weights[0, :tokens] = z, weights
    return out_z, out_weights, np.arange(ROOM)[None] < tokens


def ends(z: np.ndarray, weights: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Give the ends between which the one logit keeps the answer."""
    own = np.array([weights @ z[:, 0]])
    return bound_gap(own, expit(own), expit(-own), epsilon)


def answered(z: np.ndarray, weights: np.ndarray, epsilon: float) -> Farthest:
    """Find the farthest attention of one logit."""
    out_z, out_weights, mask = padded(z, weights)
    return farthest(out_z[..., 0], out_weights, mask, *ends(z, weights, epsilon))


def the_farthest_is_the_best_corner(z: np.ndarray, weights: np.ndarray, epsilon: float) -> None:
    found, tokens = answered(z, weights, epsilon), len(weights)
    where = found.attention(ROOM)[0]
    assert where[tokens:].sum() == 0
    assert literal.answering(z, weights, epsilon + 1e-9)(where[:tokens])
    assert found.divergence[0] == pytest.approx(
        literal.divergence(where[:tokens], weights), abs=1e-9
    )
    best = literal.farthest(literal.corners(z, *ends(z, weights, epsilon)), weights)
    assert found.divergence[0] == pytest.approx(best, abs=1e-9)


def no_point_of_a_grid_is_farther(
    z: np.ndarray, weights: np.ndarray, epsilon: float, steps: int = 40
) -> None:
    found, keeps = answered(z, weights, epsilon), literal.answering(z, weights, epsilon)
    far = [literal.divergence(point, weights) for point in literal.grid(steps) if keeps(point)]
    assert max(far, default=0.0) <= found.divergence[0] + 1e-9


def the_farthest_that_decides_alike_is_the_best_corner(
    z: np.ndarray, weights: np.ndarray, epsilon: float
) -> None:
    gaps, out_weights, mask = _rivals(z, weights)
    open_ended = np.zeros(gaps.shape[2]), np.full(gaps.shape[2], np.inf)
    best = literal.farthest(literal.corners(gaps[0, : len(weights)], *open_ended), weights)
    exact, bounded = (farthest_deciding(gaps, out_weights, mask, corners) for corners in (10**6, 0))
    assert exact.low[0] == exact.high[0] == pytest.approx(best, abs=1e-8)
    assert bounded.low[0] - 1e-8 <= best <= bounded.high[0] + 1e-8
    for found in (exact, bounded):
        where = found.attention[0]
        assert (where @ gaps[0])[np.newaxis].min() >= -1e-8
        assert literal.divergence(where, out_weights[0]) == pytest.approx(found.low[0], abs=1e-8)


def the_farthest_that_answers_alike_is_bracketed(
    z: np.ndarray, weights: np.ndarray, epsilon: float
) -> None:
    out_z, out_weights, mask = padded(z, weights)
    found, tokens = farthest_answering(out_z, out_weights, mask, epsilon), len(weights)
    where = found.attention[0, :tokens]
    assert literal.answering(z, weights, epsilon + 1e-8)(where)
    assert literal.divergence(where, weights) == pytest.approx(found.low[0], abs=1e-8)
    assert found.low[0] <= found.high[0]
    keeps = literal.answering(z, weights, epsilon)
    for point in np.random.default_rng(0).dirichlet(np.full(tokens, 0.3), 20):
        shares = [
            share for share in np.linspace(0, 1, 21) if keeps((1 - share) * weights + share * point)
        ]
        pulled = (1 - max(shares, default=0)) * weights + max(shares, default=0) * point
        assert literal.divergence(pulled, weights) <= found.high[0] + 1e-8
    if z.shape[1] == 1:
        assert (
            found.low[0]
            == found.high[0]
            == pytest.approx(answered(z, weights, epsilon).divergence[0], abs=1e-9)
        )


def the_least_mass_is_that_of_a_corner(z: np.ndarray, weights: np.ndarray, epsilon: float) -> None:
    out_z, _, mask = padded(z, weights)
    low, high = (end[:, None] for end in ends(z, weights, epsilon))
    every = np.array([*product([False, True], repeat=len(weights))])
    held = np.zeros((len(every), 1, ROOM), dtype=bool)
    held[:, 0, : len(weights)] = every
    found, corners = (
        least_mass(out_z, held, mask, low, high)[:, 0],
        literal.corners(z, low[0], high[0]),
    )
    assert found == pytest.approx([literal.least(corners, some) for some in every], abs=1e-9)


def the_least_mass_in_view_of_rivals_is_that_of_a_corner(
    z: np.ndarray, weights: np.ndarray, epsilon: float
) -> None:
    gaps, _, mask = _rivals(z, weights)
    held, rivals = np.zeros((4, 1, ROOM), dtype=bool), gaps.shape[2]
    held[:, 0, : len(weights)] = np.random.default_rng(1).random((4, len(weights))) < 0.4
    for low, high in (
        walls((weights @ z)[None], epsilon),
        (np.zeros((1, rivals)), np.full((1, rivals), np.inf)),
    ):
        corners = literal.corners(gaps[0, : len(weights)], low[0], high[0])
        least = [literal.least(corners, some[0, : len(weights)]) for some in held]
        assert least_mass(gaps, held, mask, low, high)[:, 0] == pytest.approx(least, abs=1e-6)


def the_nats_are_where_the_decision_flips(
    z: np.ndarray, weights: np.ndarray, epsilon: float
) -> None:
    gaps, out_weights, mask = _rivals(z, weights)
    nats, real = nats_to_flip(gaps, out_weights, mask)[0], gaps[0, : len(weights)]
    if (weights == 0).any():
        assert np.isnan(nats)
    elif np.isinf(nats):
        assert not literal.flips(real, weights, 30.0)
    else:
        assert literal.flips(real, weights, nats + 1e-3)
        assert nats < 1e-3 or not literal.flips(real, weights, nats - 1e-3)


def _rivals(z: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out_z, out_weights, mask = padded(z, weights)
    return rival_gaps(out_z, decision((weights @ z)[None])), out_weights, mask


def permuted_extremes_and_moments_are_those_of_all(
    z: np.ndarray, weights: np.ndarray, epsilon: float
) -> None:
    out_z, out_weights, mask = padded(z, weights)
    orders = np.array(list(permutations(range(len(weights)))))
    logits = weights[orders] @ z
    mean, variance = permuted_moments(out_z, out_weights, mask)
    assert mean[0] == pytest.approx(logits.mean(0), abs=1e-9)
    assert variance[0] == pytest.approx(logits.var(0), abs=1e-9)
    for c in range(max(z.shape[1], 2)):
        least, most = permuted_extremes(gaps_of(out_z, c), out_weights[None], mask)
        gaps = gaps_of(logits[None], c)[0]
        assert least[0, 0] == pytest.approx(gaps.min(0), abs=1e-9)
        assert most[0, 0] == pytest.approx(gaps.max(0), abs=1e-9)


CHECKS = {
    "the farthest attention of one logit is the best corner": (
        the_farthest_is_the_best_corner,
        (1,),
        8,
    ),
    "no point of a fine grid over three tokens is farther": (
        no_point_of_a_grid_is_farther,
        (1,),
        3,
    ),
    "the farthest that decides alike, two to four classes, is the best corner": (
        the_farthest_that_decides_alike_is_the_best_corner,
        (1, 2, 3, 4),
        7,
    ),
    "the farthest that answers alike, two to four classes, is bracketed": (
        the_farthest_that_answers_alike_is_bracketed,
        (1, 2, 3, 4),
        8,
    ),
    "the least mass is that of a corner, all subsets": (
        the_least_mass_is_that_of_a_corner,
        (1,),
        6,
    ),
    "the least mass in view of one to three rivals is that of a corner": (
        the_least_mass_in_view_of_rivals_is_that_of_a_corner,
        (1, 2, 3, 4),
        6,
    ),
    "the extremes and moments over permutations are those of all, one to four logits": (
        permuted_extremes_and_moments_are_those_of_all,
        (1, 2, 3, 4),
        7,
    ),
    "the nats are where the decision flips, all moves of the scores": (
        the_nats_are_where_the_decision_flips,
        (1, 2, 3),
        7,
    ),
}
"""Each check by what it holds, with the logits and the most tokens of a text."""
EXACT_TOKENS = 3


def case(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Draw the text and ε of one case of a check."""
    _, logits, most = CHECKS[name]
    generator = np.random.default_rng([sum(map(ord, name)), seed])
    z, weights = drawn(generator, int(generator.choice(logits)), most)
    while most == EXACT_TOKENS and len(weights) < EXACT_TOKENS:  # the grid is over three
        z, weights = drawn(generator, 1, most)
    return z, weights, float(generator.choice(EPSILONS))
