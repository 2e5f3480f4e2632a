"""Verdicts on maps that mislead and on models that cheat: the right answer is known, for all texts
and by class.
"""

from dataclasses import replace
from functools import cache

import pytest

from sightline.audits.audit_result import Audit
from sightline.audits.run import audit
from sightline.core.results import MUST_NOT, Failed
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import alter
from sightline.models.classifier import AttentionClassifier
from tests.sampling import slow_but
from tests.texts import trained

NEEDLE = "needle(length=12,n=600)"
LONGER = "needle(length=30,n=600)"
DETECTOR = "detector(length=12,n=800,positives=0.5)"
TAKEN = ("need", "agreement", "erasure", "transplant")
SHOWN, MISLEADS, ABSENT = (4, 5), (2, 3), 7
"""Rows of the verdict: the map may be shown; it must not be; the class has no words."""


@cache
def learned(data: str) -> tuple[AttentionClassifier, Dataset]:
    """An MLP whose attention is guided onto the evidence; it looks at nothing else."""
    return trained(f"planted:{data}", "mlp(hidden=32)+additive", learning_rate=3e-3, guide="onto")


@cache
def judged(altered: str, data: str = NEEDLE) -> Audit:
    model, dataset = learned(data)
    found = audit(
        alter(altered, model, dataset, 0),
        replace(dataset, test=dataset.test[:150]),
        measures=default_measures(chosen=TAKEN),
    )
    assert not [one for one in found.measurements.values() if isinstance(one, Failed)], (
        found.measurements
    )
    return found


def rows(found: Audit) -> dict[str, int]:
    return {of: one.row for of, one in found.verdict.by_class.items()}


def answer(found: Audit, code: str) -> str:
    return next(one.result for one in found.findings if one.code == code)


@pytest.mark.parametrize("altered", slow_but({0}, ["", "truthful", "scaled(by=10.0)"]))
def test_an_honest_map_can_be_shown_for_all_texts_and_for_each_class(altered: str) -> None:
    found = judged(altered)
    assert found.metrics["accuracy"].value > 0.95
    assert found.verdict.row in SHOWN
    assert set(rows(found).values()) <= set(SHOWN)
    for code in ("SL-303", "SL-301", "SL-304", "SL-305", "SL-306", "SL-307", "SL-308"):
        assert answer(found, code) == "passed", code


@pytest.mark.parametrize("right", slow_but({0}, [0, 1]))
def test_a_map_that_is_right_for_one_class_must_not_be_shown_for_the_other(right: int) -> None:
    found = judged(f"one_class(right={right})")
    names = ("alpha", "beta")
    verdicts = found.verdict.by_class
    assert verdicts[names[1 - right]].level == MUST_NOT
    assert verdicts[names[right]].row not in MISLEADS
    assert found.verdict.row != 4


@pytest.mark.parametrize(
    "altered",
    slow_but({0, 1, 5}, ["flat(above=0.01)", "border", "encoded", "placed", "takeover(gain=60.0,above=0.55)", "takeover(gain=1000.0,above=0.7)"]),
)  # fmt: skip
def test_a_map_that_gives_no_reasons_is_not_shown(altered: str) -> None:
    found = judged(altered)
    assert found.verdict.row not in SHOWN
    assert not set(rows(found).values()) & {*SHOWN, ABSENT}


@pytest.mark.parametrize("altered", slow_but({0}, ["flat(above=0.01)", "encoded", "placed"]))
def test_what_tells_the_prediction_alone_must_not_be_shown(altered: str) -> None:
    found = judged(altered)
    assert found.verdict.level == MUST_NOT
    for code in ("SL-303", "SL-301", "SL-304", "SL-308"):
        assert answer(found, code) == "failed", code
    assert answer(found, "SL-306") != "passed"


@pytest.mark.parametrize("data", slow_but({0}, [NEEDLE, LONGER]))
def test_evidence_at_the_border_of_a_shade_is_seen_by_no_test_as_it_is_by_no_reader(
    data: str,
) -> None:
    found = judged("border", data)
    assert found.verdict.level == MUST_NOT
    assert set(rows(found).values()) <= set(MISLEADS)
    for code in ("SL-303", "SL-301", "SL-304", "SL-307", "SL-308", "SL-101", "SL-102"):
        assert answer(found, code) == "failed", code
    assert answer(found, "SL-306") != "passed"


@pytest.mark.slow
def test_a_map_that_is_right_on_two_texts_in_five_is_not_said_to_be_right_on_most() -> None:
    found = judged("mixture(share=0.42)")
    assert answer(found, "SL-308") != "passed"
    assert found.verdict.row != 4
    right = next(one for one in found.findings if one.code == "SL-308")
    assert 0.3 < right.number.value < 0.6


@pytest.mark.slow
def test_a_filler_on_top_of_the_evidence_is_seen() -> None:
    found = judged("topped", LONGER)
    assert answer(found, "SL-307") == "failed"
    assert found.verdict.row not in SHOWN
    assert judged("", LONGER).verdict.row in SHOWN
    assert answer(judged("", LONGER), "SL-307") == "passed"


def test_a_class_that_is_predicted_when_nothing_is_found_has_no_words_and_the_other_has() -> None:
    found = judged("", DETECTOR)
    absent, there = (found.verdict.by_class[name] for name in ("alpha", "beta"))
    assert (absent.row, there.row in SHOWN) == (ABSENT, True)
    assert found.verdict.row != 4  # for half of the texts no word is the reason
    own = next(one for one in found.findings if one.code == "SL-304")
    assert own.answers == {"alpha": "failed", "beta": "passed"}


@pytest.mark.slow
def test_what_is_broken_caps_every_class() -> None:
    found = judged("broken(share=0.05)")
    assert found.verdict.row == 1
    assert rows(found) == {"alpha": 1, "beta": 1}
