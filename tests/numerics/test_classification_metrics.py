"""Accuracy, F1 and AUC against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from sightline.numerics.classification_metrics import (
    accuracy,
    area_under_roc,
    confusion,
    f1_by_class,
    macro_f1,
    positive_f1,
)

labels = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


@given(labels)
def test_accuracy_and_f1_are_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    truth, said = np.array(pairs).T
    counts = confusion(truth, said[:, None], 3).total()
    assert accuracy(counts) == pytest.approx(accuracy_score(truth, said))
    assert macro_f1(counts) == pytest.approx(
        f1_score(truth, said, average="macro", zero_division=0.0)
    )


@given(labels)
def test_f1_of_a_class_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    truth, said = np.array(pairs).T
    theirs = f1_score(truth, said, labels=[0, 1, 2], average=None, zero_division=0.0)
    assert f1_by_class(confusion(truth, said[:, None], 3).total()) == pytest.approx(theirs)
    two = confusion(np.minimum(truth, 1), np.minimum(said, 1)[:, None], 2).total()
    theirs = f1_score(np.minimum(truth, 1), np.minimum(said, 1), pos_label=1, zero_division=0.0)
    assert positive_f1(two) == pytest.approx(theirs)


def test_several_predictions_of_a_text_share_its_mass() -> None:
    counts = confusion(np.array([1]), np.array([[0, 1, 1, 1]]), 2)
    assert counts.total().tolist() == [[0.0, 0.0], [0.25, 0.75]]


def test_auc_is_scikit_learns_with_ties() -> None:
    generator = np.random.default_rng(0)
    truth = generator.integers(0, 2, 80)
    score = generator.random(80).round(1)
    ours = area_under_roc(truth, np.stack([1 - score, score], axis=1))
    assert ours == pytest.approx(roc_auc_score(truth, score))
    assert np.isnan(area_under_roc(np.zeros(5, int), np.full((5, 2), 0.5)))
    assert np.isnan(
        area_under_roc(np.array([0, 1, 0]), np.array([[0.5, 0.5], [0.2, 0.8], [np.nan, np.nan]]))
    )
