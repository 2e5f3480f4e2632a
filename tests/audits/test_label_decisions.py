"""False discoveries over labels: the step-up procedure, against p-values and on nulls."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from sightline.audits.label_decisions import (
    _no_better,
    _own,
    discoveries,
    judged_at,
    widened,
)
from sightline.core.results import CloseCall, Level, Verdict
from sightline.stats.intervals import LEVEL
from sightline.verdict.audit_test import OPERATORS
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from tests.report.audits import compared
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, erasure, outcomes


def permits_by(z: dict[str, float]) -> Callable[[str, float], bool]:
    """Permit a label where the two-sided interval of its score lies above its threshold."""
    return lambda label, level: z[label] > norm.ppf((1 + level) / 2)


def chosen(scores: np.ndarray) -> set[int]:
    z = {str(number): float(one) for number, one in enumerate(scores)}
    permits = permits_by(z)
    alone = frozenset(label for label in z if permits(label, LEVEL))
    return {int(label) for label in discoveries(len(z), alone, permits)}


def by_p_values(scores: np.ndarray) -> set[int]:
    """The textbook's: the largest k whose k-th smallest p is at most k α / m, one-sided at 2.5 %."""
    p = norm.sf(scores)
    order = np.argsort(p)
    below = np.flatnonzero(p[order] < (1 - LEVEL) / 2 * np.arange(1, len(p) + 1) / len(p))
    return set() if len(below) == 0 else set(order[: below[-1] + 1].tolist())


def test_intervals_choose_what_benjamini_and_hochberg_choose_by_p_values() -> None:
    generator = np.random.default_rng(0)
    sizes = set()
    for _ in range(300):
        scores = generator.normal(size=12) + generator.choice([0.0, 2.5], 12)
        assert chosen(scores) == by_p_values(scores)
        sizes.add(len(chosen(scores)))
    assert len(sizes) > 5


@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_on_nulls_false_discoveries_are_held(shared: float) -> None:
    """40 labels at their thresholds, apart or on the same texts: without the procedure most audits
    of all labels find one.
    """
    generator = np.random.default_rng(1)
    found = alone = 0
    for _ in range(400):
        common = generator.normal()
        scores = np.sqrt(shared) * common + np.sqrt(1 - shared) * generator.normal(size=40)
        found += bool(chosen(scores))
        alone += bool((scores > norm.ppf((1 + LEVEL) / 2)).any())
    assert found / 400 <= 0.05
    assert alone / 400 > 0.15


def test_among_true_discoveries_the_false_ones_are_a_small_share() -> None:
    generator = np.random.default_rng(2)
    shares, powers = [], []
    for _ in range(200):
        scores = generator.normal(size=40) + np.repeat([0.0, 4.0], 20)
        found = chosen(scores)
        shares.append(sum(one < 20 for one in found) / max(len(found), 1))
        powers.append(sum(one >= 20 for one in found) / 20)
    assert np.mean(shares) <= 0.05
    assert np.mean(powers) > 0.8


def test_the_level_of_all_labels_is_the_usual_one() -> None:
    assert widened(LEVEL, 1, 0) == widened(LEVEL, 1, 1) == widened(LEVEL, 7, 7) == LEVEL
    assert widened(LEVEL, 10, 1) == pytest.approx(0.995)
    assert widened(LEVEL, 10, 0) == pytest.approx(0.995)
    assert widened(LEVEL, 10, 5) == pytest.approx(0.975)


def test_an_audit_that_looks_is_widened_from_its_own_level() -> None:
    looked = SimpleNamespace(spec={"sequential": {"level": 0.975}})
    plain = SimpleNamespace(spec={})
    assert _own(looked, LEVEL) == 0.975
    assert _own(looked, widened(LEVEL, 4, 1)) == pytest.approx(1 - 0.025 / 4)
    assert _own(plain, widened(LEVEL, 4, 1)) == pytest.approx(1 - 0.05 / 4)


OPEN = Verdict(Level.CANNOT_TELL, 6, (), ())


@pytest.mark.parametrize(
    ("usual", "wide", "held"),
    [
        (Level.MUST_NOT, Level.CAVEATS, Level.MUST_NOT),
        (Level.MUST_NOT, Level.CANNOT_TELL, Level.MUST_NOT),
        (Level.BY_ABSENCE, Level.CANNOT_TELL, Level.BY_ABSENCE),
        (Level.CANNOT_TELL, Level.CAN, Level.CANNOT_TELL),
        (Level.CAVEATS, Level.CAN, Level.CAVEATS),
        (Level.CAN, Level.CAVEATS, Level.CAVEATS),
        (Level.CAN, Level.CANNOT_TELL, Level.CANNOT_TELL),
        (Level.CAVEATS, Level.MUST_NOT, Level.CANNOT_TELL),
    ],
)
@pytest.mark.parametrize("of", ["", "x"])
def test_a_wider_interval_takes_back_a_permission_and_does_nothing_else(
    usual: Level, wide: Level, held: Level, of: str
) -> None:
    def verdict(level: Level) -> Verdict:
        one, call = Verdict(level, 1, (), ()), CloseCall("SL-301", of, 0.01, level)
        other = Verdict(Level.CAN, 4, (), ())
        whole, own = (other, one) if of else (one, other)
        return replace(whole, by_class={"x": own}, close=(call,))

    found = _no_better(verdict(usual), verdict(wide), lambda _: OPEN)
    whole, own = found.level, found.by_class["x"].level
    assert (own, whole) == ((held, Level.CAN) if of else (Level.CAN, held))
    near = [] if held not in (usual, wide) else [held]
    assert [call.otherwise for call in found.close] == near


def test_what_a_wider_interval_no_longer_shows_forbids_no_map() -> None:
    """Removal passes at the usual level alone, and agreement under uniform attention lies below
    zero.
    """
    removed = erasure()
    spread = 0.23 + np.where(np.arange(N) % 4 < 2, 0.17, -0.17)
    values = {
        **removed.values,
        **{f"{how}.attention": removed.values[f"{how}.most"] * spread for how in OPERATORS},
    }
    taken = outcomes(
        agreement({"free": -0.1}), PREDICTED, 1 - PREDICTED, erasure=replace(removed, values=values)
    )
    evidence = Evidence(taken, ("neg", "pos"), THRESHOLDS, 0)
    usual, wide = judge(evidence).verdict, judge(replace(evidence, confidence=0.999)).verdict
    assert (usual.row, wide.row) == (5, 3)
    card = {"labels": ["neg", "pos"], "offers": []}
    audit = replace(
        compared(), measurements=taken, verdict=usual, cards={"model": card}, spec={"seed": 0}
    )
    held = judged_at(audit, 0.999, THRESHOLDS)
    assert (held.verdict.level, held.verdict.row) == (Level.CANNOT_TELL, 6)
    assert "SL-301" in held.verdict.decided_by
    assert held.maps == audit.maps
