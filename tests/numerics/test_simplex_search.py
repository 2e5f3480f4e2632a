"""Our search: the exact value where there is one, a grid where there is none, and never a point
that moves the answer.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.numerics.adversarial_descent import Descent
from sightline.numerics.simplex_search import ClimbSettings, Probe, climb, farthest_along
from sightline.numerics.tolerance import Tolerance
from tests.numerics.searching import (
    affine,
    attention,
    bent,
    divergence,
    farthest_of_pairs,
    farthest_on_a_grid,
    lengths_to_mask,
)

QUICK = ClimbSettings(descent=Descent(steps=30, rate=0.1, strength=20.0, mutual=False))


def starts(shape: tuple[int, int], count: int = 4) -> np.ndarray:
    return 3 * np.random.default_rng(1).normal(size=(count, *shape))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.05, 0.3]), st.floats(0.1, 6))
def test_with_one_logit_the_pairs_hold_the_farthest(
    seed: int, epsilon: float, lively: float
) -> None:
    generator = np.random.default_rng(seed)
    mask = lengths_to_mask([7, 4, 2])
    z = np.round(lively * generator.normal(size=mask.shape), 1)  # with ties
    own = attention(mask, generator)
    probe = Probe(affine(z[..., None], own, mask), Tolerance(epsilon))
    found = climb(probe, starts(mask.shape), QUICK)
    for row, length in enumerate(mask.sum(1)):
        most = farthest_of_pairs(z[row, :length], own[row, :length], epsilon)
        assert found[2, row] <= most + 1e-9
        assert found[1, row] == pytest.approx(most, abs=5e-4)


def test_behind_a_tanh_it_finds_what_a_grid_finds() -> None:
    generator = np.random.default_rng(0)
    mask = lengths_to_mask([4, 4, 4])
    own, states = attention(mask, generator), generator.normal(size=(*mask.shape, 3))
    matrix = generator.normal(size=(3, 3))
    found = climb(
        Probe(bent(states, matrix, own, mask), Tolerance(0.05)),
        starts(mask.shape, 10),
        ClimbSettings(),
    )
    assert (np.diff(found, axis=0) >= 0).all()
    for row in range(3):
        one = bent(states[row : row + 1], matrix, own[row : row + 1], mask[:1])
        assert found[2, row] >= farthest_on_a_grid(one, 0.05, 24) - 0.02


def test_every_point_that_counts_was_decoded_and_keeps_the_answer() -> None:
    """On a line that ends outside, the last point that was kept is given back."""
    mask = lengths_to_mask([3])
    z = np.array([[-4.0, 0.0, 4.0]])
    own = np.array([[0.2, 0.6, 0.2]])
    probe = Probe(affine(z[..., None], own, mask), Tolerance(0.1))
    outside = np.eye(3)[None, 2:3]
    reached = farthest_along(probe, own[None], outside)
    assert probe.holds(reached).all()
    step = (reached[0, 0, 2] - 0.2) / 0.8
    assert step == pytest.approx(
        np.log(0.6 / 0.4) / 4, abs=1e-4
    )  # the logit grows by 4 along the line
    assert farthest_along(probe, own[None], np.eye(3)[None, 1:2])[0, 0] == pytest.approx([0, 1, 0])


def test_decodings_are_counted_and_bounded() -> None:
    generator = np.random.default_rng(0)
    mask = lengths_to_mask([9, 4])
    task = affine(generator.normal(size=(*mask.shape, 1)), attention(mask, generator), mask)
    asked = []
    counted = Probe(
        type(task)(
            lambda many: asked.append(len(many)) or task.decode(many),
            task.attention,
            task.mask,
            task.logits,
        ),
        Tolerance(),
    )
    climb(counted, starts(mask.shape), QUICK)
    assert (counted.decodes <= sum(asked)).all()
    assert counted.decodes[0] > counted.decodes[1] >= 4 + 4 * 30
    few = Probe(task, Tolerance())
    how = ClimbSettings(pairs=1, descent=QUICK.descent, budget=45 + 4 * 45 + 3)  # three words
    climb(few, starts(mask.shape), how)
    assert (few.decodes <= how.budget).all()


def test_a_certain_answer_lets_all_weight_go_anywhere() -> None:
    """With one candidate left, any attention gives the answer: the farthest is all weight on the
    least attended word.
    """
    own = np.array([[0.7, 0.2, 0.1]])
    z = np.stack([np.zeros((1, 3)), np.full((1, 3), -np.inf)], axis=-1)
    task = affine(np.where(np.isinf(z), -1e30, z), own, np.ones((1, 3), dtype=bool))
    found = climb(Probe(task, Tolerance()), starts((1, 3)), QUICK)
    assert found[:, 0] == pytest.approx([divergence(np.eye(3)[2], own[0])] * 3)
