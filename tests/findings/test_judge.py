"""Findings from made-up measurements whose answer is known."""

import numpy as np
import pytest

from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.judge import judge
from sightline.findings.thresholds import Thresholds
from sightline.results import Finding, Measurement, NotApplicable, Outcome
from tests.findings.cases import PREDICTED, THRESHOLDS, N, agreement, outcomes


def findings(
    agreed: Outcome | None = None, uniform: np.ndarray | None = None, thresholds: Thresholds = THRESHOLDS
) -> dict[str, Finding]:
    half = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreed or agreement({}), PREDICTED, half if uniform is None else uniform)
    return {f.code: f for f in judge(Evidence(taken, ("neg", "pos"), thresholds, 0)).findings}


def test_every_claim_is_answered_in_order() -> None:
    assert list(findings()) == list(CLAIMS)


def test_all_is_well() -> None:
    found = findings()
    missing = [code for code, one in found.items() if one.verdict == "not applicable"]
    assert not missing, f"tests/findings/cases.py makes up no measurement for {', '.join(missing)}"
    assert {one.verdict for one in found.values()} == {"supported"}


def test_a_claim_without_a_threshold_is_measured_and_left_open() -> None:
    delta = {code: value for code, value in THRESHOLDS.delta.items() if code not in ("SL-104", "SL-001")}
    found = findings(thresholds=Thresholds(delta, 50))
    for code in ("SL-104", "SL-001"):
        assert (found[code].verdict, found[code].delta) == ("inconclusive", None)
        assert found[code].effect == findings()[code].effect
        assert "no smallest effect that matters has been set" in found[code].reason


def test_the_effect_is_number_minus_floor_and_p_is_corrected() -> None:
    found = findings()["SL-101"]
    assert found.effect.value == pytest.approx((found.number.value - found.floor.value) / (1 - found.floor.value))
    assert found.effect.value == pytest.approx(0.5, abs=0.02)
    assert found.p == pytest.approx(0.01)
    assert found.p <= found.p_adjusted <= 0.04
    assert set(found.by_class) == {"neg", "pos"}
    assert found.by_class["neg"].n == N // 2


def test_each_claim_of_agreement_has_its_own_reference() -> None:
    for name, code in (("gradient", "SL-101"), ("deletion", "SL-102"), ("free", "SL-104")):
        found = findings(agreement({name: 0.0}))
        assert [c for c, f in found.items() if f.verdict == "contradicted"] == [code]
        assert found[code].p > 0.05


def test_references_that_disagree_leave_agreement_open() -> None:
    found = findings(agreement({"references": 0.0, "gradient": 0.0}))
    assert found["SL-103"].verdict == "contradicted"
    assert [found[code].verdict for code in ("SL-101", "SL-102", "SL-104")] == ["inconclusive"] * 3
    assert found["SL-101"].notes[0].startswith("left open: gradient and deletion point to different words")
    assert found["SL-101"].notes[0].endswith("(SL-103)")
    assert found["SL-301"].verdict == "supported"


def test_need_takes_the_weakest_comparison_and_says_what_is_missing() -> None:
    found = findings()["SL-001"]
    assert found.effect.value == pytest.approx(0.5)
    assert "no retrained model to compare (needs a companion (uniform))" in found.reason
    spared = findings(uniform=PREDICTED)["SL-001"]
    assert spared.verdict == "contradicted"
    assert spared.effect.value == 0
    assert spared.effect.high == pytest.approx(3 / N, rel=2e-3)


def test_need_is_contradicted_by_a_retrained_model_that_does_as_well() -> None:
    half = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreement({}), PREDICTED, half)
    values = {"label": PREDICTED, "learned": PREDICTED, "retrained": PREDICTED}
    taken["retrained"] = Measurement("retrained", values)
    judged = judge(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))
    assert next(f for f in judged.findings if f.code == "SL-001").verdict == "contradicted"
    assert judged.verdict.row == 3


def test_what_was_not_measured_is_not_applicable_with_the_reason() -> None:
    found = findings(NotApplicable("agreement", "needs embedding_grad"))
    for code in ("SL-101", "SL-102", "SL-103", "SL-104"):
        assert (found[code].verdict, found[code].reason) == ("not applicable", "needs embedding_grad")


def test_undefined_everywhere_gives_the_counted_reasons() -> None:
    empty = Measurement(
        "agreement",
        {name: np.full(value.shape, np.nan) for name, value in agreement({}).values.items()},
        {"captured.gradient": {"constant attention": N}},
    )
    found = findings(empty)["SL-101"]
    assert found.verdict == "not applicable"
    assert found.reason == f"undefined for every text: constant attention ({N})"


def test_reach_is_a_share_with_an_interval_and_no_floor() -> None:
    found = findings()["SL-201"]
    assert found.number.value == pytest.approx(0.75)
    assert found.floor is None
    assert found.number.method == "Wilson"
