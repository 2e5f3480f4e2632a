"""Kendall's τ-b and captured importance against literal twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, norm

from sightline.numerics.rank_agreement import (
    captured,
    captured_by_chance,
    inclusion,
    kendall_tau_b,
    kendall_test,
    top_count,
)
from tests.reference import formulas

few = st.sampled_from([0.0, 0.1, 0.1, 0.25, 0.5, 1.0])  # few values, so that ties are common
text = st.integers(2, 5).flatmap(
    lambda n: st.tuples(
        st.lists(few, min_size=n, max_size=n), st.lists(few, min_size=n, max_size=n)
    )
)


def padded(row: list[float], width: int = 7, filling: float = 9.0) -> np.ndarray:
    """Put a row into a padded array; the filling must never be seen."""
    return np.array([row + [filling] * (width - len(row))])


def real(row: list[float], width: int = 7) -> np.ndarray:
    """Mark the words of `padded`."""
    return np.arange(width)[None] < len(row)


@given(text)
def test_tau_is_the_literal_one(pair: tuple[list[float], list[float]]) -> None:
    x, y = pair
    fast = kendall_tau_b(padded(x), padded(y, filling=-3.0), real(x))[0]
    assert fast == pytest.approx(formulas.tau_b(x, y), abs=1e-12, nan_ok=True)


def test_tau_agrees_with_scipy_on_long_texts() -> None:
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, 3, 60)).round(1)
    expected = [kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert kendall_tau_b(x, y, np.ones((3, 60), bool)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("row", [[0.3], [0.5, 0.5, 0.5]])
def test_tau_of_one_word_or_a_constant_is_undefined(row: list[float]) -> None:
    other = [float(t) for t in range(len(row))]
    assert np.isnan(kendall_tau_b(padded(row), padded(other), real(row))).all()


@given(text, st.integers(1, 3))
def test_captured_is_the_mean_over_ties(pair: tuple[list[float], list[float]], count: int) -> None:
    scores, reference = pair
    count = min(count, len(scores) - 1)
    top = inclusion(padded(scores), real(scores), np.array([count]))
    assert top.sum() == pytest.approx(count)
    assert (top[0, len(scores) :] == 0).all()
    fast = captured(top, padded(reference), real(scores), np.array([count]))[0]
    if sum(reference) == 0:
        assert np.isnan(fast)
    else:
        assert fast == pytest.approx(formulas.captured(scores, reference, count))


@given(text)
def test_the_floor_is_the_mean_over_all_permutations(pair: tuple[list[float], list[float]]) -> None:
    scores, reference = (row[:4] for row in pair)
    if sum(reference) == 0:
        return
    chance = captured_by_chance(padded(reference), real(scores), np.array([1]))[0]
    assert chance == pytest.approx(formulas.captured_over_permutations(scores, reference, 1))


def test_top_count_is_a_tenth_and_at_least_one() -> None:
    assert top_count(np.array([1, 9, 10, 19, 20, 30, 100])).tolist() == [1, 1, 1, 1, 2, 3, 10]


def test_the_p_value_is_scipys_with_one_off_the_pairs() -> None:
    """Kendall's variance under ties, by scipy: the same p where the smaller agreement is put in by
    hand.
    """
    generator = np.random.default_rng(3)
    x, y = generator.integers(0, 6, (2, 40, 9)).astype(float)
    tau, p = kendall_test(x, y, np.ones(x.shape, dtype=bool))
    for row in range(40):
        theirs = kendalltau(x[row], y[row], method="asymptotic")
        pairs = round(
            float(
                np.sign(np.subtract.outer(x[row], x[row]) * np.subtract.outer(y[row], y[row])).sum()
                / 2
            )
        )
        z = norm.isf(theirs.pvalue / 2) * max(abs(pairs) - 1, 0) / max(abs(pairs), 1)
        assert tau[row] == pytest.approx(theirs.statistic)
        assert p[row] == pytest.approx(2 * norm.sf(z), abs=1e-9)


@pytest.mark.parametrize(
    ("words", "values"), [(3, 9), (4, 10**6), (5, 3), (8, 3), (12, 20), (30, 5)]
)
def test_by_chance_at_most_one_text_in_twenty_is_significant(words: int, values: int) -> None:
    generator = np.random.default_rng(words)
    x, y = generator.integers(0, values, (2, 4000, words)).astype(float)
    tau, p = kendall_test(x, y, np.ones(x.shape, dtype=bool))
    known = ~np.isnan(tau)
    assert np.isnan(p[~known]).all()
    assert (p[known] <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / known.sum())


@pytest.mark.parametrize(("words", "important", "times"), [(10, 1, 1), (15, 2, 2), (15, 1, 1)])
def test_where_most_words_are_tied_chance_is_significant_more_often(
    words: int, important: int, times: int
) -> None:
    """All weight on one word, in each of its equally likely places."""
    weight, importance = np.eye(words), np.zeros((words, words))
    importance[:, :important] = np.arange(1, important + 1)
    _, p = kendall_test(weight, importance, np.ones((words, words), dtype=bool))
    assert (p <= 0.05).sum() == times


def test_padding_has_no_part_in_a_p_value() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 1, 9)).round(1)
    alone = kendall_test(x, y, np.ones((1, 9), dtype=bool))[1]
    wide = [np.concatenate([each, np.full((1, 4), 9.0)], axis=1) for each in (x, y)]
    assert kendall_test(*wide, np.arange(13)[None] < 9)[1] == pytest.approx(alone)
