"""Ratios of sums over pairs: pair by pair, and no pair heavier than the others allow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.results import Estimate, Measurement
from sightline.verdict.transfer_estimates import HEAVIEST, at_most_one, compared, pair_sums
from tests.reference import moving
from tests.verdict.cases import MOVED_SHARES, OWN_SHARES, N, transplant

KINDS = ("carried", "flipped", "own", "present")


def made(seed: int, rows: int = 12, spread: float = 1.0) -> Measurement:
    """Pairs of which some have no partner, some no number, and some donors were not drawn."""
    generator = np.random.default_rng(seed)
    whole = np.exp(generator.normal(0, spread, (rows, 2)))
    partner = (np.arange(rows)[:, None] + np.array([[1, 2]])) % rows
    partner[generator.random((rows, 2)) < 0.1] = -1
    values = {"weight": generator.choice([0.0, 0.5, 2.0], rows), "partner": partner, "whole": whole}
    for name, most in (
        ("carried", whole),
        ("flipped", np.full(whole.shape, 5.0)),
        ("own", 0.6 * whole),
    ):
        chance = "random" if name == "carried" else f"random_{name}"
        values |= {f"{name}.attention": most * generator.random(whole.shape)}
        values |= {f"{chance}.attention": most * 0.3 * generator.random(whole.shape)}
    values |= {
        "present.attention": generator.choice([0.0, 0.5, 1.0], whole.shape),
        "present.all": generator.choice([0.5, 1.0], whole.shape),
    }
    values["carried.attention"][0, 0] = np.nan
    return Measurement("transplant", values, settings={"shares": MOVED_SHARES, "own": OWN_SHARES})


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_number_floor_and_effect_are_sums_pair_by_pair(seed: int, kind: str) -> None:
    taken = made(seed)
    values = taken.values
    donors = np.arange(12) % 3 != 0
    chance = {"carried": "random", "flipped": "random_flipped", "own": "random_own"}.get(kind)

    def numbers(x: int, k: int) -> tuple[float, float, float, float]:
        """What the words do, what random ones do, the most, and what of it is left above chance."""
        here, whole = values[f"{kind}.attention"][x, k], values["whole"][x, k]
        if kind == "present":
            return here, 0.5, 1.0, values["present.all"][x, k] - 0.5  # a share of pairs already
        drawn = values[f"{chance}.attention"][x, k]
        if kind == "own":  # the mean of what the words do when they come and when they go
            return here / 2, drawn / 2, whole * 3 / 5, whole * 3 / 5 - drawn / 2
        most = {"carried": whole, "flipped": 5.0}[kind]
        return here, drawn, most, most - drawn

    every = [
        (x, k)
        for (x, k), y in np.ndenumerate(values["partner"])
        if y >= 0 and values["weight"][x] > 0
    ]
    every = [one for one in every if not np.isnan(sum(numbers(*one)))]
    pairs = [(x, k) for x, k in every if donors[x]]
    heaviest = (
        moving.quantile([values["whole"][one] for one in every], HEAVIEST) if every else np.inf
    )
    weights = [values["weight"][x] * min(1.0, heaviest / values["whole"][x, k]) for x, k in pairs]
    literal = {
        "number": [
            (w * here, w * most)
            for w, (here, _, most, _) in zip(weights, (numbers(*p) for p in pairs), strict=True)
        ],
        "baseline": [
            (w * low, w * most)
            for w, (_, low, most, _) in zip(weights, (numbers(*p) for p in pairs), strict=True)
        ],
        "score": [
            # half when they come, half when they go
            (w * (here - low) * (2 if kind == "own" else 1), w * left)
            for w, (here, low, _, left) in zip(weights, (numbers(*p) for p in pairs), strict=True)
        ],
    }
    found = pair_sums(taken, f"{kind}.attention", donors)
    for sums, each in zip(found, literal.values(), strict=True):
        assert sums.top.tolist() == pytest.approx([top for top, _ in each])
        assert sums.bottom.tolist() == pytest.approx([bottom for _, bottom in each])


def test_no_pair_weighs_more_than_most_pairs_do() -> None:
    """One pair moves a million times as much as the others, and all of it by chance."""
    taken = transplant(0.8, 0.2)
    whole = taken.values["whole"].copy()
    whole[0, 0] = 1e6
    heavy = {"whole": whole, "carried.attention": taken.values["carried.attention"].copy()}
    heavy["carried.attention"][0, 0] = 0.2 * 1e6
    heavy["random.attention"] = 0.2 * whole
    changed = Measurement("transplant", {**taken.values, **heavy}, settings=taken.settings)
    plain, found = (
        compared(one, "carried.attention", np.arange(N), np.ones(N, bool))
        for one in (taken, changed)
    )
    assert found.score.value == pytest.approx(plain.score.value, abs=0.01)


def test_an_effect_of_words_that_come_and_go_is_cut_at_one() -> None:
    cut = at_most_one(Estimate(1.7, 0.9, 2.0, 80, "made up"))
    assert (cut.value, cut.low, cut.high, cut.n) == (1.0, 0.9, 1.0, 80)
    below = Estimate(0.4, 0.3, 0.5, 80, "made up")
    assert at_most_one(below) == below
    unknown = at_most_one(Estimate(1.7, float("nan"), float("nan"), 80, "no interval"))
    assert unknown.value == 1.0
    assert np.isnan([unknown.low, unknown.high]).all()
    nothing = Estimate(float("nan"), float("nan"), float("nan"), 0, "undefined")
    assert np.isnan(at_most_one(nothing).value)
    unknown = at_most_one(Estimate(0.0, float("nan"), float("nan"), 80, "alike in all pairs"))
    assert (unknown.value, np.isnan(unknown.low), np.isnan(unknown.high)) == (
        0.0,
        True,
        True,
    )  # and not surely 1
    found = compared(transplant(own=1.9), "own.attention", np.arange(N), np.ones(N, bool))
    assert (found.score.value, found.score.high) == (1.0, 1.0)
    assert found.number.value == pytest.approx(1.9 / 2, abs=0.01)


def test_words_that_tell_more_than_all_words_do_are_cut_at_one_and_what_is_carried_is_not() -> None:
    taken = transplant()
    values = dict(taken.values)
    values["present.attention"] = np.where(np.arange(N) % 40 == 0, 0.5, 1.0)[:, None] * np.ones(
        (N, 2)
    )
    values["present.all"] = np.where(np.arange(N) % 10 == 0, 0.5, 1.0)[:, None] * np.ones((N, 2))
    values["carried.attention"] = (
        values["whole"] * (1.05 + 0.02 * (-1.0) ** (np.arange(N) // 2))[:, None]
    )
    changed = Measurement("transplant", values, settings=taken.settings)
    shown, moved = (
        compared(changed, f"{kind}.attention", np.arange(N), np.ones(N, bool))
        for kind in ("present", "carried")
    )
    assert (shown.score.value, shown.score.high) == (1.0, 1.0)
    assert shown.score.low <= 1
    assert shown.number.value == pytest.approx(1 - 0.5 / 40, abs=1e-3)
    assert shown.baseline.value == 0.5
    assert moved.score.value == pytest.approx((1.05 - 0.2) / 0.8, abs=0.005)
    assert moved.score.low > 1
