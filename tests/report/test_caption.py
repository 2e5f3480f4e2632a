"""A caption says why no map may be displayed yet, and its reason is that of the tests."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    ClassShare,
    Estimate,
    Level,
    Reason,
)
from sightline.core.word_lists import join_words
from sightline.report.advice import more_of_classes
from sightline.report.caption import NO_OTHER, SHARE_OF_TEXTS, _said_once, caption
from sightline.report.first_screen import conclusions, reasons
from sightline.report.number_format import approximate_count, percent
from sightline.report.sequential_note import BUDGET_SPENT
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.thresholds import default_thresholds
from tests.report.audits import audit, compared
from tests.verdict.cases import LEARNED, known
from tests.verdicts import reached, too_few


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
    few = reached(CANNOT_TELL, 1, (), (too_few(n),))
    asked = replace(made, verdict=reached(CAVEATS, 5, (), (), {name: few}))
    (sentence,) = more_of_classes(asked)
    least = default_thresholds().least
    assert re.findall(r"\d+", sentence.replace("\xa0", " "))[1:] == [
        str(len(made.texts)),
        str(least),
    ]
    assert f"'{name}'" in sentence
    assert list(more_of_classes(made)) == []


def test_texts_of_a_rare_class_are_counted_at_its_share_of_all_planned_texts() -> None:
    """The first look holds more of a rare class than texts usually do."""
    made = audit()
    counts = Counter(one.predicted for one in made.texts)
    name, n = counts.most_common()[-1]
    few = reached(CANNOT_TELL, 1, (), (too_few(n),))
    share = ClassShare(known(0.05), known(0.05))
    learned = replace(LEARNED, classes={name: share})
    planned = {"planned": 400, "texts": len(made.texts), "stopped": "settled"}
    asked = replace(
        made,
        verdict=reached(CAVEATS, 5, (), (), {name: few}),
        learned=learned,
        spec={**made.spec, "sequential": planned},
    )
    (sentence,) = more_of_classes(asked)
    least = default_thresholds().least
    numbers = [int(one) for one in re.findall(r"\d+", sentence.replace(",", ""))]
    assert numbers == [least * 20, 400, least]
    enough = {**asked.spec, "sequential": {**planned, "planned": least * 20}}
    assert list(more_of_classes(replace(asked, spec=enough))) == []
    # The audit says how many texts may settle its verdict, and this is no second number.
    for about, first in (({}, 1742), ({"independent": least - 1}, least * 20)):
        spec = {**asked.spec, "sequential": {**planned, "needed_texts": 1742, **about}}
        (sentence,) = more_of_classes(replace(asked, spec=spec))
        assert approximate_count(first) in sentence


def test_a_caption_says_once_for_which_texts_its_caveats_are() -> None:
    caveats = [("all", "a"), ("all", "b"), ("of 'x: y'", "d: e"), ("", "d: f"), ("all", "g")]
    assert [*_said_once(caveats)] == ["All: a.", "B.", "Of 'x: y': d: e.", "D: f.", "All: g."]


def test_a_label_with_a_colon_stays_whole_in_a_caption() -> None:
    labels = ("topic: sport", "topic: art")
    each = {
        label: reached(CAVEATS, 5, (), (Reason(f"it is of {label}", "SL-101", "failed"),))
        for label in labels
    }
    verdict = reached(CAVEATS, 5, (), (), {**each, "b": reached(CAN, 4)})
    said = " ".join(caption(replace(audit(), verdict=verdict)))
    assert [said.count(f"'{label}': it is of {label} (") for label in labels] == [1, 1]
    why = (Reason("read: once", "SL-101", "failed"), Reason("read: twice", "SL-104", "failed"))
    of_all = " ".join(caption(replace(audit(), verdict=reached(CAVEATS, 5, (), why))))
    assert [of_all.count(f"Read: {words} (") for words in ("once", "twice")] == [1, 1]


def test_a_ban_of_all_texts_has_a_reason_about_all_texts() -> None:
    made = audit()
    first, second = ("SL-303", "of all texts"), ("SL-101", "of one class alone")
    reason, own = (Reason(words, code, "failed") for code, words in (first, second))
    open_ = reached(CANNOT_TELL, 6, (), (own,))
    banned = replace(made, verdict=reached(MUST_NOT, 2, (), (reason,), {"a": open_, "b": open_}))
    said = caption(banned)
    assert any(second[1] in one for one in reasons(banned))
    assert any(first[1] in one for one in said)
    assert not any(second[1] in one for one in said)


def test_the_caveats_under_a_map_of_one_class_are_of_this_class() -> None:
    """What is open of all texts together may be known of a class."""
    made = audit()
    first, second, *silent = (one.code for one in [one for one in made.findings if one.bears][:4])
    lacking = [Reason("", code, "not run", "needs decode") for code in silent]
    of_all = (Reason("of all alone", first, "inconclusive", ""), *lacking)
    of_class = (
        Reason("of the class", second, "failed", ""),
        *(replace(one, behind="") for one in lacking),  # a class has no reason of its own
    )
    whole = reached(CAVEATS, 5, (), of_all)
    each = {"a": reached(CAVEATS, 5, (), of_class), "b": reached(CANNOT_TELL, 6)}
    said = " ".join(caption(replace(made, verdict=replace(whole, by_class=each))))
    assert "of all alone" not in said
    assert "Of the class (" in said
    names = join_words(AUDIT_TESTS[code].name for code in silent)
    assert f"Not tested: {names}." in said, "what a test needs is no matter of the map's readers"
    assert "weights that can be replaced" not in said


def test_the_caveats_under_a_map_of_all_texts_name_what_was_not_tested() -> None:
    made = audit()
    findings = tuple(
        replace(one, result="not run") if at == 1 else one for at, one in enumerate(made.findings)
    )
    code = findings[1].code
    lacking = reached(CAVEATS, 5, (), (Reason("not tested whether", code, "not run", "needs x"),))
    said = " ".join(caption(replace(made, findings=findings, verdict=lacking)))
    assert f"Not tested: {AUDIT_TESTS[code].name}." in said
    assert "needs x" not in said


def test_a_caption_says_that_time_ended_the_audit() -> None:
    """Its tests are not inconclusive: they did not run."""
    made = replace(audit(), verdict=reached(CANNOT_TELL, 6))
    cut_short = {"unfinished": True, "stopped": "budget"}
    ended = replace(made, spec={**made.spec, "sequential": cut_short})
    assert any(BUDGET_SPENT in one for one in caption(ended))
    assert not any(BUDGET_SPENT in one for one in caption(made))
    assert any(BUDGET_SPENT in one for one in more_of_classes(ended))
    assert reasons(ended)[0].lower().startswith(BUDGET_SPENT)
    assert conclusions(ended) != conclusions(made)


def test_a_caption_says_on_how_many_of_the_texts_its_map_is_right() -> None:
    made = audit()
    share = Estimate(0.72, 0.66, 0.78, 200, "")
    own_share = {"a": replace(share, value=0.61)}
    finding = replace(made.findings[1], code=SHARE_OF_TEXTS, score=share, by_class=own_share)
    findings = (*made.findings, finding)
    of_all = replace(made, findings=findings, verdict=reached(CAN, 8))
    (said,) = (one for one in caption(of_all) if percent(share) in one)
    of_class = {"a": reached(CAN, 8), "b": reached(CANNOT_TELL, 6)}
    (own,) = (
        one
        for one in caption(replace(of_all, verdict=replace(of_all.verdict, by_class=of_class)))
        if percent(own_share["a"]) in one
    )
    assert said.partition(":")[0] == own.partition(":")[0]
    hidden = replace(of_all, verdict=reached(MUST_NOT, 2, (), ("it leads astray",)))
    assert percent(share) not in " ".join(caption(hidden))


def test_a_caption_of_a_class_counts_the_texts_that_are_predicted_as_it() -> None:
    made = audit()
    counts = Counter(one.predicted for one in made.texts)
    first, second = counts
    each = {first: reached(CAN, 4), second: reached(CANNOT_TELL, 6)}
    verdict = replace(reached(CAN, 4), by_class=each)
    (said,) = (one for one in caption(replace(made, verdict=verdict)) if "Tested on" in one)
    assert [int(n) for n in re.findall(r"\d+", said)[:2]] == [counts[first], len(made.texts)]
    (of_all,) = (
        one
        for one in caption(replace(made, verdict=replace(verdict, by_class={})))
        if "Tested on" in one
    )
    assert int(re.findall(r"\d+", of_all)[0]) == len(made.texts)


@pytest.mark.parametrize("level", [MUST_NOT, CANNOT_TELL, BY_ABSENCE])
def test_what_a_developer_must_not_do_is_not_in_the_block_to_paste(level: Level) -> None:
    made = audit()
    own = reached(level, 2, (), ("it leads astray",))
    verdict = replace(reached(CAN, 4), by_class={"a": reached(CAN, 4), "b": own})
    mixed = replace(made, verdict=verdict)
    assert not any("Do not display" in one or "'b'" in one for one in caption(mixed))
    assert [one.level for one in conclusions(mixed) if "'b'" in one.text] == [level]


@pytest.mark.parametrize("level", [CANNOT_TELL, MUST_NOT])
def test_a_map_that_must_not_be_shown_is_not_only_waiting_for_more_texts(level: str) -> None:
    made = audit()
    few = reached(CANNOT_TELL, 1, (), (too_few(20),))
    whole = reached(level, 2, (), ("it leads astray",), {"a": few, "b": few})
    sentences = caption(replace(made, verdict=whole))
    assert any("yet: " in one for one in sentences) == (level == CANNOT_TELL)
    assert sentences[0].startswith("Do not display")


def test_another_map_stands_in_only_where_attention_must_not_be_shown() -> None:
    made = compared()
    row = next(one for one in made.maps if one.chosen and not one.signed)
    maps = tuple(replace(one, against=("a",)) if one is row else one for one in made.maps)
    forbidden = reached(MUST_NOT, 2, (), ("it leads astray",))
    verdict = reached(CANNOT_TELL, 6, (), (), {"a": forbidden, "b": reached(CANNOT_TELL, 6)})
    said = caption(replace(made, maps=maps, verdict=verdict))
    assert NO_OTHER in said
    assert NO_OTHER not in caption(replace(made, verdict=verdict))
