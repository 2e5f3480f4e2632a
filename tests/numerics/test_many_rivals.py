"""Bounds of the farthest attention where there are many classes: their sets are counted, not listed."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from sightline.numerics.max_divergence_multiclass import farthest_deciding


@pytest.mark.parametrize(("tokens", "rivals"), [(1, 1), (3, 2), (5, 4), (2, 6)])
def test_the_corners_are_counted_in_closed_form(tokens: int, rivals: int) -> None:
    listed = sum(
        len([*combinations(range(tokens), m)]) * len([*combinations(range(rivals), m - 1)])
        for m in range(1, rivals + 2)
    )
    assert comb(tokens + rivals, rivals + 1) == listed


def test_a_text_among_fifty_two_classes_is_bounded() -> None:
    """No list of the 2⁵¹ sets of rivals could be held."""
    generator = np.random.default_rng(0)
    gaps = generator.normal(size=(1, 6, 51))
    gaps[0, 0] = np.abs(gaps[0, 0])
    attention = np.full((1, 6), 0.02)
    attention[0, 0] = 0.9
    gaps[0, 1:] = np.where(generator.random((5, 51)) < 0.5, gaps[0, 1:], -gaps[0, 1:])
    found = farthest_deciding(gaps, attention, np.ones((1, 6), dtype=bool))
    assert 0 <= found.low[0] <= found.high[0] + 1e-9
    assert (found.attention[0] @ gaps[0] >= -1e-6).all()
    assert found.attention[0].sum() == pytest.approx(1)
