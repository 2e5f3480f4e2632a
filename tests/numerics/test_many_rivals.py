"""Bounds of the farthest attention where there are many classes: their sets are counted, not listed."""

from itertools import combinations

import numpy as np
import pytest

from sightline.numerics import max_divergence_multiclass
from sightline.numerics.max_divergence_multiclass import Polytope, farthest_deciding


@pytest.mark.parametrize(("tokens", "rivals"), [(1, 1), (3, 2), (5, 4), (2, 6)])
def test_sets_of_tokens_are_examined_where_they_are_few_enough(
    tokens: int, rivals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are counted in closed form before they are listed."""
    examined: list[int] = []
    level = max_divergence_multiclass._level

    def counted(text: Polytope, some: np.ndarray, tight: list[int]) -> tuple:
        examined.append(len(some))
        return level(text, some, tight)

    monkeypatch.setattr(max_divergence_multiclass, "_level", counted)
    # as if the solution for one rival alone never kept the others behind
    monkeypatch.setattr(Polytope, "holds", lambda text, weights: False)
    generator = np.random.default_rng(0)
    gaps = generator.normal(size=(1, tokens + 2, rivals))
    gaps[0, 0] = np.abs(gaps[0, 0])
    attention = np.full((1, tokens + 2), 0.1 / max(1, tokens - 1))
    attention[0, 0] = 0.9 if tokens > 1 else 1.0
    attention[0, tokens:] = 0.0
    mask = np.arange(tokens + 2)[None] < tokens  # the others are padding
    listed = sum(
        len([*combinations(range(tokens), m)]) * len([*combinations(range(rivals), m - 1)])
        for m in range(1, rivals + 2)
    )
    for corners, expected in ((listed, listed), (listed - 1, 0)):
        examined.clear()
        farthest_deciding(gaps, attention, mask, corners)
        assert sum(examined) == expected


def test_a_text_among_fifty_two_classes_is_bounded() -> None:
    """No list of the 2⁵¹ sets of rivals could be held."""
    generator = np.random.default_rng(0)
    gaps = generator.normal(size=(1, 6, 51))
    gaps[0, 0] = np.abs(gaps[0, 0])
    attention = np.full((1, 6), 0.02)
    attention[0, 0] = 0.9
    gaps[0, 1:] = np.where(generator.random((5, 51)) < 0.5, gaps[0, 1:], -gaps[0, 1:])
    found = farthest_deciding(gaps, attention, np.ones((1, 6), dtype=bool), 20_000)
    assert 0 <= found.low[0] <= found.high[0] + 1e-9
    assert (found.attention[0] @ gaps[0] >= -1e-6).all()
    assert found.attention[0].sum() == pytest.approx(1)
