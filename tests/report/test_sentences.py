"""The sentences say what the numbers say."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.findings.claims import CLAIMS
from sightline.report.sentences import (
    Reason,
    answers,
    caveats,
    caveats_title,
    chance,
    headline,
    null_of,
    reason_of,
    row_condition,
    sentences,
    side,
    to_settle,
    told_reasons,
)
from sightline.results import BY_ABSENCE, CAN, CANNOT_TELL, CAVEATS, MUST_NOT, VERDICTS, Estimate, Finding, Verdict
from tests.report import audits
from tests.report.audits import ABSENT, ASTRAY, NO_EVIDENCE, by_class, findings
from tests.snapshots import same_text

FINDING = {finding.code: finding for finding in findings()}


def said(finding: Finding) -> str:
    return " ".join(sentences(finding)).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.11, 0.2, "above δ"),
        (0.1, 0.2, "holds δ"),
        (0.0, 0.1, "holds δ"),
        (-0.3, 0.09, "below δ"),
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
    assert "lies above the smallest effect that matters, δ = 0.1: large enough to matter" in text


def test_the_three_answers_are_told_apart() -> None:
    assert "too small to matter" in said(FINDING["SL-104"])
    assert "holds the smallest effect" in said(FINDING["SL-001"])
    assert said(FINDING["SL-402"]) == ""
    assert "could not be compared" in said(
        replace(FINDING["SL-001"], effect=Estimate(0.1, float("nan"), float("nan"), 1, ""))
    )


def test_an_effect_that_is_the_number_is_said_once() -> None:
    finding = FINDING["SL-301"]
    text = said(replace(finding, floor=None, number=finding.effect))
    assert text.count("n = 872") == 1
    assert "Its floor is zero, so this is the effect. Its whole interval lies above" in text


def test_an_unknown_finding_is_told_in_general_words() -> None:
    text = said(replace(FINDING["SL-101"], code="SL-999"))
    same_text("report", text)
    assert "Its floor: 0.230" in text


def test_a_p_value_stands_beside_its_null() -> None:
    text = chance(FINDING["SL-104"]).replace("\xa0", " ")
    same_text("report", text)
    assert chance(FINDING["SL-301"]) == ""
    assert null_of(FINDING["SL-104"]) in chance(FINDING["SL-104"])


def test_how_many_texts_would_settle_it_is_said_of_what_texts_would_settle() -> None:
    open_ = replace(FINDING["SL-001"], needed=5450)
    told = "Audit about 5,500 texts (now 872 texts): as many settle it if the effect stays where it is."
    assert to_settle(open_).replace("\xa0", " ") == told
    assert "no number of texts near these" in to_settle(replace(open_, needed=None))
    assert to_settle(replace(open_, needed=None, effect=Estimate(0.5, 0.4, 0.6, 872, ""))) == ""
    assert {to_settle(FINDING[code]) for code in ("SL-101", "SL-104", "SL-402", "SL-201")} == {""}


def test_without_a_delta_nothing_is_compared() -> None:
    bare = replace(FINDING["SL-101"], delta=None)
    same_text("report", said(bare))
    assert to_settle(replace(bare, verdict="inconclusive")) == ""


def test_every_row_of_the_verdict_table_is_explained() -> None:
    assert len({row_condition(row) for row in range(1, 8)}) == 7
    assert "does not know" in row_condition(99)


ROWS = {CAN: 4, CAVEATS: 5, MUST_NOT: 2, CANNOT_TELL: 6, BY_ABSENCE: 7}


def verdict(text: str, classes: dict[str, str] | None = None) -> Verdict:
    told = {name: verdict(one) for name, one in (classes or {}).items()}
    return Verdict(text, ROWS[text], (), (f"SL-1 contradicted: why {text} (effect 0)",), told)


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
def test_no_class_that_the_map_must_not_be_shown_for_hides(whole: str, classes: dict[str, str]) -> None:
    told = headline(verdict(whole, classes))
    known = {whole, *classes.values()}
    if BY_ABSENCE in known and whole not in classes.values() and {CAN, CAVEATS} & {*classes.values()}:
        known -= {whole} & {CAN, CAVEATS}  # no map can be shown for all texts where none can for those of a class
    assert all(text in told for text in known)
    if set(classes.values()) - {whole}:
        assert all(f"'{name}'" in told for name in classes)
        told_of = {part.text.partition(" for ")[0]: part.row for part in answers(verdict(whole, classes))}
        assert told_of == {text: ROWS[text] for text in known}


def test_a_class_of_a_long_or_evil_name_stays_a_word_of_the_headline() -> None:
    told = headline(verdict(CAVEATS, {"x\n\x1b" * 40: MUST_NOT}))
    assert told.isprintable()
    assert len(told) < 200


def test_the_headline_gives_the_reason_without_its_numbers_and_each_reason_once() -> None:
    same_text("report", headline(by_class()))
    both = replace(by_class(), by_class={**by_class().by_class, "neutral": ASTRAY})
    assert headline(both).count("leave the decision behind") == 1
    untold = replace(by_class(), by_class={"a": replace(ASTRAY, reasons=())})
    same_text("report", headline(untold))


def test_a_reason_is_a_sentence_and_its_numbers_stand_behind_it() -> None:
    assert reason_of("SL-105 inconclusive: it could not be shown (n = 3; (2))") == Reason(
        "it could not be shown", "SL-105", "n = 3; (2)"
    )
    assert reason_of("18 test texts; a verdict rests on 50") == Reason("18 test texts; a verdict rests on 50")
    assert reason_of("SL-301 contradicted: it changes nothing") == Reason("it changes nothing", "SL-301")
    assert reason_of("no better (accuracy 0.5)\n") == Reason("no better (accuracy 0.5)\n")


def test_what_was_not_tested_never_reads_as_a_statement() -> None:
    assert reason_of("SL-402 not applicable: a state stands for its word (needs decode)") == Reason(
        "not tested: a state stands for its word", "SL-402", "needs decode"
    )
    same_text("report", reason_of("SL-402 not applicable: not tested whether a state stands (x)").words)


def test_tests_that_were_not_run_stand_in_one_line_and_keep_their_reasons() -> None:
    silent = {
        "SL-104": "needs decode",
        "SL-001": "needs decode",
        "SL-202": "needs decode or token_logits",
        "SL-205": "needs token_logits (the logits of each word alone)",
        "SL-401": "it was not asked for",
    }
    reasons = tuple(f"{code} not applicable: not tested whether it holds ({why})" for code, why in silent.items())
    verdict = Verdict(CAVEATS, 5, (), (LITTLE[1], *reasons))
    other, line = told_reasons(verdict)
    assert other == (reason_of(LITTLE[1]), "")
    assert line[0].tests == tuple(silent)
    assert len(caveats(verdict)) == 2
    for code, why in silent.items():
        assert line[0].words.count(CLAIMS[code].name) == 1
        assert f"{code}: {why}" in line[0].behind
    assert line[0].words.count("needs weights that can be replaced") == 1
    assert not re.search(r"SL-\d|decode", line[0].words.replace("decoder", ""))
    alone = Verdict(CAVEATS, 5, (), (LITTLE[1], reasons[0]))
    assert caveats(alone)[1] == "Not tested whether it holds."
    assert caveats_title(Verdict(CAN, 4, (), reasons)) == "Not tested"


def test_every_test_has_a_name() -> None:
    assert all(claim.name for claim in CLAIMS.values())
    assert len({claim.name for claim in CLAIMS.values()}) == len(CLAIMS)


def test_codes_that_older_versions_named_among_the_words_are_left_out() -> None:
    told = "not tested by this version: SL-205, whether it holds; SL-302, whether it suffices"
    same_text("report", reason_of(told).words)


def test_no_words_of_a_claim_hold_what_sets_the_numbers_apart() -> None:
    for claim in CLAIMS.values():
        assert not any(" (" in words for words in (claim.told, claim.caveat, claim.below))


def test_the_reasons_of_a_class_are_listed_where_classes_differ() -> None:
    first, *whole = told_reasons(by_class())
    assert first == (reason_of(ASTRAY.reasons[0]), "for texts predicted 'negative'")
    assert [reason for reason, _ in whole] == [reason_of(why) for why in by_class().reasons]
    assert [which for _, which in whole] == ["for all texts together", ""]  # the second was not tested on any
    assert {which for _, which in told_reasons(replace(ASTRAY, by_class={"negative": ASTRAY}))} == {""}


LITTLE = (
    "SL-104 contradicted: the attended words hold little of the evidence (effect {})",
    "SL-001 inconclusive: it could not be shown that it is needed (effect 0.1)",
)


def of_classes(**effects: str) -> Verdict:
    """A map that can be shown with caveats, for each class too, with one claim contradicted for some classes."""
    fine = Verdict(CAVEATS, 5, (), LITTLE[1:])
    classes = {name: replace(fine, reasons=(LITTLE[0].format(effect), *LITTLE[1:])) for name, effect in effects.items()}
    return replace(fine, by_class={**classes, "other": fine})


def test_what_is_contradicted_for_one_class_is_a_caveat_where_every_class_gets_one_answer() -> None:
    told = of_classes(b="0.04")
    assert headline(told) == CAVEATS
    same_text("report", caveats(told))
    assert told_reasons(told)[0][0].behind == "effect 0.04"


def test_what_is_contradicted_for_several_classes_is_said_once_with_the_numbers_of_each() -> None:
    (reason, which), _ = told_reasons(of_classes(b="0.04", c="0.05"))
    same_text("report", which)
    same_text("report", reason.behind)


def test_what_is_contradicted_for_all_texts_is_not_said_again_of_a_class() -> None:
    told = replace(of_classes(b="0.04"), reasons=(LITTLE[0].format("0.07"),))
    assert told_reasons(told) == [(reason_of(LITTLE[0].format("0.07")), "")]


def test_what_is_said_of_the_task_is_said_of_no_class() -> None:
    needless = of_classes(b="0.04").by_class["other"]
    needless = replace(needless, reasons=("SL-001 contradicted: this task needs no attention (effect 0)",))
    told = replace(of_classes(b="0.04"), by_class={"a": needless})
    same_text("report", caveats(told))


def test_a_class_that_is_decided_by_absence_says_so_in_one_sentence_with_its_numbers() -> None:
    (only,) = told_reasons(audits.by_absence())
    assert only == (
        Reason(f"decided by absence: {NO_EVIDENCE}", "SL-304", "effect 0.013 [−0.020, 0.046], n = 444"),
        "for texts predicted 'ham'",
    )
    both = Verdict(CAVEATS, 5, (), (), {"a": ABSENT, "b": ABSENT, "c": Verdict(CAN, 4, (), ())})
    same_text("report", [which for _, which in told_reasons(both)])
    untold = Verdict(CAVEATS, 5, (), (), {"a": replace(ABSENT, reasons=()), "b": Verdict(CAN, 4, (), ())})
    same_text("report", caveats(untold))


def test_what_is_true_of_all_texts_together_advises_nothing_where_classes_have_answers_of_their_own() -> None:
    for told in (verdict(CAVEATS, {"a": CAN, "b": CANNOT_TELL}), verdict(MUST_NOT, {"a": CAN, "b": CANNOT_TELL})):
        assert [part.classes for part in answers(told) if part.advised] == [("a",), ("b",)]
    assert [part.advised for part in answers(verdict(CAN))] == [True]


def test_why_a_class_is_left_open_where_all_texts_are_not_is_said() -> None:
    """Under “cannot tell for texts predicted 'b'” a reader looks for a reason."""
    own = "SL-304 inconclusive: it could not be shown that the words do anything (effect 0.2 [0.1, 0.3])"
    more = "SL-105 inconclusive: it could not be shown that they speak for it (effect 0.1)"
    open_ = Verdict(CANNOT_TELL, 6, (), (own, more))
    told = Verdict(CAVEATS, 5, (), (), {"a": Verdict(CAN, 4, (), ()), "b": open_})
    same_text("report", caveats(told))
    same_text("report", caveats(replace(told, text=CANNOT_TELL, reasons=(own,))))
