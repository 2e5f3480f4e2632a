"""Counts kept cell by cell: the same sums as a table for each text, without the tables."""

import numpy as np
import pytest

from sightline.numerics.classification_metrics import confusion, macro_f1
from sightline.numerics.count_tables import Counts, stack_counts
from sightline.numerics.simplex import permuted_reach, reach
from sightline.stats import bootstrap, resamples
from sightline.verdict.accuracy_drop import DROPS, METRICS, estimate_drop
from tests.memory import peak

TEXTS, WORDS = 60, 12


def dense(counts: Counts) -> np.ndarray:
    tables = np.zeros((counts.texts, counts.cells))
    np.add.at(tables, (counts.row, counts.cell), counts.share)
    return tables.reshape(counts.texts, *counts.shape)


def decisions(classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(classes)
    return tuple(generator.integers(0, classes, shape) for shape in (TEXTS, TEXTS, (TEXTS, 10)))


def test_sums_of_groups_are_those_of_a_table_for_each_text() -> None:
    labels, one, several = decisions(5)
    both = stack_counts([confusion(labels, one[:, None], 5), confusion(labels, several, 5)])
    tables, members, cells = dense(both), np.arange(TEXTS) % 7, np.array([0, 3, 20, 31, 49])
    assert tables.shape == (TEXTS, 2, 5, 5)
    assert both.total().tolist() == tables.sum(axis=0).tolist()
    for groups in (range(7), range(2, 5)):
        wanted = [tables[members == group].reshape(-1, 50)[:, cells].sum(0) for group in groups]
        assert both.sums(members, groups, cells) == pytest.approx(np.array(wanted))


@pytest.mark.parametrize("classes", [2, 30])
def test_a_statistic_has_the_bits_of_one_over_whole_tables(classes: int) -> None:
    labels, _, several = decisions(classes)
    counts = confusion(labels, several, classes)
    found = bootstrap._resampled(counts, np.arange(TEXTS), macro_f1, 0, bootstrap.LEVEL)
    wanted = macro_f1(
        resamples.sums(dense(counts).reshape(TEXTS, -1), 0).reshape(-1, classes, classes)
    )
    assert found.tolist() == wanted.tolist()


def test_a_drop_takes_no_table_a_text_or_a_resample() -> None:
    labels, one, several = decisions(200)
    clusters = np.arange(TEXTS)
    for name, other in (("need.uniform.F1_drop", one), ("need.permuted.F1_drop", several)):
        metric = METRICS[DROPS[name].metric]
        used = peak(lambda m=metric, o=other: estimate_drop(m, labels, one, o, 200, 0, clusters))  # type: ignore[misc]
        assert used < 2**28  # a table for each of 2000 resamples takes 1.3 GB


def test_resamples_too_large_to_keep_are_drawn_again_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list(resamples.weights(50, 1))
    monkeypatch.setattr(resamples, "_MOST_KEPT", 0)
    before = resamples._kept.cache_info().currsize
    assert [one.tolist() for one in kept] == [one.tolist() for one in resamples.weights(50, 1)]
    resamples.sums(np.ones((51, 1)), 1)
    assert resamples._kept.cache_info().currsize == before


@pytest.mark.parametrize("bound", ["reach", "permuted"])
def test_bounds_over_attention_grow_with_the_classes_and_not_with_their_square(bound: str) -> None:
    def used(classes: int) -> int:
        generator = np.random.default_rng(0)
        z, mask = generator.normal(size=(8, WORDS, classes)), np.ones((8, WORDS), dtype=bool)
        attention = np.full((1, 8, WORDS), 1 / WORDS)
        own = np.einsum("rbt,btl->rbl", attention, z)
        return peak(
            lambda: (
                reach(z, mask, own[0])
                if bound == "reach"
                else permuted_reach(z, attention, mask, own)
            )
        )

    used(20)  # what is made once
    assert used(160) < 12 * used(20)  # eight times the classes; their square is 64 times
