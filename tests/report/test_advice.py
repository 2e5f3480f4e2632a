"""What to do now follows from what was found: which map for whom, how many texts, and what to
change.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sightline.audits.audit_result import Audit
from sightline.core.needs import UNASKED
from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Reason, Verdict
from sightline.report import comparison_sentences
from sightline.report.advice import (
    AFTER_GUESSING,
    GUESSING,
    NOT_YET,
    TITLE,
    UNBALANCED,
    WORSE,
    first_of_all,
    one_training,
    recommended,
    shown_maps_advice,
)
from sightline.report.alternative_maps import families
from sightline.report.caption import caption
from sightline.report.card import card
from sightline.report.first_screen import ADD, NEVER, WHY, blocks, forbidden, limits, not_run
from sightline.report.first_screen import CAVEATS as CAVEATS_BLOCK
from sightline.report.first_screen import MAPS as MAPS_BLOCK
from sightline.report.html.audit_page import in_notebook, render
from sightline.report.html.explanation_view import notes
from sightline.report.sentences import opened
from sightline.report.text.audit_summary import lines
from sightline.verdict.comparison.comparison_result import Side
from sightline.verdict.verdict_table import NO_BETTER, UNFIT
from tests.report.audits import (
    ABSENT,
    LEARNED,
    MAPS,
    audit,
    by_class,
    compared,
    detector,
    estimate,
    map_row,
)
from tests.report.test_reading import reading
from tests.snapshots import same_text
from tests.verdicts import reached, too_few


def said(case: list[str]) -> list[str]:
    return [one.replace("\xa0", " ") for one in case]


def advice(audited: Audit) -> list[str]:
    """Which map may be shown, and what the audit leaves open."""
    return [*shown_maps_advice(audited), *limits(audited)]


@pytest.mark.parametrize(("text", "row"), [(CAN, 4), (CAVEATS, 5), (MUST_NOT, 3), (CANNOT_TELL, 6)])
def test_which_map_may_be_shown_follows_the_verdict(text: str, row: int) -> None:
    result = said(shown_maps_advice(compared(reached(text, row, (), ()))))
    same_text("report", result)
    assert len(result) == 2  # no signed map is known to transfer the prediction


def test_where_classes_differ_it_is_said_for_which_texts() -> None:
    same_text("report", said(shown_maps_advice(compared(by_class())))[:2])


def test_where_no_class_is_known_nothing_is_shown_for_all() -> None:
    """A map is shown for a text, and every text has a class."""
    open_ = reached(CANNOT_TELL, 1, (), ("too few texts",))
    result = said(
        shown_maps_advice(compared(reached(CAVEATS, 5, (), (), {"a": open_, "b": open_})))
    )
    same_text("report", result[0])
    assert not any("all texts" in one for one in result)


NONE_FOR_HAM = (
    "Show no map for texts predicted 'ham': no highlighted word can explain that prediction."
)


def test_for_a_class_that_is_decided_by_absence_no_map_is_advised_once_and_no_more_texts() -> None:
    result = said(advice(detector()))
    assert result[:3] == [
        "Show the attention map for texts predicted 'spam'.",
        NONE_FOR_HAM,
        (
            "Or show the weight × logit map, but not for texts predicted 'ham', for which it was "
            "not shown to work."
        ),
    ]
    assert sum("'ham'" in one for one in result) == 2
    assert not any(one.startswith("Audit") for one in result)


def test_a_map_that_is_not_shown_to_fail_is_not_offered_for_a_class_by_absence_either() -> None:
    result = said(shown_maps_advice(replace(detector(), maps=MAPS)))
    same_text("report", result[2])


def test_where_every_class_is_decided_by_absence_no_map_is_offered() -> None:
    whole = reached(CAVEATS, 5, (), (), {"ham": ABSENT, "eggs": ABSENT})
    same_text("report", said(shown_maps_advice(replace(detector(), verdict=whole))))


def test_what_must_not_be_shown_of_all_texts_is_not_left_open_for_a_class() -> None:
    classes = {"a": reached(CAN, 4, (), ()), "b": reached(CANNOT_TELL, 6, (), ())}
    same_text(
        "report", said(shown_maps_advice(compared(reached(MUST_NOT, 2, (), (), classes))))[:2]
    )


def test_a_map_that_fails_a_class_is_offered_without_it() -> None:
    must_not = compared(reached(MUST_NOT, 3, (), ()))
    failing = tuple(
        replace(row, against=("neg", "x")) if row.chosen else row for row in must_not.maps
    )
    result = said(shown_maps_advice(replace(must_not, maps=failing)))
    same_text("report", result[1])


@pytest.mark.parametrize(("against", "first"), [(("b",), "Or"), ((), "Show")])
def test_a_map_that_works_only_where_attention_does_is_an_alternative(
    against: tuple[str, ...], first: str
) -> None:
    classes = {"a": reached(CAN, 4, (), ()), "b": reached(MUST_NOT, 2, (), ())}
    audited = compared(reached(CAVEATS, 5, (), (), classes))
    maps = tuple(replace(row, against=against) if row.chosen else row for row in audited.maps)
    assert said(shown_maps_advice(replace(audited, maps=maps)))[2].split()[0] == first


def test_a_map_that_must_not_be_shown_is_not_offered_again() -> None:
    bad = replace(compared(), maps=(map_row("attention", "passed", 0.9, chosen=True), MAPS[1]))
    same_text("report", said(shown_maps_advice(bad))[1])
    none = replace(compared(), maps=(map_row("gradient", "failed", 0.1, chosen=True), *MAPS[-2:]))
    same_text("report", said(shown_maps_advice(none))[1])
    signed = replace(compared(), maps=(replace(MAPS[-2], answer="passed"),))
    same_text("report", said(shown_maps_advice(signed))[1])


def test_the_texts_that_would_settle_every_open_test_are_said_once() -> None:
    first, second, *others = audit().findings
    lacking = (replace(first, needed=1234), replace(second, needed=400), *others)
    enough = replace(audit(), findings=lacking, cards={"data": {"sample": {"n": 872, "of": 9000}}})
    [message] = [one for one in said(advice(enough)) if one.startswith("Audit more texts")]
    same_text("report", message)
    assert "(now 24). About so many settle a test: 400 for " in message
    assert " and 1,300 for " in message
    short = replace(audit(), findings=lacking)
    [message] = [one for one in said(advice(short)) if one.startswith("Audit more texts")]
    assert message.endswith("; the data have 24 to test on.")


def test_classes_with_too_few_texts_are_the_reason_and_caveats_of_a_map_for_none_are_left_out() -> (
    None
):
    few = reached(
        CANNOT_TELL,
        1,
        (),
        (Reason("too few texts for a verdict, which rests on at least 50", behind="SL-303 …"),),
    )
    each = {"odd": few, "even": few}
    case = compared(replace(reached(CAVEATS, 5, (), (NO_BETTER,)), by_class=each))
    named = {block.name: block.sentences for block in blocks(case)}
    assert named[WHY] == (
        (
            "For texts predicted 'odd' and 'even': too few texts for a verdict, which rests on at "
            "least 50."
        ),
    )
    assert CAVEATS_BLOCK not in named
    assert any("yet: there are too few of them." in one for one in caption(case))
    open_ = {"odd": reached(CANNOT_TELL, 6, (), ()), "even": few}
    some = compared(replace(reached(CAVEATS, 5, (), ()), by_class=open_))
    assert "'odd'" not in " ".join({block.name: block.sentences for block in blocks(some)}[WHY])


def test_classes_with_too_few_texts_are_one_sentence_however_many_they_are() -> None:
    each = {f"c{n}": reached(CANNOT_TELL, 1, (), (too_few(n),)) for n in range(3, 52)}
    case = compared(replace(reached(CAVEATS, 5, (), ()), by_class=each))
    (why,) = {block.name: block.sentences for block in blocks(case)}[WHY]
    assert why.endswith("for a verdict, which rests on at least 50 (3 to 51).")
    assert "'c8' and 43 more classes" in why
    assert "'c9'" not in why
    (conclusion,) = {block.name: block.sentences for block in blocks(case)}["VERDICT"]
    assert "'c8' and 43 more classes" in conclusion
    assert "'c9'" not in " ".join(caption(case))


def test_classes_of_which_a_map_may_or_must_not_be_shown_are_all_named() -> None:
    for level, row in ((CAN, 4), (MUST_NOT, 2)):
        each = {f"c{n}": reached(level, row, (), ()) for n in range(10, 30)}
        case = compared(replace(reached(CANNOT_TELL, 6, (), ()), by_class=each))
        assert "'c29'" in " ".join(caption(case))


def test_what_to_change_follows_what_was_learned() -> None:
    poor = replace(LEARNED, converged=False)
    message = " ".join(advice(replace(compared(), learned=poor)))
    for words in ("--epochs allows more", "--max-tokens allows longer"):
        assert words in message
        assert words not in " ".join(advice(replace(compared(), learned=replace(LEARNED, cut=0))))


GUESSES = replace(LEARNED, above=estimate(0.0), converged=False)


@pytest.mark.parametrize(
    ("audited", "message"),
    [
        (replace(compared(), learned=GUESSES), f"{GUESSING} {AFTER_GUESSING}"),
        (
            replace(compared(), learned=replace(LEARNED, above=estimate(-0.3))),
            f"{WORSE} {AFTER_GUESSING}",
        ),
        (
            replace(compared(), learned=replace(GUESSES, above_chance=estimate(0.2))),
            f"{GUESSING} {UNBALANCED}",
        ),
        (
            compared(reached(CANNOT_TELL, 1, (), ("20 test texts: audit more texts",))),
            "20 test texts: audit more texts.",
        ),
        (
            compared(reached(CANNOT_TELL, 1, (), (too_few(3),))),
            f"Audit more texts: {too_few(3).words}.",
        ),
        (
            compared(reached(CANNOT_TELL, 1, (), ("SL-303 not run: not tested whether (no)",) * 2)),
            "No verdict is possible: none of the tests that decide could be run.",
        ),
    ],
)
def test_a_model_that_guesses_and_an_audit_without_a_verdict_get_one_line(
    audited: Audit, message: str
) -> None:
    assert shown_maps_advice(audited) == [message]
    named = {block.name: block.sentences for block in blocks(audited)}
    assert named[WHY] == (message, *forbidden(audited))
    assert MAPS_BLOCK not in named
    listed = card(audited).lists
    lines = [one for sentences in listed.values() for one in sentences]
    assert lines.count(message) == 1
    assert not any("its words score" in one for one in listed.get("Which map may be shown", ()))


@pytest.mark.parametrize(
    ("data", "more"),
    [
        ({"columns": {"text": "note", "group": None}}, "audit texts that differ more:"),
        ({"columns": {"text": "note", "group": "patient"}}, "audit texts of more groups:"),
        ({"splits": {"test": {"groups": {"n": 9, "without": 0}}}}, "audit texts of more groups:"),
    ],
)
def test_texts_of_more_groups_are_asked_for_only_where_data_have_groups(
    data: Mapping[str, object], more: str
) -> None:
    """Near copies and copies count as one in any data."""
    few = reached(CANNOT_TELL, UNFIT, (), (too_few(9, clustered=True),))
    assert first_of_all(replace(compared(few), cards={"data": data})).lower().startswith(more)


def test_why_a_map_must_not_be_shown_is_said_of_a_model_that_guesses_too() -> None:
    fine, bad = (
        reached(CANNOT_TELL, 6),
        reached(MUST_NOT, 2, (), ("SL-301 failed: it leads astray (score 0.01)",)),
    )
    open_ = reached(CANNOT_TELL, 6, (), ("it is open",), {"a": bad, "b": fine})
    for verdict, said_of in (
        (open_, "'a'"),
        (reached(MUST_NOT, 2, (), ("SL-301 failed: it leads astray (score 0.01)",)), ""),
    ):
        guesses = replace(compared(verdict), learned=GUESSES)
        named = {block.name: block.sentences for block in blocks(guesses)}
        first, *others = named[WHY]
        assert first == first_of_all(guesses)
        (why,) = others
        assert "it leads astray" in why.lower()
        assert said_of in why


def test_one_training_is_said_to_be_one() -> None:
    same_text("report", one_training(audit()))
    assert one_training(audit()) in limits(audit())
    assert "--seeds 3" in one_training(replace(audit(), spec={"run": {}}))


def unrun(verdict: Verdict, *codes: str, offers: tuple[str, ...]) -> dict[str, str]:
    """Give what is said of tests that were not run, by their title."""
    made = audit()
    (row,) = [one for one in made.findings if one.result == "not run" and one.bears]
    left = tuple(
        replace(row, code=code, name=code, compared="", notes=(UNASKED,)) for code in codes
    )
    card = {**made.cards["model"], "offers": list(offers)}
    said = replace(made, findings=left, verdict=verdict, cards={**made.cards, "model": card})
    return {
        title: remedy
        for line in not_run(said)
        for titles, _, remedy in [line.partition(": ")]
        for title in titles.split(", ")
    }


def test_what_no_hugging_face_model_can_do_is_no_matter_of_a_setting() -> None:
    can = reached(CAN, 4)
    of_transformer = unrun(can, "SL-401", "SL-402", offers=("decode", "layers"))
    assert all(one.startswith(NEVER) for one in of_transformer.values())
    assert len({*of_transformer.values()}) == 2
    names = ("(states)", "(token_logits)")  # a user cannot ask for what an adapter offers
    assert not [name for name in names if name in " ".join(of_transformer.values())]
    (asked,) = unrun(can, "SL-401", offers=("decode", "states")).values()
    assert asked == f"{ADD} information"


def test_what_cannot_change_a_verdict_is_not_advised() -> None:
    forbidden, offers = reached(MUST_NOT, 2, (), ("it leads astray",)), ("decode", "states")
    (asked,) = unrun(forbidden, "SL-401", offers=offers).values()
    assert asked.startswith(f"{ADD} information (")
    one_class = replace(forbidden, by_class={"a": forbidden, "b": reached(CANNOT_TELL, 6)})
    (open_,) = unrun(replace(one_class, level=CANNOT_TELL), "SL-401", offers=offers).values()
    assert open_ == f"{ADD} information"
    (first, *_) = [one for one in audit().findings if one.result == "inconclusive"]
    settled = replace(first, needed=1200)
    for verdict, told in ((forbidden, False), (reached(CANNOT_TELL, 6), True)):
        page = render(replace(audit(), findings=(settled,), verdict=verdict))
        assert (f"<dt>{TITLE}</dt>" in page) == told


def test_no_map_is_recommended_of_a_model_that_guesses() -> None:
    """Neither of one text, nor in a comparison, in a notebook, on the page, and as a value."""
    fine = compared(reached(CAVEATS, 5, (), (NO_BETTER,)))
    guesses = replace(fine, learned=GUESSES)
    assert (recommended(fine), recommended(guesses)) == (("contribution",), ())
    levels = (fine.for_text("negative"), guesses.for_text("negative"))
    assert levels == (CAVEATS, CANNOT_TELL)
    forbidden = replace(guesses, verdict=reached(MUST_NOT, 2))
    assert forbidden.for_text("negative") == MUST_NOT
    message, named = first_of_all(guesses), [one.title for one in families(guesses.maps)]
    for audited in (fine, guesses):
        blocked = audited is guesses
        side = Side("A", audited)
        assert (comparison_sentences.maps(side) == [message]) is blocked
        read = [*notes(reading(audit=audited))]
        assert (NOT_YET in read) is (message in read) is blocked
        page = render(audited)
        shown = page.partition('id="maps-compared"')[2].partition("<table")[0]
        assert (message in shown) is blocked
        assert ('class="mark">recommended' in page) is not blocked
        for text in (*read, in_notebook(audited), shown, *lines(audited, verbose=True)):
            told = [
                title for title in named if f"{title}: " in text or f"{opened(title)}: " in text
            ]
            assert not (blocked and told)
