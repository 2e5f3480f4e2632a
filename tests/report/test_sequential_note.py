"""How an audit ended that may stop early, in a sentence: when it was settled, or what is open."""

import re
from dataclasses import replace

import pytest

from sightline.core.results import CAN, CANNOT_TELL, Estimate
from sightline.report.advice import more_texts
from sightline.report.data_notes import noted
from sightline.report.html.audit_page import render
from sightline.report.sequential_note import (
    ABSENCE,
    is_sequential,
    look_line,
    settled_after,
    why_wider,
)
from sightline.verdict.settled import LookState, Settled
from tests.report.audits import LEARNED, audit

SETTLED = {"settled": True, "stopped": "settled", "texts": 96, "planned": 800, "seconds": 41.2}
OPEN = SETTLED | {
    "settled": False,
    "stopped": "budget",
    "open": ["SL-303", "SL-301", "SL-304", "SL-101"],
    "open_of_all": ["SL-303", "SL-301", "SL-304", "SL-101"],
    "open_of_class": {"beta": ["SL-303", "SL-301", "SL-304", "SL-101"]},
    "open_whole": True,
    "open_classes": ["beta"],
    "needed_texts": 400,
    "needed_seconds": 180.0,
}


def ended(about: dict | None):
    found = audit()
    return found if about is None else replace(found, spec={**found.spec, "sequential": about})


def test_a_full_audit_says_nothing() -> None:
    assert settled_after(ended(None)) == []
    assert not is_sequential(ended(None))


def test_a_settled_verdict_says_after_how_much() -> None:
    found = ended(SETTLED)
    assert is_sequential(found)
    (said,) = settled_after(found)
    assert "96 of 800\N{NO-BREAK SPACE}texts; 41 s" in said
    assert said in noted(found)


def test_a_verdict_that_could_not_be_told_of_any_text_is_not_called_settled() -> None:
    about = SETTLED | {"texts": 45, "planned": 45}
    for level, settled in ((CANNOT_TELL, False), (CAN, True)):
        verdict = replace(audit().verdict, level=level, by_class={})
        (said,) = settled_after(replace(ended(about), verdict=verdict))
        assert ("settled" in said) == settled
        assert said.endswith("texts; 41 s." if settled else "texts were measured; 41 s.")
        assert str(about["planned"]) in said


def test_an_open_verdict_says_what_it_would_take() -> None:
    (said,) = settled_after(ended(OPEN))
    for part in (
        "budget",
        "Transfer (SL-303)",
        "1 more",
        "beta",
        "400\N{NO-BREAK SPACE}texts",
        "3 min",
    ):
        assert part in said
    (with_caveats,) = settled_after(ended(OPEN | {"needed_for_caveats": 2665}))
    assert with_caveats.index("400") < with_caveats.index("caveats") < with_caveats.index("2,700")
    assert "caveats" not in said
    (untimed,) = settled_after(ended(OPEN | {"needed_seconds": None}))
    assert "400" in untimed
    assert "min" not in untimed
    (without,) = settled_after(ended(OPEN | {"needed_texts": None, "needed_seconds": None}))
    assert "threshold" in without


def test_a_model_that_may_be_guessing_is_not_said_to_need_more_texts() -> None:
    guesses = replace(LEARNED, above=Estimate(0.0, -0.1, 0.1, 100, ""))
    (said,) = settled_after(replace(ended(OPEN), learned=guesses))
    assert "400" not in said
    assert "Transfer (SL-303)" in said


@pytest.mark.parametrize(
    ("stopped", "needed", "flags"),
    [
        ("budget", 400, {"--budget"}),
        ("budget", 1742, {"--budget", "--max-texts 1800"}),
        ("texts", 1742, {"--max-texts 1800"}),
        ("texts", 2000, {"--max-texts 2000"}),  # all there are
        ("texts", 2301, set()),  # more than there are
    ],
)
def test_it_names_the_flags_that_take_the_texts_that_are_missing(stopped, needed, flags) -> None:
    found = ended(OPEN | {"stopped": stopped, "needed_texts": needed})
    of_many = found.cards["data"] | {"sample": {"of": 2000, "seed": 0}}
    (said,) = settled_after(replace(found, cards={**found.cards, "data": of_many}))
    assert {*re.findall(r"--(?:budget|max-texts \d+)", said)} == flags
    assert ("2,000 to test on" in said) == (needed > 2000)


def test_open_tests_are_named_with_the_texts_of_which_they_are_open() -> None:
    by_scope = {"open_of_all": ["SL-303"], "open_of_class": {"beta": ["SL-301"]}}
    (said,) = settled_after(ended(OPEN | by_scope))
    assert "all texts together: Transfer (SL-303); for texts predicted 'beta': Removal" in said
    same = by_scope | {"open_of_class": {"beta": ["SL-303"]}}
    (together,) = settled_after(ended(OPEN | same))
    assert "all texts together and texts predicted 'beta': Transfer (SL-303)." in together
    (alone,) = settled_after(ended(OPEN | by_scope | {"open_whole": False}))
    assert "all texts together" not in alone
    (waiting,) = settled_after(ended(OPEN | by_scope | {"open_of_all": []}))
    assert "all texts together" not in waiting
    assert ABSENCE not in waiting


def test_a_class_of_which_only_absence_is_open_has_words() -> None:
    # Every test of the class is settled, and whether it is predicted by absence is not.
    by_scope = {"open_of_all": ["SL-303"], "open_of_class": {"alpha": [], "beta": []}}
    (said,) = settled_after(ended(OPEN | by_scope))
    assert ABSENCE in said
    classes = dict.fromkeys(audit().verdict.by_class, False)
    settled = Settled(False, classes, {"beta": ()})
    state = LookState(1, 4, 114, 800, 12.0, audit().verdict, settled)
    assert ABSENCE in look_line(state)
    waiting = replace(state, settled=Settled(False, classes, {"": (), "beta": ("SL-301",)}))
    assert ABSENCE not in look_line(waiting)


@pytest.mark.parametrize(("independent", "few"), [(6, True), (60, False)])
def test_texts_of_few_groups_are_not_told_to_be_more(independent: int, few: bool) -> None:
    (said,) = settled_after(ended(OPEN | {"independent": independent}))
    assert ("count as 6" in said) == few
    assert ("400" in said) == (not few)


@pytest.mark.parametrize(("level", "wider"), [(None, False), (0.95, False), (0.975, True)])
def test_the_page_says_why_intervals_are_wider_than_usual(level: float | None, wider: bool) -> None:
    found = ended(None if level is None else SETTLED | {"level": level, "looks": []})
    assert bool(why_wider(found)) == wider
    assert ("several looks" in render(found)) == wider


def test_it_names_one_number_of_texts() -> None:
    found = ended(OPEN | {"stopped": "texts"})
    asking = replace(found, findings=tuple(replace(one, needed=1234) for one in found.findings))
    assert list(more_texts(replace(asking, spec=audit().spec))) != []
    assert list(more_texts(asking)) == []


def test_a_look_says_what_is_sequential() -> None:
    verdict = audit().verdict
    classes = dict.fromkeys(verdict.by_class, False)
    state = LookState(1, 4, 114, 800, 12.0, verdict, Settled(False, classes, {"": ("SL-303",)}))
    assert "114 of 800\N{NO-BREAK SPACE}texts" in look_line(state)
    assert "open for all texts together: Transfer (SL-303)" in look_line(state)
    of_class = replace(state, settled=Settled(False, classes, {"": (), "beta": ("SL-303",)}))
    assert "open for texts predicted 'beta': Transfer (SL-303)" in look_line(of_class)
    whole = replace(state, settled=Settled(True, classes, {"beta": ("SL-303",)}))
    assert verdict.level in look_line(whole) or not classes
    assert look_line(replace(state, settled=Settled(True, {}))).endswith("settled")
