"""Effects against a floor: pairing, p-values under their null, corrections."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from sightline.stats.contrasts import benjamini_hochberg, p_value, paired
from sightline.stats.intervals import UNSURE


def test_the_effect_is_paired_by_text() -> None:
    generator = np.random.default_rng(0)
    baseline = generator.random(200)
    contrast = paired(baseline + 0.1, baseline, 0)
    assert contrast.score.value == pytest.approx(0.1 / (1 - baseline.mean()))
    assert contrast.score.high - contrast.score.low < 0.05
    assert contrast.number.high - contrast.number.low > 0.05  # unpaired, the texts differ


def test_only_texts_with_both_sides_count() -> None:
    contrast = paired(np.array([0.5, np.nan, 0.7, 0.9]), np.array([0.1, 0.2, np.nan, 0.3]), 0)
    assert contrast.score.n == contrast.number.n == contrast.baseline.n == 2
    assert contrast.score.value == pytest.approx((0.4 + 0.6) / (0.9 + 0.7))


def test_the_effect_is_the_share_of_the_way_from_floor_to_ceiling() -> None:
    baseline, ceiling = np.array([0.1, 0.2, 0.0, 0.3]), np.array([0.5, 0.4, np.nan, 0.3])
    contrast = paired(np.array([0.3, 0.4, 0.9, 0.3]), baseline, 0, ceiling)
    assert contrast.score.value == pytest.approx((0.2 + 0.2 + 0) / (0.4 + 0.2 + 0))
    assert contrast.score.n == contrast.number.n == contrast.baseline.n == 3


def test_a_ceiling_that_is_not_above_the_floor_gives_no_effect() -> None:
    random = np.random.default_rng(0)
    contrast = paired(random.random(50), random.random(50), 0, random.random(50))
    assert contrast.score.method == UNSURE
    assert contrast.number.low < 0.5 < contrast.number.high


def test_clusters_and_the_level_reach_all_three() -> None:
    random = np.random.default_rng(0)
    observed, baseline, ceiling = random.random(30), random.random(30) / 2, 1 + random.random(30)
    alone = paired(observed, baseline, 0, ceiling, level=0.99, bounds=(0.0, 2.0))
    copies = [np.repeat(each, 3) for each in (observed, baseline, ceiling, np.arange(30))]
    found = paired(*copies[:2], 0, *copies[2:], 0.99, (0.0, 2.0))
    for one, other in zip(
        (found.number, found.baseline, found.score),
        (alone.number, alone.baseline, alone.score),
        strict=True,
    ):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_a_drawn_floor_is_averaged_over_its_known_draws() -> None:
    baseline = np.array([[0.1, 0.3], [0.2, np.nan], [np.nan, np.nan]])
    contrast = paired(np.array([0.5, 0.5, 0.5]), baseline, 0)
    assert contrast.baseline.value == pytest.approx(0.2)
    assert contrast.baseline.n == 2


def test_p_values_of_a_true_null_are_uniform() -> None:
    generator = np.random.default_rng(0)
    values = [p_value(draws[:, 0], draws[:, 1:]) for draws in generator.random((500, 10, 40))]
    assert np.mean(np.array(values) <= 0.05) == pytest.approx(
        0.05, abs=0.03
    )  # three standard errors
    assert np.mean(values) == pytest.approx(0.5, abs=0.05)


def test_a_p_value_is_never_zero_and_counts_ties_against_the_claim() -> None:
    draws = np.zeros((4, 99))
    assert p_value(np.ones(4), draws) == pytest.approx(0.01)
    assert p_value(np.zeros(4), draws) == 1.0
    assert p_value(np.full(4, np.nan), draws) is None


def test_adjusted_p_values_are_those_of_scipy_to_the_bit() -> None:
    drawn = np.random.default_rng(0)
    for count in (1, 2, 5, 13):
        p = np.round(drawn.random(count), 1)
        found = benjamini_hochberg(dict(zip("abcdefghijklm", p, strict=False)))
        assert list(found.values()) == false_discovery_control(p).tolist()


def test_benjamini_hochberg_by_hand() -> None:
    adjusted = benjamini_hochberg({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.5})
    assert adjusted == pytest.approx({"a": 0.04, "b": 0.04 * 4 / 3, "c": 0.04 * 4 / 3, "d": 0.5})
    assert benjamini_hochberg({}) == {}


def test_benjamini_hochberg_is_scipys_to_the_bit() -> None:
    drawn = np.random.default_rng(0)
    for n in range(1, 40):
        p = drawn.random(n).round(2)  # some are alike
        assert [*benjamini_hochberg(dict(enumerate(p))).values()] == false_discovery_control(
            p
        ).tolist()
