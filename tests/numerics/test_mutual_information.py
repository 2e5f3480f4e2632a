"""Information counted from a table: against a walk through its pairs, known values, and the bias
that is known.
"""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics.divergences import entropy
from sightline.numerics.mutual_information import floor, plug_in, shuffled, table
from sightline.numerics.probes import stratified, table_scores
from tests.reference import information as literal

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


def columns(rows: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.array(rows).T
    return first, second


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_a_labelling_tells_all_of_itself(classes: int) -> None:
    labels = np.arange(classes * 4) % classes
    assert plug_in(table(labels, labels)) == pytest.approx(log(classes), abs=1e-9)


def test_small_tables_have_their_known_values() -> None:
    assert plug_in(np.array([[2, 2], [2, 2]])) == 0
    assert plug_in(np.array([[3, 1], [1, 3]])) == pytest.approx(0.130812036, abs=1e-9)
    assert np.isnan(plug_in(np.zeros((2, 2), int)))


@given(pairs)
def test_plug_in_is_the_sum_over_pairs(rows: list[tuple[int, int]]) -> None:
    first, second = columns(rows)
    assert plug_in(table(first, second)) == pytest.approx(
        literal.plug_in(*zip(*rows, strict=True)), abs=1e-12
    )


@given(pairs, st.permutations(range(5)))
def test_names_and_sides_do_not_matter_and_no_side_tells_more_than_it_has(
    rows: list[tuple[int, int]], names: list[int]
) -> None:
    first, second = columns(rows)
    found = plug_in(table(first, second))
    assert plug_in(table(np.array(names)[first], second)) == pytest.approx(found, abs=1e-12)
    assert plug_in(table(second, first)) == pytest.approx(found, abs=1e-12)
    assert (
        0
        <= found
        <= min(entropy(np.bincount(side) / len(side)) for side in (first, second)) + 1e-12
    )


@given(st.lists(st.integers(0, 3), min_size=10, max_size=60))
def test_a_cluster_for_each_point_knows_everything_and_helps_nobody(labels: list[int]) -> None:
    own, known = np.arange(len(labels)), np.array(labels)
    assert plug_in(table(own, known)) == pytest.approx(
        entropy(np.bincount(known) / len(known)), abs=1e-9
    )
    held_out = table_scores(own[:, None], known, stratified(known, np.random.default_rng(0)))
    assert held_out == pytest.approx(
        0, abs=1e-12
    )  # a cluster that was never seen says what is known without it


def test_labels_that_share_nothing_give_the_floor_and_their_shuffles_give_it_back() -> None:
    rng = np.random.default_rng(1)
    found, corrected, scores = [], [], []
    for _ in range(40):
        clusters, classes = rng.integers(0, 50, 1768), rng.integers(0, 5, 1768)
        found.append(plug_in(table(clusters, classes)))
        corrected.append(found[-1] - shuffled(clusters, classes, 5, rng).mean())
        scores.append(table_scores(clusters[:, None], classes, stratified(classes, rng)).mean())
    assert np.mean(found) == pytest.approx(0.059, abs=0.004)  # 40 draws: standard error 0.001
    assert floor(50, 5, 1768) == pytest.approx(0.0554, abs=1e-4)
    assert np.mean(corrected) == pytest.approx(0, abs=0.004)
    assert max(scores) <= 0.005


def test_shuffles_of_labels_that_share_everything_share_nothing() -> None:
    labels = np.arange(1768) % 5
    found = shuffled(labels, labels, 20, np.random.default_rng(0))
    assert len(found) == 20
    assert found.mean() == pytest.approx(floor(5, 5, 1768), abs=0.002)


@pytest.mark.parametrize(
    ("rho", "truth"), [(0.0, 0.0), (0.3, 0.04211), (0.6, 0.19566), (0.9, 0.67291)]
)
def test_what_normal_values_tell_of_five_bins_is_known_and_counted(
    rho: float, truth: float
) -> None:
    assert literal.binned(rho, 5) == pytest.approx(truth, abs=1e-4)
    rng = np.random.default_rng(3)
    q, noise = rng.standard_normal((2, 200_000))
    of_z, of_q = (
        np.digitize(x, np.quantile(x, np.arange(1, b) / b))
        for x, b in ((rho * q + (1 - rho**2) ** 0.5 * noise, 5), (q, 200))
    )
    assert plug_in(table(of_q, of_z)) == pytest.approx(
        truth, abs=0.005
    )  # floor 0.002, quantisation below 0.001
