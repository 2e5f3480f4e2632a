"""What a gate says, in an assertion and in JUnit XML."""

import re
from dataclasses import replace
from xml.etree import ElementTree as Xml

import pytest

from sightline.core.errors import SpecError
from sightline.core.results import BY_ABSENCE, CAN, CANNOT_TELL, CAVEATS, MUST_NOT, VERDICTS
from sightline.report.advice import NOT_SURELY
from sightline.report.gates import NOT_SHOWN, closed, expensive_measures, outcome
from sightline.report.junit import junit
from tests.report.audits import (
    LEARNED,
    audit,
    by_absence,
    by_class,
    compared,
    estimate,
    hostile,
)
from tests.verdicts import reached


def judged(level: str, **by_class: str):
    classes = {name: reached(one, 1) for name, one in by_class.items()}
    return replace(audit(), verdict=reached(level, 1, (), (), classes))


@pytest.mark.parametrize("level", VERDICTS)
def test_a_map_is_shown_only_under_a_verdict_that_permits_it(level) -> None:
    for found in (judged(level), judged(CAN, yes=level), judged(level, yes=CAN)):
        if level in (CAN, CAVEATS):
            found.assert_shown()
        else:
            with pytest.raises(AssertionError, match=level.replace(" ", "-")):
                found.assert_shown()


def test_a_map_of_a_model_that_guesses_is_not_shown() -> None:
    guessing = replace(judged(CAN), learned=replace(LEARNED, above=estimate(0.01, 0.04)))
    assert guessing.may_be_shown_for == ()
    with pytest.raises(AssertionError, match=NOT_SURELY[1:]):
        guessing.assert_shown()
    assert closed(guessing, NOT_SHOWN)
    guessing.assert_shown("must-not-be-shown", "cannot-tell")  # stops at what it names alone
    replace(guessing, learned=LEARNED).assert_shown()


def test_an_assertion_stops_at_what_it_names_alone() -> None:
    with pytest.warns(UserWarning, match="cannot-tell"):
        judged(CANNOT_TELL).assert_shown("must-not-be-shown")
    judged(MUST_NOT).assert_shown("SL-301")  # which passed
    with pytest.raises(AssertionError, match="SL-104 failed") as caught:
        judged(CAN).assert_shown("must-not-be-shown", "sl-104")
    (failed,) = (one for one in audit().findings if one.code == "SL-104")
    assert outcome(failed) in str(caught.value)
    for part in ("threshold 0.1", "n = 872", "0.02", "−0.03 to 0.07", "a random choice"):
        assert part in outcome(failed).replace("\xa0", " ")
    with pytest.raises(SpecError, match=r"fail_on='maybe'.*must-not-be-shown.*SL-301"):
        judged(CAN).assert_shown("maybe")


def cases(found) -> dict[str, Xml.Element]:
    (suite,) = Xml.fromstring(junit({0: found}))
    assert int(suite.get("tests")) == len(suite)
    for kind, count in (("failure", "failures"), ("skipped", "skipped")):
        assert int(suite.get(count)) == len(suite.findall(f"testcase/{kind}"))
    return {one.get("name"): one for one in suite}


def test_each_test_is_a_case_that_fails_if_it_failed_and_bears() -> None:
    found = compared()
    findings = (
        *found.findings,
        replace(found.findings[2], code="SL-202", name="Permutation", role="informational"),
    )
    made = cases(replace(found, findings=findings))
    for finding in findings:
        case = made[finding.title]
        (said,) = case
        words = (said.get("message") or said.text).replace("\xa0", " ")
        kind = {"passed": "system-out", "failed": "failure" if finding.bears else "skipped"}
        assert said.tag == kind.get(finding.result, "skipped")
        assert words.startswith(finding.result)
        if finding.score is not None:
            assert words.count("95 % CI") == 1
            assert words.count(f"n = {finding.score.n}") == 1
    assert {one.tag for case in made.values() for one in case} == {
        "system-out",
        "failure",
        "skipped",
    }


def test_what_would_settle_an_open_test_is_said() -> None:
    few = estimate(0.3, 0.2, n=48)
    found = replace(audit().findings[0], threshold=0.25, score=few, needed=120)
    assert found.result == "inconclusive"
    assert "about 120 texts in all" in outcome(found).replace("\xa0", " ")
    assert "120" not in outcome(replace(found, result="failed"))


def test_each_verdict_is_a_case() -> None:
    made = cases(replace(audit(), verdict=by_class()))
    assert made["Verdict"][0].tag == "system-out"
    assert made["Verdict for texts predicted 'positive'"][0].tag == "system-out"
    (failure,) = made["Verdict for texts predicted 'negative'"]
    assert failure.tag == "failure"
    assert "Transfer" in failure.get("message") or "SL-" in failure.get("message")
    made = cases(replace(audit(), verdict=by_absence()))
    (absent,) = made["Verdict for texts predicted 'ham'"]
    assert absent.tag == "skipped"
    assert absent.get("message").lower().startswith(f"{BY_ABSENCE}. ")
    assert cases(judged(CANNOT_TELL))["Verdict"][0].tag == "skipped"
    assert cases(judged(MUST_NOT))["Verdict"][0].tag == "failure"


def test_what_others_wrote_stays_text() -> None:
    names = ("<b>&\"'", "nul \x00 \x1b[31m", "half \ud800", "\ufffe", "]]>")
    found = replace(hostile(), verdict=judged(CAN, **dict.fromkeys(names, MUST_NOT)).verdict)
    text = junit({0: found})
    text.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", text)
    made = cases(found)
    assert "Verdict for texts predicted '<b>&\"''" in made
    assert len(made) == 1 + len(names) + len(found.findings)


def test_each_seed_is_a_suite() -> None:
    root = Xml.fromstring(junit({3: judged(CAN), 4: judged(MUST_NOT)}))
    assert [one.get("name") for one in root] == ["sightline, seed 3", "sightline, seed 4"]
    assert [one.find("testcase")[0].tag for one in root] == ["system-out", "failure"]


def test_a_gate_whose_test_was_not_run_closes() -> None:
    """It could not have failed."""
    left = [
        replace(one, result="not run") if one.code == "SL-301" else one for one in audit().findings
    ]
    full = replace(judged(CAN), findings=tuple(left))
    early = replace(full, spec={**full.spec, "sequential": {}})
    for one in (full, early):
        with pytest.raises(AssertionError, match="SL-301 was not run"):
            one.assert_shown("SL-301")
    older = replace(full, findings=tuple(one for one in left if one.code != "SL-301"))
    with pytest.raises(AssertionError, match="SL-301 is not among"):
        older.assert_shown("SL-301")


def test_an_assertion_without_a_failed_test_says_what_is_open() -> None:
    left = [
        replace(one, result="not run" if one.code == "SL-301" else "inconclusive")
        for one in audit().findings
    ]
    open_ = replace(judged(CANNOT_TELL), findings=tuple(left))
    with pytest.raises(AssertionError) as caught:
        open_.assert_shown()
    first, *rest = str(caught.value).splitlines()
    assert "cannot-tell" in first
    assert any("SL-301" in line for line in rest)


def test_only_expensive_measures_are_named_for_a_gate() -> None:
    assert expensive_measures(("must-not-be-shown", "SL-301")) == ()
    assert expensive_measures(("SL-301", "SL-401")) == ("information",)
