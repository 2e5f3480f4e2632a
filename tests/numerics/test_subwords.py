"""Words and pieces against word-by-word twins; a word of one piece is its piece, to the last
bit.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics import subwords
from tests.reference import pieces as literal

WORDS = st.lists(st.integers(1, 3), min_size=1, max_size=6)


def row(sizes: list[int], edge: int, width: int) -> list[int]:
    """Number the pieces of words of some sizes, with a boundary on the left and padding on the
    right.
    """
    numbers = [-1] * edge + [number for number, size in enumerate(sizes) for _ in range(size)]
    return numbers + [-1] * (width - len(numbers))


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 1), st.integers(0, 99))
def test_every_function_is_its_word_by_word_twin(
    texts: list[list[int]], edge: int, seed: int
) -> None:
    width = max(map(sum, texts)) + edge
    word = np.array([row(sizes, edge, width) for sizes in texts])
    random = np.random.default_rng(seed)
    values = random.random(word.shape) * random.integers(0, 2, word.shape) * (word >= 0)
    most = max(map(len, texts))
    new = random.random((len(texts), most))
    gone = random.random(new.shape) < 0.5
    assert subwords.has_split_words(word) == any(size > 1 for sizes in texts for size in sizes)
    there = [[size > 0 for size in [*sizes, *[0] * (most - len(sizes))]] for sizes in texts]
    assert (subwords.counts(word) > 0).tolist() == there
    again = subwords.reweighed(new, subwords.shares(values, word), word)
    for i, numbers in enumerate(word.tolist()):
        size = len(texts[i])
        assert subwords.summed(values, word)[i, :size] == pytest.approx(
            literal.summed(values[i], numbers, size)
        )
        assert again[i] == pytest.approx(literal.reweighed(values[i], numbers, new[i, :size]))
        assert subwords.kept_tokens(gone, word)[i].tolist() == literal.left(
            numbers, set(np.flatnonzero(gone[i]))
        )
    assert subwords.summed(again, word) == pytest.approx(np.where(there, new, 0))


@given(st.integers(1, 9), st.integers(0, 99))
def test_a_word_of_one_piece_is_its_piece(words: int, seed: int) -> None:
    word = np.arange(words)[None]
    values = np.random.default_rng(seed).random((1, words))
    assert np.array_equal(subwords.summed(values, word), values)
    assert np.array_equal(subwords.spread(values, word), values)
    assert np.array_equal(subwords.reweighed(values, subwords.shares(values, word), word), values)


def test_pieces_of_a_word_without_weight_share_alike() -> None:
    found = subwords.shares(np.array([[0.0, 0.0, 0.3, 0.1]]), np.array([[0, 0, 1, 1]]))
    assert found[0] == pytest.approx([0.5, 0.5, 0.75, 0.25])
