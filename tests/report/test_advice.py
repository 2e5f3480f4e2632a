"""What to do now follows from what was found: which map for whom, how many texts, and what to change."""

from dataclasses import replace

import pytest

from sightline.audits import Audit
from sightline.findings.verdict import NO_BETTER
from sightline.report.advice import AFTER_GUESSING, GUESSING, advice, shown
from sightline.report.card import card
from sightline.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Verdict
from tests.report.audits import ABSENT, LEARNED, MAPS, audit, by_class, compared, detector, estimate, map_row
from tests.snapshots import same_text


def said(told: list[str]) -> list[str]:
    return [one.replace("\xa0", " ") for one in told]


@pytest.mark.parametrize(("text", "row"), [(CAN, 4), (CAVEATS, 5), (MUST_NOT, 3), (CANNOT_TELL, 6)])
def test_which_map_may_be_shown_follows_the_verdict(text: str, row: int) -> None:
    told = said(shown(compared(Verdict(text, row, (), ()))))
    same_text("report", told)
    assert len(told) == 2  # no signed map is known to carry the decision


def test_where_classes_differ_it_is_said_for_which_texts() -> None:
    same_text("report", said(shown(compared(by_class())))[:2])


def test_where_no_class_is_known_nothing_is_shown_for_all() -> None:
    """A map is shown for a text, and every text has a class."""
    open_ = Verdict(CANNOT_TELL, 1, (), ("too few texts",))
    told = said(shown(compared(Verdict(CAVEATS, 5, (), (), {"a": open_, "b": open_}))))
    same_text("report", told[0])
    assert not any("all texts" in one for one in told)


NONE_FOR_HAM = "Show no map for texts predicted 'ham': no highlighted word can explain that prediction."


def test_for_a_class_that_is_decided_by_absence_no_map_is_advised_once_and_no_more_texts() -> None:
    told = said(advice(detector()))
    assert told[:3] == [
        "Show the attention map for texts predicted 'spam'.",
        NONE_FOR_HAM,
        "Or show the weight × evidence map, but not for texts predicted 'ham', for which it was not shown to work.",
    ]
    assert sum("'ham'" in one for one in told) == 2
    assert not any(one.startswith("Audit") for one in told)


def test_a_map_that_is_not_shown_to_fail_is_not_offered_for_a_class_by_absence_either() -> None:
    told = said(shown(replace(detector(), maps=MAPS)))
    same_text("report", told[2])


def test_where_every_class_is_decided_by_absence_no_map_is_offered() -> None:
    whole = Verdict(CAVEATS, 5, (), (), {"ham": ABSENT, "eggs": ABSENT})
    same_text("report", said(shown(replace(detector(), verdict=whole))))


def test_what_must_not_be_shown_of_all_texts_is_not_left_open_for_a_class() -> None:
    classes = {"a": Verdict(CAN, 4, (), ()), "b": Verdict(CANNOT_TELL, 6, (), ())}
    same_text("report", said(shown(compared(Verdict(MUST_NOT, 2, (), (), classes))))[:2])


def test_a_map_that_fails_a_class_is_offered_without_it() -> None:
    must_not = compared(Verdict(MUST_NOT, 3, (), ()))
    failing = tuple(replace(row, against=("neg", "x")) if row.chosen else row for row in must_not.maps)
    told = said(shown(replace(must_not, maps=failing)))
    same_text("report", told[1])


@pytest.mark.parametrize(("against", "first"), [(("b",), "Or"), ((), "Show")])
def test_a_map_that_works_only_where_attention_does_is_an_alternative(against: tuple[str, ...], first: str) -> None:
    classes = {"a": Verdict(CAN, 4, (), ()), "b": Verdict(MUST_NOT, 2, (), ())}
    audited = compared(Verdict(CAVEATS, 5, (), (), classes))
    maps = tuple(replace(row, against=against) if row.chosen else row for row in audited.maps)
    assert said(shown(replace(audited, maps=maps)))[2].split()[0] == first


def test_a_map_that_must_not_be_shown_is_not_offered_again() -> None:
    bad = replace(compared(), maps=(map_row("attention", "supported", 0.9, chosen=True), MAPS[1]))
    same_text("report", said(shown(bad))[1])
    none = replace(compared(), maps=(map_row("gradient", "contradicted", 0.1, chosen=True), *MAPS[-2:]))
    same_text("report", said(shown(none))[1])
    signed = replace(compared(), maps=(replace(MAPS[-2], answer="supported"),))
    same_text("report", said(shown(signed))[1])


def test_texts_that_are_needed_are_counted_and_claims_that_need_as_many_share_a_sentence() -> None:
    first, *others = audit().findings
    lacking = (replace(first, needed=1234), *(replace(one, needed=1234) for one in others[:1]), *others[1:])
    enough = replace(audit(), findings=lacking, cards={"data": {"sample": {"n": 872, "of": 9000}}})
    [told] = [one for one in said(advice(enough)) if one.startswith("Audit about")]
    same_text("report", told)
    [told] = [one for one in said(advice(replace(audit(), findings=lacking))) if one.startswith("Audit about")]
    same_text("report", told)
    assert " to test on, so others have to be collected) to settle whether" in told


def test_a_class_with_too_few_texts_is_named() -> None:
    few = Verdict(CANNOT_TELL, 1, (), ("too few texts for a verdict, which rests on at least 50 (SL-303 …)",))
    told = said(advice(compared(replace(by_class(), by_class={**by_class().by_class, "odd": few}))))
    assert "Audit more texts that are predicted 'odd': too few texts for a verdict, which rests on at least 50." in told


def test_what_to_change_follows_what_was_learned() -> None:
    poor = replace(LEARNED, converged=False)
    told = " ".join(advice(replace(compared(), learned=poor)))
    for words in ("--epochs allows more", "--max-tokens allows longer"):
        assert words in told
        assert words not in " ".join(advice(replace(compared(), learned=replace(LEARNED, cut=0))))


GUESSES = replace(LEARNED, above=estimate(0.0), converged=False)


@pytest.mark.parametrize(
    ("audited", "told"),
    [
        (replace(compared(), learned=GUESSES), f"{GUESSING} {AFTER_GUESSING}"),
        (
            replace(compared(Verdict(CAVEATS, 5, (), (f"{NO_BETTER}, as far as these texts show",))), learned=GUESSES),
            AFTER_GUESSING,
        ),
        (
            compared(Verdict(CANNOT_TELL, 1, (), ("20 test texts: audit more texts",))),
            "20 test texts: audit more texts.",
        ),
        (
            compared(Verdict(CANNOT_TELL, 1, (), ("too few texts for a verdict (SL-303 rests on 3 texts)",))),
            "Audit more texts: too few texts for a verdict.",
        ),
        (
            compared(Verdict(CANNOT_TELL, 1, (), ("SL-303 not applicable: not tested whether (no)",) * 2)),
            "No verdict is possible: none of the tests that decide could be run.",
        ),
    ],
)
def test_a_model_that_guesses_and_an_audit_without_a_verdict_get_one_line(audited: Audit, told: str) -> None:
    assert advice(audited) == [told]
    assert shown(audited) == [told]
    listed = card(audited).lists
    lines = [one for sentences in listed.values() for one in sentences]
    assert lines.count(told) == 1
    assert not any("carry" in one for one in listed.get("Which map may be shown", ()))


def test_one_training_is_said_to_be_one() -> None:
    same_text("report", advice(audit())[-1])
    assert "--seeds 3" in advice(replace(audit(), spec={"run": {}}))[-1]
