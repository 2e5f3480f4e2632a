"""Which map may be shown is said for each kind of map, and a map that was only the best of bad ones is none."""

from dataclasses import replace

from sightline.report.instead import families
from sightline.report.page.maps import MAPS as KNOWN
from sightline.report.page.maps import called
from sightline.report.page.rows import map_lines
from tests.report.audits import MAPS, estimate, map_row


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
    assert (family.answer, family.best) == ("weight × evidence", "")
    told = "Its words carry 0.552 [0.512, 0.592], n = 436, of the decision into another text; those of attention 0.012 [−0.028, 0.052], n = 436."
    assert plain(family.beside_attention) == told
    measured = "Its words: carried into another text 0.552 [0.512, 0.592], n = 436; lost when deleted 0.442 [0.402, 0.482], n = 436; lost when replaced 0.386 [0.346, 0.426], n = 436."
    assert plain(family.measured) == measured


def test_a_map_that_was_put_first_and_carries_too_little_is_none() -> None:
    family = families(MAPS)[1]
    assert (family.answer, family.best) == ("none of the maps that were tried", "The best was signed gradient.")
    assert plain(family.beside_attention).endswith("into another text.")
    (open_,) = families((map_row("gradient", "inconclusive", 0.1, chosen=True),))
    assert open_.answer == "none of the maps that were tried, as far as these texts can tell"


def test_attention_itself_may_be_the_map() -> None:
    (family,) = families((map_row("attention", "supported", 0.9, chosen=True), MAPS[1]))
    assert family.answer == "attention"
    assert "those of attention" not in family.beside_attention


def test_where_nothing_was_chosen_or_measured_nothing_more_is_said() -> None:
    (family,) = families(MAPS[:2])
    assert family.answer == "none of the maps that were tried"
    assert family.best == family.beside_attention == family.measured == ""
    (bare,) = families((replace(MAPS[3], carried=None, deleted=None, replaced=None),))
    assert (bare.answer, bare.beside_attention, bare.measured) == ("weight × evidence", "", "")


def test_every_map_has_one_name_in_a_report() -> None:
    assert len({kind.name for kind in KNOWN}) == len({kind.quantity for kind in KNOWN}) == len(KNOWN)
    assert (called("deletion"), called("another")) == ("leave-one-out", "another")


def test_a_line_counts_texts_once_where_all_numbers_have_the_same() -> None:
    lines = map_lines(families(MAPS)[0])
    assert [line.n for line in lines] == ["436"] * 5
    assert [line.chosen for line in lines] == [False, False, False, True, False]
    assert lines[4].cells[1:] == ("—", "—")
    (other,) = map_lines(families((replace(MAPS[0], deleted=estimate(0.1, n=12)),))[0])
    assert other.n == "436 / 12 / 436"
