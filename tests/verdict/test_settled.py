"""A verdict is settled where no open test can change it, and only there."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.core.results import Level, Measurement, NotRun
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.settled import OpenTests, find_settled
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, erasure, outcomes, transplant

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


@pytest.mark.parametrize(
    ("growing", "by_class"),
    [
        (GROWING, {"neg": False, "pos": False}),
        (("neg",), {"neg": False, "pos": True}),
        ((), {"neg": True, "pos": True}),
    ],
)
def test_an_inconclusive_test_is_open_while_texts_are_to_come(growing, by_class) -> None:
    judged, found = state({"erasure": erasure(0.19, 0.19)}, growing=growing)
    (removal,) = (one for one in judged.findings if one.code == "SL-301")
    assert removal.answers == dict.fromkeys(GROWING, "inconclusive")
    assert found.whole == (not growing)
    assert found.by_class == by_class
    assert ("SL-301" in found.open) == bool(growing)


@pytest.mark.parametrize(
    ("idle", "opened", "settled"), [(0, False, False), (20, True, False), (60, False, True)]
)
def test_in_how_many_texts_the_top_words_matter_is_open_like_a_test(idle, opened, settled) -> None:
    """Need is open in all three cases; where too many texts are idle, it could not help."""
    values = erasure().values
    top = np.where(np.arange(N) < idle, values["top.random"], values["top.attention"])
    measured = Measurement("erasure", {**values, "top.attention": top})
    judged, found = state({"erasure": measured})
    assert {one.code: one.result for one in judged.findings}["SL-307"] == "passed"
    assert ("SL-307" in found.open) == opened
    assert (found.whole, *found.by_class.values()) == (settled,) * 3
    assert state({"erasure": measured}, growing=())[1].all


def test_no_text_settles_ways_of_asking_that_disagree() -> None:
    judged, found = state({"erasure": erasure(0.8, 0.1)})
    (removal,) = (one for one in judged.findings if one.code == "SL-301")
    assert removal.result == "inconclusive"
    assert found.all
    assert found.open == ()


@pytest.mark.parametrize(("flipped", "is_open"), [(0.28, True), (0.2, False), (0.8, False)])
def test_a_class_that_passes_waits_for_flips_of_all_texts(flipped, is_open) -> None:
    moved = transplant(0.8, 0.2)
    around = flipped + np.where(np.arange(N) % 4 < 2, 0.2, -0.2)  # .1 above chance is the threshold
    flips = moved.values["random_flipped.attention"] * around[:, None] / 0.2
    taken = replace(moved, values={**moved.values, "flipped.attention": flips})
    given = outcomes(agreement({}), PREDICTED, PREDICTED, transplant=taken)
    evidence = Evidence(given, ("neg", "pos"), THRESHOLDS, 0)
    found = {finding.code: finding for finding in judge(evidence).findings}
    tests = OpenTests(evidence, found, (), GROWING)
    assert [tests.is_open("SL-303", of) for of in ("", *GROWING)] == [is_open] * 3


@pytest.mark.parametrize(("references", "is_open"), [(0.4, False), (0.09, True), (0.0, False)])
def test_a_test_that_waits_on_an_open_one_is_open(references, is_open) -> None:
    right = np.where(np.arange(N) < 0.9 * N, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreement({"references": references}), PREDICTED, right)
    evidence = Evidence(taken, ("neg", "pos"), THRESHOLDS, 0)
    found = {finding.code: finding for finding in judge(evidence).findings}
    tests = OpenTests(evidence, found, (), GROWING)
    assert (found["SL-103"].result == "inconclusive") == is_open
    assert [tests.is_open(code) for code in ("SL-103", "SL-104")] == [is_open] * 2


def test_a_test_that_passed_is_not_named_where_another_is_open() -> None:
    judged, found = state(
        {"agreement": agreement({"references": 0.09}), "erasure": erasure(0.19, 0.19)},
        growing=GROWING,
    )
    results = {one.code: one.result for one in judged.findings}
    assert (results["SL-103"], results["SL-104"]) == ("inconclusive", "passed")
    for of in ("", *GROWING):
        assert "SL-103" in found.open_of[of]
        assert "SL-104" not in found.open_of[of]


def test_a_test_without_a_measure_is_not_named_as_open() -> None:
    """Of few groups, every test of a class is open that more texts could decide."""
    taken = outcomes(agreement({}), PREDICTED, PREDICTED)
    outputs = taken["outputs"]
    grouped = replace(outputs, values={**outputs.values, "cluster": np.arange(N) % 12})
    missing = NotRun(AUDIT_TESTS["SL-205"].measure, "needs something")
    codes = {code for code, one in AUDIT_TESTS.items() if one.measure == missing.code}
    assert codes
    evidence = Evidence(
        {**taken, "outputs": grouped, missing.code: missing}, ("neg", "pos"), THRESHOLDS, 0
    )
    judged = judge(evidence)
    assert "SL-301" in find_settled(evidence, judged, (), GROWING).open
    assert not codes & {*find_settled(evidence, judged, (), GROWING).open}
    assert codes <= {*find_settled(evidence, judged, (missing.code,), GROWING).open}


@pytest.mark.parametrize(
    ("groups", "row", "settled"), [(N, 5, True), (60, 5, False), (12, 1, False)]
)
def test_where_texts_are_of_few_groups_so_far_nothing_is_settled(groups, row, settled) -> None:
    """Of 60 groups, each class has 30."""
    right = np.where(np.arange(N) < 0.9 * N, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreement({}), PREDICTED, right)
    outputs = taken["outputs"]
    values = {**outputs.values, "cluster": np.arange(N) % groups}
    grouped = {**taken, "outputs": replace(outputs, values=values)}
    evidence = Evidence(grouped, ("neg", "pos"), THRESHOLDS, 0)
    judged = judge(evidence)
    assert judged.verdict.row == row
    sure = tuple(
        replace(one, result="passed", answers=dict.fromkeys(GROWING, "passed"))
        for one in judged.findings
    )
    judged = replace(judged, findings=sure)
    found = find_settled(evidence, judged, (), GROWING)
    assert found.whole == settled
    assert found.by_class == dict.fromkeys(GROWING, settled)
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
