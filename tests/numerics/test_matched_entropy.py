"""Random attention of a given entropy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics.divergences import entropy
from sightline.numerics.matched_entropy import with_entropy


@given(st.integers(2, 40), st.floats(0.01, 0.999), st.integers(0, 5))
def test_draws_have_the_entropy_asked_for(words: int, share: float, seed: int) -> None:
    target = share * np.log(words)
    drawn = with_entropy(target, words, 3, np.random.default_rng(seed))
    assert drawn.sum(1) == pytest.approx(1)
    assert entropy(drawn) == pytest.approx(target, abs=1e-6)


def test_the_largest_weight_falls_anywhere() -> None:
    drawn = with_entropy(0.5, 4, 4000, np.random.default_rng(0))
    share = np.bincount(drawn.argmax(1), minlength=4) / 4000
    assert share == pytest.approx(0.25, abs=0.03)  # four standard errors


def test_flat_and_peaked_ends() -> None:
    generator = np.random.default_rng(0)
    assert with_entropy(np.log(5), 5, 2, generator) == pytest.approx(0.2, abs=1e-4)
    assert with_entropy(0.0, 5, 2, generator).max(1) == pytest.approx(1)
    assert with_entropy(0.0, 1, 2, generator).tolist() == [[1.0], [1.0]]
