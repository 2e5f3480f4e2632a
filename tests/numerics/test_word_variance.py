"""What words and texts explain of the evidence of a token, against guesses made one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.numerics.word_variance import Explained, explained
from tests.reference import states as literal

CORPORA = st.lists(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=1, max_size=6
)


def drawn(
    texts: list[list[str]], classes: int, seed: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    generator = np.random.default_rng(seed)
    return [generator.normal(size=(len(t), classes)) for t in texts], [
        generator.random(len(t)) for t in texts
    ]


def found(
    texts: list[list[str]],
    values: list[np.ndarray],
    weights: list[np.ndarray],
    clusters: list[int] | None = None,
) -> Explained:
    kind = np.unique([word for text in texts for word in text], return_inverse=True)[1]
    text = np.repeat(np.arange(len(texts)), [len(one) for one in texts])
    cluster = text if clusters is None else np.unique(clusters, return_inverse=True)[1][text]
    return explained(np.concatenate(values), kind, text, np.concatenate(weights), cluster)


@settings(max_examples=60, deadline=None)
@given(CORPORA, st.integers(1, 3), st.integers(0, 99), st.data())
def test_sums_are_those_of_guesses_made_one_by_one(
    texts: list[list[str]], classes: int, seed: int, data: st.DataObject
) -> None:
    values, weights = drawn(texts, classes, seed)
    some = st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts))
    clusters = data.draw(st.none() | some)
    sums = found(texts, values, weights, clusters)
    expected = [one or (np.nan,) * 3 for one in literal.explained(texts, values, weights, clusters)]
    assert np.stack([sums.whole, sums.by_word, sums.by_text], axis=1) == pytest.approx(
        np.array(expected), abs=1e-9, nan_ok=True
    )


def test_a_word_with_evidence_of_its_own_explains_all_and_a_text_that_is_of_one_mind_too() -> None:
    texts = [list("abc"), list("bca"), list("cab"), list("abz")]
    of_word = {letter: np.array([[number]]) for number, letter in enumerate("abcz")}
    by_word = [np.concatenate([of_word[letter] for letter in text]).astype(float) for text in texts]
    sums = found(texts, by_word, [np.ones(3)] * 4)
    assert sums.by_word == pytest.approx(sums.whole)
    of_text = [np.full((3, 1), float(number)) for number in range(4)]
    sums = found(texts, of_text, [np.ones(3)] * 4)
    assert sums.by_text == pytest.approx(sums.whole)


def test_what_says_nothing_explains_nothing_on_average() -> None:
    """Few others are a poor guess, and the poor guess is counted out."""
    generator = np.random.default_rng(0)
    texts = [[str(one) for one in generator.integers(0, 400, 5)] for _ in range(400)]
    values, weights = [generator.normal(size=(5, 1)) for _ in texts], [np.ones(5)] * len(texts)
    sums = found(texts, values, weights)
    whole = np.nansum(sums.whole)
    assert np.nansum(sums.by_word) / whole == pytest.approx(0, abs=0.06)
    assert np.nansum(sums.by_text) / whole == pytest.approx(0, abs=0.06)


@pytest.mark.parametrize("copied", [True, False])
def test_texts_of_one_cluster_explain_nothing_of_each_other(copied: bool) -> None:
    """Noise, with each text twice or with two texts of one group; rare words, so that one more place
    counts.
    """
    generator = np.random.default_rng(1)
    texts = [[str(one) for one in generator.integers(0, 1000, 5)] for _ in range(1000)]
    values, weights = [generator.normal(size=(5, 1)) for _ in texts], [np.ones(5)] * 2000
    more = values if copied else [generator.normal(size=(5, 1)) for _ in texts]
    twice = texts * 2, values + more, weights
    apart, together = (
        np.nansum(sums.by_word) / np.nansum(sums.whole)
        for sums in (found(*twice), found(*twice, [*range(1000)] * 2))
    )
    assert together == pytest.approx(0, abs=0.03)
    assert (apart > 0.05) == copied
