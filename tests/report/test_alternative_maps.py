"""Which map may be shown is said for each kind of map, and a map that was only the best of bad ones
is none.
"""

import math
from dataclasses import replace

import pytest
from markupsafe import escape

from sightline.core.results import CAVEATS, MUST_NOT, Answer, Estimate, Verdict
from sightline.report.advice import drawn_of_any_text, look_command, shown_maps_advice
from sightline.report.alternative_maps import (
    NONE_BETTER,
    at_odds,
    comparison_method,
    families,
)
from sightline.report.card import card
from sightline.report.comparison_sentences import maps as compared_maps
from sightline.report.first_screen import maps
from sightline.report.html.audit_page import render
from sightline.report.html.table_rows import map_lines
from sightline.report.map_names import MAPS as KNOWN
from sightline.report.map_names import map_title
from sightline.report.sentences import of_classes
from sightline.verdict.comparison.comparison_result import Side
from tests.report.audits import (
    ASTRAY,
    MAPS,
    audit,
    by_absence,
    by_class,
    compared,
    estimate,
    map_row,
)
from tests.snapshots import same_text


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def test_maps_of_a_kind_stand_together_unsigned_ones_first() -> None:
    assert [[row.name for row in family.rows] for family in families(MAPS[::-1])] == [
        ["given", "contribution", "deletion", "gradient", "attention"],
        ["signed_deletion", "signed_gradient"],
    ]
    assert families(()) == []
    assert [family.signed for family in families(MAPS[-2:])] == [True]


def test_the_chosen_map_is_named_with_what_its_words_carry_and_those_of_attention() -> None:
    family = families(MAPS)[0]
    assert (family.answer, family.best) == ("weight × logit", "")
    message = (
        "Copied into another text, its words score 0.55 (95 % CI 0.51–0.59, n = 436), those of "
        "attention 0.01 (95 % CI −0.03 to 0.05, n = 436), from random words (0) to all words (1)."
    )
    assert plain(family.compared_with_attention) == message
    measured = (
        "Scores of its words: carried into another text 0.55 (95 % CI 0.51–0.59, n = 436); lost "
        "when deleted 0.44 (95 % CI 0.40–0.48, n = 436); lost when replaced 0.39 (95 % CI 0.35–0.43, "
        "n = 436)."
    )
    assert plain(family.measured) == measured


def test_a_map_that_was_put_first_and_carries_too_little_is_none() -> None:
    family = families(MAPS)[1]
    same_text("report", (family.answer, family.best))
    assert "its words score 0.0" in plain(family.compared_with_attention)
    (open_,) = families((map_row("gradient", "inconclusive", 0.1, chosen=True),))
    same_text("report", open_.answer)


def test_attention_itself_may_be_the_map() -> None:
    (family,) = families((map_row("attention", "passed", 0.9, chosen=True), MAPS[1]))
    assert family.answer == "attention"
    assert "those of attention" not in family.compared_with_attention


def test_nothing_was_chosen_where_only_attention_was_measured() -> None:
    alone = (map_row("attention", "inconclusive", 0.34, chosen=True),)
    (family,) = families(alone)
    assert [line.chosen for line in map_lines(family)] == [False]
    for text in (family.compared_with_attention, family.measured):
        assert "its words" not in text.lower()
        assert "0.34" in text
    assert "one half" in family.compared_with_attention
    page = render(replace(compared(), maps=alone))
    assert "was chosen on one half" not in page
    assert "(chosen)" not in page
    assert "was chosen on one half" in comparison_method(compared())


UNMEASURED = "not measured on these texts"
MAY = "Which map may be shown"


def test_where_nothing_was_chosen_or_measured_nothing_more_is_said() -> None:
    (family,) = families(MAPS[:2])
    same_text("report", family.answer)
    assert family.best == family.compared_with_attention == family.measured == ""
    (bare,) = families((replace(MAPS[3], carried=None, deleted=None, replaced=None),))
    assert (bare.answer, bare.best, bare.compared_with_attention, bare.measured) == (
        UNMEASURED,
        "",
        "",
        "",
    )


def test_a_map_of_which_nothing_is_known_carries_nothing_and_is_not_the_best() -> None:
    nothing = Estimate(math.nan, math.nan, math.nan, 0, "undefined for every text")
    (family,) = families((replace(MAPS[3], answer="not run", carried=nothing, deleted=nothing),))
    assert (family.answer, family.best, family.compared_with_attention) == (UNMEASURED, "", "")
    assert [one for one in family.measured.split("; ") if "lost when deleted" in one] == []
    said = [
        *shown_maps_advice(replace(compared(), maps=family.rows)),
        *card(replace(compared(), maps=family.rows)).lists[MAY],
    ]
    assert not any("undefined" in one or "known to pass" in one for one in said)


@pytest.mark.parametrize(
    ("value", "explained"), [(1.002, True), (0.99, True), (0.9, False)]
)  # an interval counts, too
def test_a_number_above_one_is_explained_and_none_is_where_there_is_none(
    value: float, explained: bool
) -> None:
    result = comparison_method(
        replace(compared(), maps=(replace(MAPS[3], replaced=estimate(value)),))
    )
    assert ("Numbers can exceed 1" in result) is explained


def test_answers_for_a_map_that_must_not_be_shown_are_explained() -> None:
    passes = (map_row("attention", "passed", 0.9, chosen=True),)
    for verdict in (ASTRAY, by_class()):
        message = replace(compared(verdict), maps=passes)
        same_text("report", at_odds(message))
        assert "Attention transfers the prediction over all texts" in comparison_method(message)
        assert at_odds(replace(message, findings=())) == ""
        assert "Attention transfers" not in comparison_method(compared(verdict))
    assert at_odds(audit()) == ""
    assert "Attention transfers" not in comparison_method(replace(audit(), maps=passes))


def test_every_map_has_one_name_in_a_report() -> None:
    assert (
        len({kind.name for kind in KNOWN}) == len({kind.quantity for kind in KNOWN}) == len(KNOWN)
    )
    assert (map_title("deletion"), map_title("another")) == ("leave-one-out", "another")


def test_a_line_counts_texts_once_where_all_numbers_have_the_same() -> None:
    lines = map_lines(families(MAPS)[0])
    assert [line.n for line in lines] == ["436"] * 5
    assert [line.chosen for line in lines] == [False, False, False, True, False]
    assert lines[4].cells[1:] == ("—", "—")
    (other,) = map_lines(families((replace(MAPS[0], deleted=estimate(0.1, n=12)),))[0])
    assert other.n == "436 / 12 / 436"


def test_a_map_says_for_which_classes_it_fails_and_which_no_map_explains() -> None:
    failing = (replace(MAPS[3], against=("x",)), replace(MAPS[0], against=("ham",)))
    (family,) = families(failing, by_absence())
    message = (
        f"{family.permitted}, or weight × logit, but not for texts predicted 'x', for which it was "
        "not shown to work, nor for texts predicted 'ham' by absence"
    )
    assert family.answer == message
    assert [line.notes for line in map_lines(family)] == [
        ("not for texts predicted 'x', for which it was not shown to work",),
        (("not for texts predicted 'ham', for which it was not shown to work"),),
    ]


def test_a_map_that_works_for_no_class_by_itself_is_none() -> None:
    row = replace(map_row("gradient", "passed", 0.6, chosen=True), against=("a", "b"))
    level = Verdict(MUST_NOT, 2, (), ())
    split = Verdict(CAVEATS, 4, (), (), {"a": level, "b": level})
    (family,) = families((row, MAPS[0]), split)
    assert (family.may_be_shown, family.answer.startswith("none: ")) == (False, True)
    (some,) = families((replace(row, against=("a",)), MAPS[0]), split)
    assert (some.may_be_shown, some.answer.startswith("gradient")) == (True, True)
    (unknown,) = families((row, MAPS[0]))  # without a verdict no class is known
    assert unknown.may_be_shown


def test_attention_that_must_not_be_shown_is_no_map_to_show() -> None:
    row = map_row("attention", "passed", 0.9, chosen=True)
    (forbidden,) = families((row, MAPS[1]), Verdict(MUST_NOT, 2, (), ()))
    assert forbidden.answer == NONE_BETTER
    (allowed,) = families((row, MAPS[1]), Verdict(CAVEATS, 4, (), ()))
    assert allowed.answer == "attention"


def test_the_other_map_of_a_new_text_has_a_command_where_attention_must_not_be_shown() -> None:
    made = compared()
    by_python = replace(made, spec={"model": "my model"})
    by_place = replace(made, spec={"model": "hf:my dir", "command": "sightline audit …"})
    trained = replace(made, spec={**by_place.spec, "run": {}})
    assert drawn_of_any_text(made) == ("contribution",)
    for one in (by_python, trained):
        assert look_command(one) == 'sightline look MODEL "a text" --map contribution'
    shown = "sightline look 'hf:my dir' \"a text\""
    assert look_command(by_place) == f"{shown} --map contribution"
    assert look_command(by_place, "kept") == f"{shown} --audit kept"
    of_label = replace(by_place, spec={**by_place.spec, "label": "is late"})
    assert look_command(of_label) == f"{shown} --label-name 'is late' --map contribution"
    asked = replace(by_place, texts=[replace(one, query="why ?") for one in by_place.texts])
    assert look_command(asked) == f'{shown} --query "a question" --map contribution'
    assert escape(look_command(by_place)) in render(by_place)
    permitted = compared(by_class())
    brought = tuple(replace(row, chosen=row.name == "given", answer="passed") for row in MAPS)
    for silent in (permitted, replace(by_place, maps=brought[:5])):
        assert look_command(silent) == ""
    assert "sightline look" not in render(permitted)


def test_attention_is_named_without_the_classes_for_which_the_verdict_forbids_it() -> None:
    """A test that only attention takes can forbid it, though it carries what other maps have to."""
    named = of_classes(["positive"])
    alone = (map_row("attention", "passed", 0.9, chosen=True), MAPS[1])
    lost = (MAPS[0], map_row("gradient", "failed", 0.1, chosen=True))
    others = (MAPS[0], map_row("gradient", "passed", 0.9, chosen=True))
    for rows in (alone, lost, others):
        (said,) = maps(replace(compared(by_class()), maps=rows))
        assert named in said.partition(", or ")[0]
        assert "'negative'" not in said
    (family,) = families(alone, by_class())
    assert family.may_be_shown
    assert family.against == ("negative",)
    assert family.answer == f"attention{named}"
    (absent,) = families((replace(alone[0], against=("spam", "ham")),), by_absence())
    assert absent.against == ()
    assert absent.answer == f"attention{of_classes(['spam'])}"


@pytest.mark.parametrize("result", ["inconclusive", "failed", "passed", "not run"])
@pytest.mark.parametrize("chosen", ["attention", "gradient"])
@pytest.mark.parametrize("verdict", [by_class(), by_absence(), Verdict(CAVEATS, 4, (), ())])
def test_every_surface_names_attention_where_the_verdict_permits_it(
    result: Answer, chosen: str, verdict: Verdict
) -> None:
    """The verdict looks at each class; the choice of a map, at all texts together."""
    rows = [map_row(name, result, 0.4, chosen=name == chosen) for name in ("attention", "gradient")]
    made = replace(compared(verdict), maps=tuple(rows))
    (family,) = families(made.maps, made.verdict)
    side = Side("A", made)
    for said in (maps(made)[0], card(made).lists[MAY][-1], compared_maps(side)[0]):
        assert family.permitted in said
        assert "none of the maps" not in said
    assert ("gradient" in family.answer) == (chosen == "gradient" and result == "passed")
    assert "attention" not in family.best
