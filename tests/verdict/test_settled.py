"""A verdict is settled where no open test can change it, and only there."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.core.results import Level
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.settled import OpenTests, find_settled
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, outcomes

GROWING = ("neg", "pos")


def state(more: dict, pending: tuple = (), growing: tuple = GROWING):
    right = np.where(np.arange(N) < 0.9 * N, PREDICTED, 1 - PREDICTED)
    evidence = Evidence(
        outcomes(agreement({}), PREDICTED, right) | more, ("neg", "pos"), THRESHOLDS, 0
    )
    judged = judge(evidence)
    return judged, find_settled(evidence, judged, pending, growing)


def test_what_waits_for_its_measure_is_open() -> None:
    _, found = state({}, pending=("transplant", "erasure"))
    assert not found.whole
    assert {"SL-303", "SL-301", "SL-304"} <= {*found.open}


@pytest.mark.parametrize(
    ("code", "measure", "waits"),
    [
        ("SL-001", "retrained", True),
        ("SL-001", "need", True),
        ("SL-104", "types", True),
        ("SL-101", "retrained", False),
    ],
)
def test_a_test_waits_for_each_measure_that_it_rests_on(code, measure, waits) -> None:
    evidence = Evidence({}, ("neg", "pos"), THRESHOLDS, 0)
    assert OpenTests(evidence, {}, (measure,), GROWING).waits(AUDIT_TESTS[code]) == waits


@pytest.mark.parametrize(("groups", "settled"), [(N, True), (12, False)])
def test_where_texts_are_of_few_groups_so_far_nothing_is_settled(groups, settled) -> None:
    right = np.where(np.arange(N) < 0.9 * N, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreement({}), PREDICTED, right)
    outputs = taken["outputs"]
    values = {**outputs.values, "cluster": np.arange(N) % groups}
    grouped = {**taken, "outputs": replace(outputs, values=values)}
    evidence = Evidence(grouped, ("neg", "pos"), THRESHOLDS, 0)
    judged = judge(evidence)
    assert judged.verdict.row == (5 if settled else 1)
    sure = tuple(replace(one, result="passed") for one in judged.findings)
    judged = replace(judged, findings=sure)
    assert find_settled(evidence, judged, (), GROWING).whole == settled
    assert find_settled(evidence, judged, (), ()).whole, "no text is to come"


def test_where_no_text_is_to_come_nothing_is_open() -> None:
    judged, found = state({}, growing=())
    assert found.all
    assert found.open == ()
    assert judged.verdict.level in tuple(Level)


@pytest.mark.parametrize("result", ["passed", "failed"])
def test_a_failed_transfer_settles_the_whole_and_a_passed_one_does_not(result) -> None:
    right = np.where(np.arange(N) < 0.9 * N, PREDICTED, 1 - PREDICTED)
    evidence = Evidence(outcomes(agreement({}), PREDICTED, right), ("neg", "pos"), THRESHOLDS, 0)
    judged = judge(evidence)
    findings = tuple(
        replace(one, result=result, answers=dict.fromkeys(GROWING, result))
        if one.code == "SL-303"
        else one
        for one in judged.findings
    )
    found = find_settled(evidence, replace(judged, findings=findings), ("erasure", "need"), GROWING)
    assert found.whole == (result == "failed")
    assert found.all == (result == "failed")
    assert ("SL-301" in found.open) == (result == "passed"), "no test is open of what is settled"
