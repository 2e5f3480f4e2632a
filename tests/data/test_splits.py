"""Splits are balanced by class, keep copies together, and come from the seed alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sightline.data.splits import SHARES, distinct, divide

TEXTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), min_size=1, max_size=120)


@given(TEXTS, st.integers(0, 5))
def test_copies_stay_together_and_common_classes_are_everywhere(texts, seed):
    labels, copies = [label for label, _ in texts], [key for _, key in texts]
    names = divide(labels, copies, SHARES, seed)
    assert set(names) <= set(SHARES)
    assert len(set(zip(copies, names, strict=True))) == len(set(copies))
    first = {key: label for label, key in reversed(texts)}
    for label, count in distinct(labels, copies).items():
        in_splits = {name for key, name in zip(copies, names, strict=True) if first[key] == label}
        assert len(in_splits) == min(count, len(SHARES))
        assert "train" in in_splits


@given(st.lists(st.integers(3, 80), min_size=1, max_size=4), st.integers(0, 3))
def test_different_texts_are_divided_to_the_text(sizes, seed):
    labels = [str(label) for label, size in enumerate(sizes) for _ in range(size)]
    counts = Counter(zip(labels, divide(labels, range(len(labels)), SHARES, seed), strict=True))
    for label, size in enumerate(sizes):
        assert (
            counts[str(label), "test"]
            == counts[str(label), "validation"]
            == max(1, round(0.15 * size))
        )


def test_the_seed_decides_and_the_order_of_classes_does_not_follow_the_file():
    labels = ["a", "b"] * 50
    one = divide(labels, range(100), SHARES, 1)
    assert one == divide(labels, range(100), SHARES, 1)
    assert one != divide(labels, range(100), SHARES, 2)
    assert {"train", "validation", "test"} == set(one[:40])  # not the first 70 of the file


def test_one_text_copied_often_does_not_starve_the_other_splits():
    assert Counter(divide(["a"] * 12, [0] * 10 + [1, 2], SHARES, 0)) == {
        "train": 10,
        "validation": 1,
        "test": 1,
    }


def test_a_text_with_two_labels_counts_under_its_first():
    assert distinct(["a", "b", "b"], [0, 0, 1]) == {"a": 1, "b": 1}
