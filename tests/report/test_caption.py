"""A caption says why no map may be displayed yet, and its reason is that of the tests."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, Reason
from sightline.report.advice import more_of_classes
from sightline.report.caption import caption
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.verdict_table import TOO_FEW
from tests.report.audits import audit
from tests.verdicts import reached


def reason(results: list[str]) -> str:
    """Give what follows “yet:” where the tests that bear on a verdict have these results."""
    made = audit()
    findings = tuple(
        replace(one, result=result, by_class={}, answers={})
        for one, result in zip(made.findings, results * len(made.findings), strict=False)
    )
    open_ = replace(made, findings=findings, verdict=reached(CANNOT_TELL, 5))
    (sentence,) = (one for one in caption(open_) if "yet: " in one)
    return sentence.partition("yet: ")[2]


def test_a_failed_test_is_not_called_inconclusive() -> None:
    failed, left, few = (
        reason(one) for one in (["failed", "inconclusive"], ["passed", "inconclusive"], ["not run"])
    )
    assert len({failed, left, few}) == 3
    assert "inconclusive" in left
    assert "inconclusive" not in failed + few


@pytest.mark.parametrize("result", ["failed", "inconclusive"])
def test_one_such_test_is_enough(result) -> None:
    assert reason(["passed", result]) == reason([result])


def test_it_is_said_how_many_texts_give_each_class_enough() -> None:
    made = audit()
    counts = Counter(one.predicted for one in made.texts)
    name, n = counts.most_common()[-1]
    few = reached(CANNOT_TELL, 1, (), (f"{TOO_FEW} ({n})",))
    asked = replace(made, verdict=reached(CAVEATS, 5, (), (), {name: few}))
    (sentence,) = more_of_classes(asked)
    least = default_thresholds().least
    assert re.findall(r"\d+", sentence.replace("\xa0", " "))[1:] == [
        str(len(made.texts)),
        str(least),
    ]
    assert f"'{name}'" in sentence
    assert list(more_of_classes(made)) == []


def test_a_caption_says_once_for_which_texts_its_caveats_are() -> None:
    made = audit()
    codes = [one.code for one in made.findings if one.bears][:3]
    reasons = tuple(Reason(f"caveat {n}", code, "failed", "") for n, code in enumerate(codes))
    fine, whole = reached(CAN, 4), reached(CAVEATS, 5)
    names = tuple(made.verdict.by_class)[:2] or ("a", "b")
    each = {names[0]: replace(fine, reasons=()), names[1]: replace(whole, reasons=reasons[:1])}
    said = " ".join(caption(replace(made, verdict=replace(whole, reasons=reasons, by_class=each))))
    assert said.count("For all texts together") == 1
    assert [f"aveat {n} " in said for n in range(3)] == [True] * 3
