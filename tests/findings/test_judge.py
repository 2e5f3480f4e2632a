"""Findings from made-up measurements whose answer is known."""

import numpy as np
import pytest

from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.judge import judge
from sightline.findings.thresholds import Thresholds
from sightline.results import Finding, Measurement, NotApplicable, Outcome

N = 120
THRESHOLDS = Thresholds(dict.fromkeys(CLAIMS, 0.1), minimum_texts=50)
PREDICTED = np.arange(N) % 2


def agreement(effects: dict[str, float]) -> Measurement:
    generator = np.random.default_rng(0)
    values: dict[str, np.ndarray] = {}
    for name in ("gradient", "deletion", "free", "references"):
        values[f"chance.{name}"] = generator.uniform(0.1, 0.3, N)
        values[f"captured.{name}"] = values[f"chance.{name}"] + effects.get(name, 0.4) + generator.normal(0, 0.05, N)
        values[f"draws.{name}"] = values[f"chance.{name}"][:, None] + generator.normal(0, 0.05, (N, 99))
    return Measurement("agreement", values)


def outcomes(agreed: Outcome, learned: np.ndarray, uniform: np.ndarray) -> dict[str, Outcome]:
    labels = PREDICTED
    need = {
        "label": labels,
        "learned": learned,
        "uniform": uniform,
        "permuted": np.stack([uniform] * 3, 1),
        "identity_error": np.zeros(N),
    }
    floor = np.full((N, 2), 0.1)
    return {
        "outputs": Measurement("outputs", {"predicted": PREDICTED, "label": labels}),
        "need": Measurement("need", need),
        "retrained": NotApplicable("retrained", "needs a companion (uniform)"),
        "agreement": agreed,
        "reach": Measurement("reach", {"proof": (np.arange(N) < 30).astype(float)}),
        "permutation": Measurement("permutation", {"ratio": np.full(N, 0.5), "ratio_floor": floor}),
        "erasure": Measurement("erasure", {"area": np.full(N, 0.5), "floor": floor}),
    }


def findings(agreed: Outcome | None = None, uniform: np.ndarray | None = None) -> dict[str, Finding]:
    half = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)
    taken = outcomes(agreed or agreement({}), PREDICTED, half if uniform is None else uniform)
    return {f.code: f for f in judge(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0)).findings}


def test_every_claim_is_answered_in_order() -> None:
    assert list(findings()) == list(CLAIMS)


def test_all_is_well() -> None:
    assert {f.verdict for f in findings().values()} == {"supported"}


def test_the_effect_is_number_minus_floor_and_p_is_corrected() -> None:
    found = findings()["SL-101"]
    assert found.effect.value == pytest.approx(found.number.value - found.floor.value)
    assert found.effect.value == pytest.approx(0.4, abs=0.02)
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
    assert spared.effect.high == pytest.approx(3 / N)


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
