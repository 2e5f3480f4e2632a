"""The published search: its objective term by term, its tolerance, and texts that do not know of
each other.
"""

import numpy as np
import pytest
import torch
from scipy.special import expit

from sightline.numerics.adversarial_descent import (
    Descent,
    DescentProblem,
    _divergences,
    _pairs,
    answers,
    attend,
    descend,
)
from sightline.numerics.simplex_search import Probe
from sightline.numerics.tolerance import Tolerance
from tests.numerics.searching import (
    affine,
    attention,
    divergence,
    farthest_of_pairs,
    lengths_to_mask,
)

LENGTHS = [6, 3, 5, 2]
MASK = lengths_to_mask(LENGTHS)


def made(seed: int = 0) -> tuple[DescentProblem, np.ndarray]:
    generator = np.random.default_rng(seed)
    z = np.where(MASK[..., None], 3 * generator.normal(size=(*MASK.shape, 1)), 0.0)
    return affine(z, attention(MASK, generator), MASK), 3 * generator.normal(size=(5, *MASK.shape))


def test_the_objective_is_that_of_the_paper() -> None:
    """Sum of divergences from the model's own, and the mean over all K × K pairs of points."""
    task, scores = made()
    points = attend(torch.from_numpy(scores), task.mask)
    every = torch.cat([task.attention[None], points])
    (*mutual, weights), (*single, ones) = _pairs(5, mutual=True), _pairs(5, mutual=False)
    assert ones.tolist() == [1] * 5
    assert single == [[0] * 5, [1, 2, 3, 4, 5]]
    far = weights @ _divergences(every, *mutual)
    for row, own in enumerate(task.attention.numpy()):
        each = points[:, row].numpy()
        from_own = sum(divergence(point, own) for point in each)
        between = np.mean([divergence(p, q) for p in each for q in each])
        assert float(far[row]) == pytest.approx(from_own + between, abs=1e-12)


def test_the_first_step_of_adam_is_by_its_rate_down_the_slope() -> None:
    """The slope is taken by differences of the objective, written out; steps are seen in ratios of
    weights.
    """
    task, scores = made()
    tolerance, k, row, length = Tolerance(0.01), 2, 1, 3

    def loss(at: np.ndarray) -> float:
        points = attend(torch.from_numpy(at), task.mask)
        moved = tolerance.apart(answers(task.decode(points)), answers(task.logits))[:, row]
        far = [divergence(p, task.attention[row].numpy()) for p in points[:, row].numpy()]
        mutual = np.mean(
            [divergence(p, q) for p in points[:, row].numpy() for q in points[:, row].numpy()]
        )
        return float(500 * torch.relu(moved - 0.01).sum() - sum(far) - mutual)

    stepped = scores[k, row, :length].copy()
    for word in range(length):
        ends = []
        for sign in (1, -1):
            at = scores.copy()
            at[k, row, word] += sign * 1e-6
            ends.append(loss(at))
        stepped[word] -= 0.01 * np.sign(ends[0] - ends[1])
    reached = descend(task, torch.from_numpy(scores), tolerance, Descent(steps=1))[
        k, row, :length
    ].numpy()
    assert np.log(reached[1:] / reached[0]) == pytest.approx(stepped[1:] - stepped[0], abs=1e-6)


def test_what_it_finds_is_never_beyond_the_exact_value() -> None:
    for seed in range(3):
        task, scores = made(seed)
        points = descend(task, torch.from_numpy(scores), Tolerance(), Descent(steps=100)).numpy()
        kept = Probe(task, Tolerance()).holds(points)
        z = (
            task.decode(torch.eye(6, dtype=torch.float64)[:, None].expand(-1, 4, -1))
            .numpy()[..., 0]
            .T
        )
        for row, length in enumerate(LENGTHS):
            own = task.attention[row, :length].numpy()
            most = farthest_of_pairs(z[row, :length], own, 0.01)
            found = [
                divergence(p[row, :length], own)
                for p, holds in zip(points, kept[:, row], strict=True)
                if holds
            ]
            assert max(found, default=0.0) <= most + 1e-9


def test_a_text_is_searched_as_if_it_were_alone_and_padding_gets_nothing() -> None:
    task, scores = made()
    together = descend(task, torch.from_numpy(scores), Tolerance(), Descent(steps=60)).numpy()
    assert (together[:, ~MASK] == 0).all()
    assert together.sum(-1) == pytest.approx(1)
    z = (
        task.decode(torch.eye(6, dtype=torch.float64)[:, None].expand(-1, 4, -1))
        .numpy()
        .transpose(1, 0, 2)
    )
    for row, length in enumerate(LENGTHS):
        cut = np.ones((1, length), dtype=bool)
        one = affine(z[row : row + 1, :length], task.attention[row : row + 1, :length].numpy(), cut)
        alone = descend(
            one, torch.from_numpy(scores[:, row : row + 1, :length]), Tolerance(), Descent(steps=60)
        )
        assert together[:, row, :length] == pytest.approx(alone[:, 0].numpy(), abs=1e-9)


@pytest.mark.parametrize(("tolerance", "far"), [(Tolerance(0.2), 0.2), (Tolerance(0.2, "L1"), 0.1)])
def test_a_point_ends_where_the_tolerance_does(tolerance: Tolerance, far: float) -> None:
    """Of two words one holds the answer: weight goes to the other until the answer has moved as far
    as it may.
    """
    task = affine(np.array([[[2.0], [-2.0]]]), np.array([[0.9, 0.1]]), np.ones((1, 2), dtype=bool))
    how = Descent(
        steps=400, strength=5.0
    )  # with 500, the first step outside makes all later ones short
    point = descend(task, torch.tensor([[[1.5, 0.0]]]).double(), tolerance, how).numpy()[0, 0]
    answer = expit(np.array([0.8, point[0] - point[1]]) * 2)
    assert answer[0] - answer[1] == pytest.approx(far, abs=0.005)
