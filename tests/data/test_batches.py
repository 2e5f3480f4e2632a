"""Batches hold each text once, waste little padding, and never grow too large."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data import batches
from sightline.data.batches import _cut, collate, length_batches, training_batches
from sightline.data.vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from tests.snapshots import refused

LENGTHS = st.lists(st.integers(1, 60), max_size=40)


def example(index, text, label=0, query=None, candidates=None):
    return Example(
        f"t:{index}", index, text, *tokenise(text), label, query=query, candidates=candidates
    )


def of_lengths(lengths):
    return [example(i, " ".join("x" * n)) for i, n in enumerate(lengths)]


VOCABULARY = Vocabulary(("a", "b", "c"))


def test_a_batch_is_padded_at_the_right():
    batch = collate([example(7, "c a new", 1), example(3, "b")], VOCABULARY, boundaries=False)
    assert batch.ids.tolist() == [[6, 4, UNK], [5, PAD, PAD]]
    assert batch.mask.tolist() == [[True, True, True], [True, False, False]]
    assert torch.equal(batch.attendable, batch.mask)
    assert batch.word.tolist() == [[0, 1, 2], [0, -1, -1]]
    assert (batch.labels.tolist(), batch.index.tolist()) == ([1, 0], [7, 3])
    assert batch.query_ids is None


def test_boundaries_are_real_but_attention_cannot_see_them():
    batch = collate([example(0, "c a"), example(1, "b")], VOCABULARY, boundaries=True)
    assert batch.ids.tolist() == [[BOS, 6, 4, EOS], [BOS, 5, EOS, PAD]]
    assert batch.mask.tolist() == [[True] * 4, [True, True, True, False]]
    assert batch.attendable.tolist() == [[False, True, True, False], [False, True, False, False]]
    assert batch.word.tolist() == [[-1, 0, 1, -1], [-1, 0, -1, -1]]


def test_queries_are_padded_beside_their_texts():
    batch = collate([example(0, "a", query=("b", "c")), example(1, "b", query=("a",))], VOCABULARY)
    assert batch.query_ids.tolist() == [[5, 6], [4, PAD]]
    assert batch.query_mask.tolist() == [[True, True], [True, False]]


def test_queries_have_boundaries_where_texts_have():
    batch = collate(
        [example(0, "a", query=("b", "c")), example(1, "b", query=("a",))],
        VOCABULARY,
        boundaries=True,
    )
    assert batch.query_ids.tolist() == [[BOS, 5, 6, EOS], [BOS, 4, EOS, PAD]]
    assert batch.query_mask.tolist() == [[True] * 4, [True, True, True, False]]


@pytest.mark.parametrize("query", [None, ()])
def test_a_text_without_a_query_among_others_is_refused(query):
    with refused(DataError):
        collate([example(0, "a", query=("b",)), example(1, "b", query=query)], VOCABULARY)


def test_candidates_are_marked_and_all_are_where_none_are_named():
    texts = [example(0, "a", candidates=(2, 0)), example(1, "b")]
    assert collate(texts, VOCABULARY, classes=3).candidates.tolist() == [
        [True, False, True],
        [True] * 3,
    ]
    assert collate(texts, VOCABULARY).candidates is None
    assert collate(texts[1:], VOCABULARY, classes=3).candidates is None


@pytest.mark.parametrize("candidates", [(), (0, 3), (-1,)])
def test_candidates_that_are_no_answers_are_refused(candidates):
    with refused(DataError):
        collate([example(0, "a", candidates=candidates)], VOCABULARY, classes=3)


def test_deleting_and_choosing_texts_keeps_each_with_its_query_and_candidates():
    texts = [
        example(0, "a b", query=("b", "c"), candidates=(1,)),
        example(1, "b", query=("a",), candidates=(0, 2)),
    ]
    batch = collate(texts, VOCABULARY, classes=3)
    kept = batch.keep(torch.tensor([[False, True], [True, True]]))
    assert kept.ids.tolist() == [[5], [5]]
    assert kept.query_ids.tolist() == batch.query_ids.tolist()
    assert kept.query_mask.tolist() == batch.query_mask.tolist()
    assert kept.candidates.tolist() == batch.candidates.tolist()
    turned = batch.rows(torch.tensor([1, 0, 1]))
    assert turned.query_ids.tolist() == [[4, PAD], [5, 6], [4, PAD]]
    assert turned.query_mask.tolist() == [[True, False], [True, True], [True, False]]
    assert turned.candidates.tolist() == [
        [True, False, True],
        [False, True, False],
        [True, False, True],
    ]


def test_nothing_and_a_text_without_words_are_refused():
    with pytest.raises(DataError, match="at least one text"):
        collate([], VOCABULARY)
    with pytest.raises(DataError, match="text t:4 has no words"):
        collate([example(0, "a"), example(4, " ")], VOCABULARY)


@given(LENGTHS, st.integers(1, 9), st.integers(1, 200))
def test_every_text_is_in_one_batch_and_no_batch_is_too_large(lengths, size, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "MAX_TOKENS", limit)
        shuffled = training_batches(lengths, size, np.random.default_rng(0))
        in_order = length_batches(of_lengths(lengths), size)
    for found in (in_order, shuffled):
        assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
        for batch in found:
            assert 1 <= len(batch) <= size
            assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= limit


@given(LENGTHS, st.integers(1, 9))
def test_evaluation_goes_in_order_of_length_and_ties_in_order_of_the_file(lengths, size):
    order = [i for batch in length_batches(of_lengths(lengths), size) for i in batch]
    assert order == sorted(range(len(lengths)), key=lambda i: (lengths[i], i))


def test_a_batch_is_full_where_it_may_be(monkeypatch: pytest.MonkeyPatch):
    assert [len(b) for b in length_batches(of_lengths([5] * 10), 4)] == [4, 4, 2]
    monkeypatch.setattr(batches, "MAX_TOKENS", 15)
    assert [len(b) for b in length_batches(of_lengths([5] * 10), 4)] == [3, 3, 3, 1]
    monkeypatch.setattr(batches, "MAX_TOKENS", 10)
    assert length_batches(of_lengths([2, 50, 2]), 4) == [[0, 2], [1]]


def test_training_batches_follow_their_generator_and_change_from_epoch_to_epoch():
    lengths = np.random.default_rng(5).integers(5, 50, 200).tolist()
    generator = np.random.default_rng(1)
    first, second = (
        training_batches(lengths, 16, generator),
        training_batches(lengths, 16, generator),
    )
    assert first == training_batches(lengths, 16, np.random.default_rng(1))
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}


def test_training_batches_are_of_like_length_in_random_order():
    lengths = np.random.default_rng(5).integers(5, 500, 2000).tolist()
    found = training_batches(lengths, 16, np.random.default_rng(1))
    padded = sum(len(batch) * max(lengths[i] for i in batch) for batch in found)
    assert sum(lengths) / padded > 0.85
    longest = [max(lengths[i] for i in batch) for batch in found]
    assert abs(np.corrcoef(longest, np.arange(len(longest)))[0, 1]) < 0.25


def test_texts_of_equal_length_do_not_always_meet():
    found = training_batches([7] * 64, 8, np.random.default_rng(0))
    assert any(np.ptp(batch) > 8 for batch in found)


def test_a_long_text_does_not_make_the_batches_behind_it_small():
    # noise may put a longer text before a shorter one
    assert _cut([0, 1, 2, 3], [9, 3, 3, 3], 4, 9) == [[0], [1, 2, 3]]
