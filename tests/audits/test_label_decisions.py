"""False discoveries over labels: the step-up procedure, against p-values and on nulls."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from sightline.audits import label_decisions
from sightline.audits.label_decisions import (
    _bettered,
    _no_better,
    _own,
    discoveries,
    judged_at,
    widened,
)
from sightline.core.results import Level, Verdict
from sightline.stats.intervals import LEVEL
from sightline.verdict.thresholds import default_thresholds
from tests.report.audits import compared


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


def test_no_verdict_gets_better_by_a_wider_interval() -> None:
    def verdict(level: Level, own: Level) -> Verdict:
        return Verdict(level, 1, (), (), {"x": Verdict(own, 1, (), ())})

    usual = verdict(Level.MUST_NOT, Level.CAN)
    wide = verdict(Level.CAVEATS, Level.CANNOT_TELL)
    held = _no_better(usual, wide)
    assert (held.level, held.by_class["x"].level) == (Level.MUST_NOT, Level.CANNOT_TELL)
    other = _no_better(verdict(Level.CAN, Level.MUST_NOT), verdict(Level.CANNOT_TELL, Level.CAN))
    assert (other.level, other.by_class["x"].level) == (Level.CANNOT_TELL, Level.MUST_NOT)
    assert _bettered(usual, wide)
    assert not _bettered(wide, usual)


@pytest.mark.parametrize("apart", [True, False])
def test_a_label_keeps_its_comparison_of_maps_if_that_was_made_on_some_texts(
    apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The measurements of the audit do not hold it, so another level cannot be asked of it."""
    case = compared()
    model = {**case.cards["model"], "labels": ["a", "b"], "offers": []}
    sequential = {"compared": {"texts": 12, "of": 24}} if apart else {}
    label = replace(
        case, cards={**case.cards, "model": model}, spec={"seed": 0, "sequential": sequential}
    )
    judged = SimpleNamespace(verdict=case.verdict, findings=())
    for name, found in (("judge", judged), ("estimates", {}), ("maps_of", ())):
        monkeypatch.setattr(label_decisions, name, lambda *_, found=found: found)
    held = judged_at(label, 0.99, default_thresholds())
    assert held.maps == (case.maps if apart else ())
