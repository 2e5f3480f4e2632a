"""Held-out scores: against scikit-learn and a walk through the texts, and where the information is
known.
"""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.mutual_information import plug_in, table
from sightline.numerics.pca import Axes
from sightline.numerics.probes import (
    LOWEST,
    better_family,
    fit,
    logistic_scores,
    stratified,
    table_scores,
)
from tests.reference import information as literal


def clusters(states: np.ndarray, count: int, steps: int = 25) -> np.ndarray:
    """Cluster the states of each rank."""
    points = torch.as_tensor(states).transpose(0, 1).contiguous()
    mask = torch.ones(points.shape[:2], dtype=torch.bool)
    return kmeans(points, mask, Clustering(count, steps), np.random.default_rng(0)).labels.T.numpy()


def bins(values: np.ndarray, rho: float, rng: np.random.Generator) -> np.ndarray:
    """Put values, blurred to a correlation, into five equally likely bins."""
    blurred = rho * values + np.sqrt(1 - rho**2) * rng.standard_normal(len(values))
    return np.digitize(blurred, np.quantile(blurred, [0.2, 0.4, 0.6, 0.8]))


@given(st.lists(st.integers(0, 2), min_size=5, max_size=60), st.integers(2, 5), st.integers(0, 99))
def test_folds_hold_a_like_share_of_each_label(labels: list[int], count: int, seed: int) -> None:
    known = np.array(labels)
    folds = stratified(known, np.random.default_rng(seed), count)
    for label in range(3):
        sizes = np.bincount(folds[known == label], minlength=count)
        assert sizes.max() - sizes.min() <= 1
    assert np.ptp(np.bincount(folds, minlength=count)) <= 1


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), min_size=5, max_size=60),
    st.integers(0, 99),
)
def test_texts_of_one_cluster_share_a_fold(texts: list[tuple[int, int]], seed: int) -> None:
    labels, clusters = (np.array(column) for column in zip(*texts, strict=True))
    folds = stratified(labels, np.random.default_rng(seed), clusters=clusters)
    assert all(len(set(folds[clusters == one])) == 1 for one in clusters)
    of_clusters = [folds[clusters == one][0] for one in np.unique(clusters)]
    assert np.ptp(np.bincount(of_clusters, minlength=5)) <= 1
    alone = stratified(labels, np.random.default_rng(seed), clusters=np.arange(len(labels))[::-1])
    assert alone.tolist() == stratified(labels, np.random.default_rng(seed)).tolist()


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=4, max_size=25
    )
)
def test_a_table_is_learned_from_the_other_folds(texts: list[tuple[int, int, int]]) -> None:
    named, labels, folds = (list(column) for column in zip(*texts, strict=True))
    folds[:2] = [0, 1]
    found = table_scores(np.array(named)[:, None], np.array(labels), np.array(folds))[:, 0]
    expected = [literal.table_score(named, labels, folds, text) for text in range(len(texts))]
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("classes", "strength"), [(2, 0.01), (3, 1.0), (5, 0.1)])
def test_a_probe_is_scikit_learns(classes: int, strength: float) -> None:
    rng = np.random.default_rng(0)
    labels = np.append(np.arange(classes), rng.integers(0, classes, 200))
    x = rng.standard_normal((len(labels), 4)) + np.eye(classes, 4)[labels]
    ours = fit(x, labels, classes, strength)(x)
    # Of two labels scikit-learn has one direction w, where a softmax has two halves: ½‖w‖² is then
    # twice as much.
    theirs = LogisticRegression(
        C=strength * (2 if classes == 2 else 1), tol=1e-10, max_iter=5000
    ).fit(x, labels)
    assert ours == pytest.approx(theirs.predict_log_proba(x), abs=1e-4)
    assert fit(x, labels, classes, strength, fit(x, labels, classes, 1.0))(x) == pytest.approx(
        ours, abs=1e-5
    )


def test_one_text_that_is_sure_and_wrong_counts_no_more_than_its_bound() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 2
    states = (2.0 * labels - 1)[:, None, None] * 50
    states[0] *= -1000
    folds = stratified(labels, rng)
    scores = logistic_scores(states, labels, folds, rng)
    assert scores[0, 0] == pytest.approx(LOWEST + np.log(2), abs=0.02)
    assert (
        scores[folds == folds[0]][1:].min() > 0.6
    )  # its probe has not seen it, and is right about the others


def test_labels_that_share_nothing_score_nothing() -> None:
    rng = np.random.default_rng(0)
    states, labels = rng.standard_normal((800, 3, 10)), rng.integers(0, 3, 800)
    scores = logistic_scores(states, labels, stratified(labels, rng), rng)
    assert scores.mean(0).max() <= 0.005


def test_linear_information_is_found_up_to_a_known_loss() -> None:
    rng = np.random.default_rng(0)
    widths = 1 / np.arange(1, 33)
    states = rng.standard_normal((1700, 32)) * np.sqrt(widths)
    task = states[:, 5] / np.sqrt(widths[5])  # the sixth principal coordinate
    features = Axes.of(states, 24)(states[:, None])
    for rho in (0.0, 0.3, 0.6, 0.9):
        labels = bins(task, rho, rng)
        truth = literal.binned(rho, 5)
        found = logistic_scores(features, labels, stratified(labels, rng), rng).mean()
        assert truth - 0.15 <= found <= truth + 0.02


def test_information_of_types_is_found_by_clusters() -> None:
    rng = np.random.default_rng(0)
    widths = np.sqrt(1 / np.arange(1, 257))
    shares = 1 / np.arange(1, 301)
    types, kinds = (
        rng.standard_normal((300, 256)) * widths,
        rng.choice(300, 1700, p=shares / shares.sum()),
    )
    states = types[kinds] + 0.05 * rng.standard_normal((1700, 256)) * widths
    task = rng.standard_normal(300)[kinds]
    labels = bins((task - task.mean()) / task.std(), 0.9, rng)
    features, folds = Axes.of(states, 50)(states[:, None]), stratified(labels, rng)
    families = {
        "logistic": logistic_scores(features, labels, folds, rng),
        "clusters": table_scores(clusters(features, 200), labels, folds),
    }
    assert better_family(families) == "clusters"
    assert families["clusters"].mean() >= 0.42  # of 0.456 that the types themselves score
    assert families["logistic"].mean() <= 0.36


def test_word_numbers_and_clusters_that_share_nothing_are_counted_high_and_scored_at_nothing() -> (
    None
):
    rng = np.random.default_rng(0)
    words, named = rng.integers(0, 1000, (2, 5000))
    counted = [plug_in(table(words[:n], named[:n])) for n in (5000, 2500)]
    scored = [
        float(table_scores(named[:n, None], words[:n], stratified(words[:n], rng)).mean())
        for n in (5000, 2500)
    ]
    assert 3 < counted[0] < counted[1]
    assert max(scored) <= 0.02


def test_scores_do_not_depend_on_the_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    states, labels = rng.standard_normal((150, 2, 12)), rng.integers(0, 2, 150)
    states[:, 0, 0] += labels
    folds, found = stratified(labels, rng, 2), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        with threadpool_limits(threads):
            features = Axes.of(states, 6)(states)
            counted = table_scores(clusters(features, 20), labels, folds)
            found.append(
                np.stack(
                    [counted, logistic_scores(features, labels, folds, np.random.default_rng(1))]
                )
            )
    torch.set_num_threads(1)
    assert found[0] == pytest.approx(found[1], abs=1e-6)


@pytest.mark.slow
def test_copies_with_a_label_of_their_own_give_no_information() -> None:
    """Near copies in fours: a probe that has seen one knows the label of the others."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(75), 4)
    labels = rng.integers(0, 2, 75)[clusters]
    states = rng.standard_normal((75, 1, 40))[clusters] + 0.1 * rng.standard_normal((300, 1, 40))
    split, whole = (
        logistic_scores(
            states,
            labels,
            stratified(labels, np.random.default_rng(1), clusters=of),
            rng,
            clusters=of,
        ).mean()
        for of in (None, clusters)
    )
    assert split > 0.1
    assert whole < 0.02
