"""The verdict table, row by row, from made-up measurements."""

from collections.abc import Mapping

import pytest

from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.verdict import verdict_of
from sightline.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Failed, Finding
from tests.findings.cases import THRESHOLDS, evidence


def found(**answers: str) -> Mapping[str, Finding]:
    codes = {**dict.fromkeys(CLAIMS, "supported"), **{code.replace("_", "-"): a for code, a in answers.items()}}
    return {
        code: Finding(
            code, "claim", answer, CLAIMS[code].role if code in CLAIMS else "decides", notes=(f"because {code}",)
        )
        for code, answer in codes.items()
    }


@pytest.mark.parametrize(
    ("answers", "text", "row", "decided"),
    [
        ({"SL_301": "not applicable"}, CANNOT_TELL, 1, ("SL-301",)),
        ({"SL_301": "contradicted"}, MUST_NOT, 2, ("SL-301",)),
        ({"SL_101": "contradicted", "SL_102": "contradicted"}, MUST_NOT, 2, ("SL-101", "SL-102")),
        ({"SL_101": "contradicted", "SL_102": "inconclusive", "SL_001": "contradicted"}, MUST_NOT, 3, ("SL-001",)),
        ({"SL_001": "contradicted"}, MUST_NOT, 3, ("SL-001",)),
        ({}, CAVEATS, 5, ("SL-301",)),
        ({"SL_104": "contradicted"}, CAVEATS, 5, ("SL-301", "SL-104")),
        ({"SL_202": "not applicable"}, CAVEATS, 5, ("SL-301", "SL-202")),
        ({"SL_301": "inconclusive"}, CANNOT_TELL, 6, ("SL-301",)),
        ({"SL_402": "supported"}, CAN, 4, (*CLAIMS, "SL-402")),
        ({"SL_402": "supported", "SL_202": "contradicted"}, CAVEATS, 5, ("SL-301", "SL-202")),
        ({"SL_402": "supported", "SL_101": "inconclusive"}, CAN, 4, (*CLAIMS, "SL-402")),
        ({"SL_402": "supported", "SL_104": "inconclusive"}, CAVEATS, 5, ("SL-301", "SL-104")),
    ],
)
def test_rows(answers: dict[str, str], text: str, row: int, decided: tuple[str, ...]) -> None:
    verdict = verdict_of(found(**answers), evidence())
    assert (verdict.text, verdict.row, set(verdict.decided_by)) == (text, row, set(decided))


def test_too_few_texts_and_a_broken_adapter_cannot_tell() -> None:
    few = verdict_of(found(SL_301="contradicted"), evidence(texts=49))
    assert (few.text, few.row) == (CANNOT_TELL, 1)
    assert "49 test texts; a verdict rests on at least 50" in few.reasons[0]
    broken = verdict_of(found(), evidence(error=0.01))
    assert (broken.text, broken.row) == (CANNOT_TELL, 1)
    assert "misses its logits by 0.01" in broken.reasons[0]
    assert verdict_of(found(), evidence(error=float("nan"))).row == 1


def test_a_model_that_could_not_be_run_cannot_be_told() -> None:
    none = Evidence({"outputs": Failed("outputs", "ValueError: no")}, ("a", "b"), THRESHOLDS, 0)
    assert "ValueError: no" in verdict_of(found(), none).reasons[0]


def test_caveats_name_what_was_not_supported_and_what_was_not_tested() -> None:
    reasons = verdict_of(found(SL_104="contradicted"), evidence()).reasons
    assert reasons[0].startswith(
        "SL-104 contradicted: these words were weighted, but a random choice would look the same"
    )
    assert "SL-402, whether a state stands for its word" in reasons[-1]


def test_context_findings_never_decide() -> None:
    verdict = verdict_of(found(SL_103="contradicted", SL_201="contradicted"), evidence())
    assert (verdict.row, verdict.decided_by) == (5, ("SL-301",))
