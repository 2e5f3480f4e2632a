"""The sentences say what the numbers say."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.needs import OTHER_ATTENTION, UNASKED, needed
from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    VERDICTS,
    CloseCall,
    Estimate,
    Finding,
    Reason,
    Verdict,
)
from sightline.report.advice import close_calls, shown_maps_advice
from sightline.report.caption import caption
from sightline.report.first_screen import conclusions
from sightline.report.gates import closed
from sightline.report.html.audit_page import render
from sightline.report.sentences import (
    ALL_TOGETHER,
    Caveat,
    NotRunTests,
    answers,
    but_not_for,
    caveat_reasons,
    caveats,
    caveats_title,
    chance,
    headline,
    null_of,
    row_condition,
    sentences,
    side,
    to_settle,
)
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.decision_rule import TAKES_TOO_FEW, explain
from sightline.verdict.thresholds import default_thresholds
from tests.report import audits
from tests.report.audits import ABSENT, ASTRAY, NO_EVIDENCE, by_class, compared, estimate, findings
from tests.snapshots import same_text
from tests.verdicts import reached, why, whys

FINDING = {finding.code: finding for finding in findings()}


def said(finding: Finding) -> str:
    return " ".join(sentences(finding)).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.11, 0.2, "above threshold"),
        (0.1, 0.2, "holds threshold"),
        (0.0, 0.1, "holds threshold"),
        (-0.3, 0.09, "below threshold"),
        (float("nan"), 1.0, "undefined"),
    ],
)
def test_the_side_of_delta(low: float, high: float, expected: str) -> None:
    assert side(Estimate(0.1, low, high, 10, ""), 0.1) == expected


def test_every_number_of_a_finding_is_said_with_its_n() -> None:
    text = said(FINDING["SL-101"])
    assert "0.660 [0.620, 0.700], n = 872" in text
    assert "0.230 [0.220, 0.240], n = 872" in text
    assert "0.430 [0.380, 0.480], n = 872" in text
    assert "lies above the threshold, 0.1." in text


def test_the_three_answers_are_told_apart() -> None:
    assert "lies below the threshold, 0.1." in said(FINDING["SL-104"])
    assert "contains the threshold, 0.1" in said(FINDING["SL-001"])
    assert said(FINDING["SL-402"]) == ""
    assert "could not be compared" in said(
        replace(FINDING["SL-001"], score=Estimate(0.1, float("nan"), float("nan"), 1, ""))
    )


def test_an_effect_that_is_the_number_is_said_once() -> None:
    finding = FINDING["SL-301"]
    text = said(replace(finding, baseline=None, number=finding.score))
    assert text.count("n = 872") == 1
    assert "The chance level is zero, so this is the score. Its whole interval lies above" in text


def test_a_score_on_too_few_texts_is_not_said_to_lie_above() -> None:
    few = replace(findings()[1], result="inconclusive", score=estimate(0.6, 0.05, n=20))
    fewest = default_thresholds().fewest(few.code)
    assert f"fewer than the {fewest} texts" in sentences(few)[-1]
    assert "Its whole interval lies above" not in sentences(few)[-1]
    enough = replace(few, score=estimate(0.6, 0.05, n=fewest))
    assert "Its whole interval lies above" in sentences(enough)[-1]


def test_an_unknown_finding_is_told_in_general_words() -> None:
    text = said(replace(FINDING["SL-101"], code="SL-999"))
    same_text("report", text)
    assert "Its chance level: 0.230" in text


def test_a_p_value_stands_beside_its_null() -> None:
    text = chance(FINDING["SL-104"]).replace("\xa0", " ")
    same_text("report", text)
    assert chance(FINDING["SL-301"]) == ""
    assert null_of(FINDING["SL-104"]) in chance(FINDING["SL-104"])


def test_how_many_texts_would_settle_it_is_said_of_what_texts_would_settle() -> None:
    open_ = replace(FINDING["SL-001"], needed=5450)
    assert "about 5,500 texts in all" in to_settle(open_).replace("\xa0", " ")
    # It could be settled by more texts than the test takes, or by no number of texts.
    beyond = explain(open_.score, open_.threshold, most=open_.score.n)
    never = to_settle(replace(open_, needed=None, compared=beyond))
    assert TAKES_TOO_FEW in beyond
    assert TAKES_TOO_FEW.partition(": ")[2] in never
    # Another test leaves it open, and this one takes all texts.
    assert TAKES_TOO_FEW not in open_.compared
    assert to_settle(replace(open_, needed=None)) == ""
    at = replace(open_.score, value=open_.threshold)
    assert "even many times these" in to_settle(replace(open_, needed=None, score=at))
    assert to_settle(replace(open_, needed=None, score=Estimate(0.5, 0.4, 0.6, 872, ""))) == ""
    assert {to_settle(FINDING[code]) for code in ("SL-101", "SL-104", "SL-402", "SL-201")} == {""}


def test_without_a_delta_nothing_is_compared() -> None:
    bare = replace(FINDING["SL-101"], threshold=None)
    same_text("report", said(bare))
    assert to_settle(replace(bare, result="inconclusive")) == ""


def test_every_row_of_the_verdict_table_is_explained() -> None:
    assert len({row_condition(row) for row in range(1, 8)}) == 7
    assert "does not know" in row_condition(99)


ROWS = {CAN: 4, CAVEATS: 5, MUST_NOT: 2, CANNOT_TELL: 6, BY_ABSENCE: 7}


def verdict(text: str, classes: dict[str, str] | None = None) -> Verdict:
    values = {name: verdict(one) for name, one in (classes or {}).items()}
    return reached(text, ROWS[text], (), (f"SL-1 failed: why {text} (score 0)",), values)


@pytest.mark.parametrize("text", VERDICTS)
def test_where_all_classes_agree_the_headline_is_the_verdict(text: str) -> None:
    assert headline(verdict(text)) == headline(verdict(text, {"a": text, "b": text})) == text


@pytest.mark.parametrize(
    ("whole", "classes"),
    [
        (CAVEATS, {"n": MUST_NOT, "p": CAVEATS}),
        (CAVEATS, {"n": MUST_NOT}),
        (CAVEATS, {"n": MUST_NOT, "p": CANNOT_TELL}),
        (CAVEATS, {"n": MUST_NOT, "p": CAN}),
        (MUST_NOT, {"a": CANNOT_TELL, "b": CAN}),
        (CAVEATS, {"a": CANNOT_TELL, "b": CANNOT_TELL}),
        (CAVEATS, {"ham": BY_ABSENCE, "spam": CAN}),
        (CAVEATS, {"ham": BY_ABSENCE, "spam": CAVEATS}),
        (CAVEATS, {"ham": BY_ABSENCE, "spam": CANNOT_TELL}),
        (MUST_NOT, {"ham": BY_ABSENCE, "spam": CAN}),
        (MUST_NOT, {"a": MUST_NOT, "b": MUST_NOT, "c": MUST_NOT, "d": CAN}),
    ],
)
def test_where_classes_differ_each_is_named(whole: str, classes: dict[str, str]) -> None:
    same_text("report", headline(verdict(whole, classes)))


@given(whole=st.sampled_from([text for text in VERDICTS if text != BY_ABSENCE]), classes=st.dictionaries(st.text(st.characters(categories=["L"]), min_size=1, max_size=3), st.sampled_from(VERDICTS), max_size=5))  # fmt: skip
def test_no_class_that_the_map_must_not_be_shown_for_hides(
    whole: str, classes: dict[str, str]
) -> None:
    result = headline(verdict(whole, classes))
    known = {whole, *classes.values()}
    if (
        BY_ABSENCE in known
        and whole not in classes.values()
        and {CAN, CAVEATS} & {*classes.values()}
    ):
        known -= {whole} & {
            CAN,
            CAVEATS,
        }  # no map can be shown for all texts where none can for those of a class
    assert all(text in result for text in known)
    if set(classes.values()) - {whole}:
        assert all(f"'{name}'" in result for name in classes)
        told_of = {
            part.text.partition(" for ")[0]: part.level for part in answers(verdict(whole, classes))
        }
        assert told_of == {text: text for text in known}


def test_a_class_of_a_long_or_evil_name_stays_a_word_of_the_headline() -> None:
    result = headline(verdict(CAVEATS, {"x\n\x1b" * 40: MUST_NOT}))
    assert result.isprintable()
    assert result.count("␛") == 40  # another class may differ from it at the end alone


def test_the_headline_gives_the_reason_without_its_numbers_and_each_reason_once() -> None:
    same_text("report", headline(by_class()))
    both = replace(by_class(), by_class={**by_class().by_class, "neutral": ASTRAY})
    assert headline(both).count("do not take the prediction with them") == 1
    untold = replace(by_class(), by_class={"a": replace(ASTRAY, reasons=())})
    same_text("report", headline(untold))


def test_tests_that_were_not_run_stand_in_one_line_and_keep_their_reasons() -> None:
    silent = {
        "SL-104": needed({"decode"}),
        "SL-001": needed({"decode"}),
        "SL-202": needed({OTHER_ATTENTION}),
        "SL-205": needed({"token_logits"}),
        "SL-401": UNASKED,
    }
    reasons = tuple(
        Reason("not tested whether it holds", code, "not run", lack)
        for code, lack in silent.items()
    )
    verdict = reached(CAVEATS, 5, (), (LITTLE[1], *reasons))
    other, line = (one[:2] for one in caveat_reasons(verdict))
    assert other == (why(LITTLE[1]), "")
    assert isinstance(line[0], NotRunTests)
    assert line[0].tests == tuple(silent)
    assert len(caveats(verdict)) == 2
    for code, lack in silent.items():
        assert line[0].words.count(AUDIT_TESTS[code].name) == 1
        assert f"{code}: {lack}" in line[0].behind
    assert line[0].words.count("needs weights that can be replaced") == 1
    assert not re.search(r"SL-\d|decode", line[0].words.replace("decoder", ""))
    alone = reached(CAVEATS, 5, (), (LITTLE[1], reasons[0]))
    assert caveats(alone)[1] == "Not tested whether it holds."
    assert caveats_title(reached(CAN, 4, (), reasons)) == "Not run"


def test_every_test_has_a_name() -> None:
    assert all(claim.name for claim in AUDIT_TESTS.values())
    assert len({claim.name for claim in AUDIT_TESTS.values()}) == len(AUDIT_TESTS)


def test_the_reasons_of_a_class_are_listed_where_classes_differ() -> None:
    verdict = by_class()
    first, *of_shown = caveat_reasons(verdict)
    assert first == Caveat(ASTRAY.reasons[0], "for texts predicted 'negative'", ("negative",))
    assert of_shown == [
        Caveat(reason, "for texts predicted 'positive'", ("positive",))
        for reason in verdict.by_class["positive"].reasons
    ]  # as in the caption: what holds of all texts together may not hold of this class
    forbidden = replace(verdict, level=MUST_NOT)
    assert [reason for reason, *_ in caveat_reasons(forbidden)][-2:] == [*verdict.reasons]
    alone = caveat_reasons(replace(ASTRAY, by_class={"negative": ASTRAY}))
    assert {one.which for one in alone} == {""}


LITTLE = (
    "SL-104 failed: the attended words hold little of the evidence (score {})",
    "SL-001 inconclusive: it could not be shown that it is needed (score 0.1)",
)


def of_classes(**effects: str) -> Verdict:
    """A map that can be shown with caveats, for each class too, with one claim failed for some
    classes.
    """
    fine = reached(CAVEATS, 5, (), LITTLE[1:])
    classes = {
        name: replace(fine, reasons=whys(LITTLE[0].format(score), *LITTLE[1:]))
        for name, score in effects.items()
    }
    return replace(fine, by_class={**classes, "other": fine})


def test_what_is_contradicted_for_one_class_is_a_caveat_where_every_class_gets_one_answer() -> None:
    result = of_classes(b="0.04")
    assert headline(result) == CAVEATS
    same_text("report", caveats(result))
    assert caveat_reasons(result)[0][0].behind == "score 0.04"


def test_what_is_contradicted_for_several_classes_is_said_once_with_the_numbers_of_each() -> None:
    (reason, which, _), _ = caveat_reasons(of_classes(b="0.04", c="0.05"))
    same_text("report", which)
    same_text("report", reason.behind)


def test_what_is_contradicted_for_all_texts_is_not_said_again_of_a_class() -> None:
    message = replace(of_classes(b="0.04"), reasons=whys(LITTLE[0].format("0.07")))
    assert caveat_reasons(message) == [Caveat(why(LITTLE[0].format("0.07")))]


def test_what_is_said_of_the_task_is_said_of_no_class() -> None:
    needless = of_classes(b="0.04").by_class["other"]
    needless = replace(
        needless, reasons=whys("SL-001 failed: this task needs no attention (score 0)")
    )
    message = replace(of_classes(b="0.04"), by_class={"a": needless})
    same_text("report", caveats(message))


def test_a_class_that_is_decided_by_absence_says_so_in_one_sentence_with_its_numbers() -> None:
    (only,) = caveat_reasons(audits.by_absence())
    assert only == Caveat(
        Reason(
            f"decided by absence: {NO_EVIDENCE}",
            "SL-304",
            "failed",
            "score 0.013 [−0.020, 0.046], n = 444",
        ),
        "for texts predicted 'ham'",
        ("ham",),
    )
    both = reached(CAVEATS, 5, (), (), {"a": ABSENT, "b": ABSENT, "c": reached(CAN, 4, (), ())})
    same_text("report", [one.which for one in caveat_reasons(both)])
    untold = reached(
        CAVEATS, 5, (), (), {"a": replace(ABSENT, reasons=()), "b": reached(CAN, 4, (), ())}
    )
    same_text("report", caveats(untold))


def test_what_is_true_of_all_texts_together_advises_nothing_where_classes_have_answers_of_their_own() -> (
    None
):
    for message in (
        verdict(CAVEATS, {"a": CAN, "b": CANNOT_TELL}),
        verdict(MUST_NOT, {"a": CAN, "b": CANNOT_TELL}),
    ):
        assert [part.classes for part in answers(message) if part.advised] == [("a",), ("b",)]
    assert [part.advised for part in answers(verdict(CAN))] == [True]


def test_why_a_class_is_left_open_where_all_texts_are_not_is_said() -> None:
    """Under “cannot tell for texts predicted 'b'” a reader looks for a reason."""
    own = (
        "SL-304 inconclusive: it could not be shown that the words do anything (score 0.2 [0.1, "
        "0.3])"
    )
    more = "SL-105 inconclusive: it could not be shown that they speak for it (score 0.1)"
    open_ = reached(CANNOT_TELL, 6, (), (own, more))
    result = reached(CAVEATS, 5, (), (), {"a": reached(CAN, 4, (), ()), "b": open_})
    same_text("report", caveats(result))
    same_text("report", caveats(replace(result, level=CANNOT_TELL, reasons=whys(own))))


def test_classes_that_differ_at_their_end_alone_have_different_names() -> None:
    """A verdict says of which texts a map may be shown."""
    good, bad, absent = (f"{'a label of many words ' * 3}({one})" for one in "abc")
    fine, banned = reached(CAN, 4), reached(MUST_NOT, 2, (), ("it leads astray",))
    each = {good: fine, bad: banned, absent: reached(BY_ABSENCE, 7)}
    case = compared(reached(CAVEATS, 5, (), (), each))
    closed_ = compared(reached(CANNOT_TELL, 6, (), (), {bad: banned, absent: each[absent]}))
    told = {
        "headline": headline(case.verdict),
        "conclusions": " ".join(one.text for one in conclusions(case)),
        "caption": " ".join(caption(closed_)),
        "advice": " ".join(shown_maps_advice(case)),
        "maps": but_not_for([bad], [absent]),
        "caveats": " ".join(caveats(case.verdict)),
        "gates": " ".join(closed(case, ("must-not-be-shown",))),
    }
    for where, said in told.items():
        named = {name for name in (good, bad, absent) if f"'{name}'" in said}
        assert bad in named, where
        assert said.count("a label of many words ") % 3 == 0, where


@pytest.mark.parametrize("differ", [False, True])
def test_a_close_call_says_of_which_texts_it_is_where_classes_differ(differ) -> None:
    call = CloseCall("SL-301", "", 0.01, CANNOT_TELL)
    of_class = replace(call, of="positive")
    each = {"positive": reached(CANNOT_TELL if differ else CAVEATS, 6, (), ())}
    verdict = replace(reached(CAVEATS, 5, (), (), each), close=(call, of_class))
    of_all, of_positive = close_calls(compared(verdict))
    assert (ALL_TOGETHER in of_all, f"'{CAVEATS}'" in of_all) == (differ, differ)
    assert f"'{CANNOT_TELL}'" in of_all
    assert "texts predicted 'positive' 'cannot tell'" in of_positive
    condition = row_condition(verdict.row)
    before = render(compared(verdict)).partition(condition[:40])[0]
    assert (ALL_TOGETHER in before[-60:]) == differ
