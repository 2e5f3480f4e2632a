"""What is known only to lie between two sides: an interval that holds the mean wherever it lies."""

import numpy as np
import pytest

from sightline.core.results import Bracket
from sightline.stats import bootstrap, resamples
from sightline.stats.mean_bounds import bracketed_mean

LOW = np.random.default_rng(0).random(50)


def test_equal_sides_are_the_plain_mean() -> None:
    assert bracketed_mean(Bracket(LOW, LOW), 0) == bootstrap.mean(LOW, 0)


def test_the_interval_reaches_from_side_to_side_and_the_method_names_them() -> None:
    found = bracketed_mean(Bracket(LOW, LOW + 0.2), 0)
    low, high = bootstrap.mean(LOW, 0), bootstrap.mean(LOW + 0.2, 0)
    assert (found.value, found.low, found.high, found.n) == (
        pytest.approx(LOW.mean() + 0.1),
        low.low,
        high.high,
        50,
    )
    assert found.method.startswith(
        f"bracket from {LOW.mean():.3g} to {LOW.mean() + 0.2:.3g}, its middle shown; studen"
    )


def test_a_text_counts_where_both_sides_are_known() -> None:
    torn = np.where(np.arange(50) < 5, np.nan, LOW)
    assert bracketed_mean(Bracket(torn, LOW), 0) == bootstrap.mean(LOW[5:], 0)
    nothing = bracketed_mean(Bracket(np.full(3, np.nan), np.ones(3)), 0)
    assert (nothing.n, nothing.method) == (0, "undefined for every text")


def test_the_interval_covers_a_truth_anywhere_between(monkeypatch) -> None:
    monkeypatch.setattr(resamples, "RESAMPLES", 400)
    covered = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        true = random.normal(0.5, 0.2, 60)
        below, above = random.random(60) * 0.1, random.random(60) * 0.1
        found = bracketed_mean(Bracket(true - below, true + above), seed)
        covered += found.low <= 0.5 <= found.high
    assert covered >= 186  # at least 95 %, less three standard errors of 200 draws


def test_copies_in_clusters_are_one_text_on_both_sides() -> None:
    sides, copies = Bracket(LOW, LOW + 0.2), Bracket(np.repeat(LOW, 3), np.repeat(LOW + 0.2, 3))
    alone, found = (
        bracketed_mean(sides, 0),
        bracketed_mean(copies, 0, np.repeat(np.arange(50), 3)),
    )
    assert (found.value, found.low, found.high) == pytest.approx(
        (alone.value, alone.low, alone.high)
    )
