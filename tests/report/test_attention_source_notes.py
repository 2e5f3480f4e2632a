"""Which reading was chosen stands in the head of every form of a report, and what was tried below
it.
"""

from dataclasses import replace

import pytest

from sightline.audits.audit_result import Audit
from sightline.core.results import ONE_WEIGHT
from sightline.report.attention_source_notes import (
    QUESTION,
    Tried,
    choice,
    heat,
    said_of_source,
    source_of,
    tried_sources,
)
from sightline.report.card import card
from sightline.report.html.audit_page import render
from sightline.report.text.audit_summary import lines
from tests.report.audits import audit
from tests.report.pages import Page


def row(reading: str, words: str, value: float, n: int = 40) -> dict:
    return {
        "reading": reading,
        "words": words,
        "value": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "n": n,
    } | {"method": "by hand"}


FOUND = {
    "chosen": "(layer=1,head=0)",
    "texts": 40,
    "learned_from": 25,
    "shares": {"(layer=1,head=0)": 1.0},
    "alike": [],
    "left_by": {},
    "tried": [
        row("(layer=0,head=0)", "layer 0, head 0", -0.2),
        row("(layer=1,head=0)", "layer 1, head 0", 0.84),
        row("(layer=1,head=1)", "layer 1, head 1", 1.2),
        row("(reading=rollout)", "rollout <b>", float("nan"), 0),
    ],
}
SAID = (
    "Of 4 attention sources (one of them learned on 25 validation texts) that were compared "
    "on 40 texts, layer 1, head 0 was chosen; its score of Removal there: 0.84 (95 % CI "
    "0.74–0.94, n = 40). All other numbers are of layer 1, head 0, on other texts, which had "
    "no part in the choice."
)
NOW = {
    "of_class": {"good": 25, "bad <b>": 15},
    "alike": ["(layer=1,head=1)"],
    "left_by": {"removal": 2, "worst_class": 2, "transfer": 2},
}


@pytest.fixture
def chosen() -> Audit:
    one = audit()
    return replace(one, spec={**one.spec, "readings": FOUND})


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def test_the_choice_is_a_sentence_with_how_many_were_tried(chosen: Audit) -> None:
    assert plain(choice(chosen)) == SAID
    assert choice(audit()) == ""
    without = {**FOUND, "shares": {}, "learned_from": 0}
    assert "validation" not in choice(replace(chosen, spec={"readings": without}))


def of_source(reading: str, of_map: str = "attention") -> Audit:
    one = audit()
    model = {**one.cards["model"], "reading": reading}
    verdict = replace(one.verdict, of_map=of_map)
    return replace(one, verdict=verdict, cards={**one.cards, "model": model})


def test_a_source_that_was_named_stands_in_the_head_of_every_form() -> None:
    one = of_source("layer 5, mean of all heads")
    said = "layer 5, mean of all heads"
    assert said in plain("\n".join(lines(one))).partition("Tests ")[0]
    assert said in plain(Page(render(one)).text()).partition("Tests ")[0]
    assert [said in plain(line) for line in card(one).lists[QUESTION]] == [True]
    for other in (of_source(ONE_WEIGHT), of_source("scores: of a file", of_map="the scores")):
        assert source_of(other) == said_of_source(other) == ""


def test_a_choice_is_said_once(chosen: Audit) -> None:
    model = {**chosen.cards["model"], "reading": "layer 1, head 0"}
    assert plain(said_of_source(replace(chosen, cards={**chosen.cards, "model": model}))) == SAID


def test_the_choice_says_which_texts_chose_and_which_sources_may_be_as_good(chosen: Audit) -> None:
    said = plain(choice(replace(chosen, spec={"readings": FOUND | NOW})))
    assert "40 texts (predicted" in said
    assert all(
        part in said
        for part in (
            "good",
            "25",
            "bad <b>",
            "15",
            "Not surely different from it: layer 1, head 1.",
        )
    )
    assert "&lt;b&gt;" in render(replace(chosen, spec={**chosen.spec, "readings": FOUND | NOW}))
    apart = {
        **FOUND,
        **NOW,
        "alike": [],
        "left_by": {"removal": 2, "worst_class": 2, "transfer": 1, "agreement": 1},
    }
    assert "Transfer (SL-303) ruled out the last of them" in plain(
        choice(replace(chosen, spec={"readings": apart}))
    )
    many = {**FOUND, **NOW, "alike": ["(layer=1,head=1)"] * 9}
    assert "and 3 more" in plain(choice(replace(chosen, spec={"readings": many})))


def test_terminal_card_and_page_say_it(chosen: Audit) -> None:
    assert SAID in " ".join(plain(line).strip() for line in lines(chosen))
    assert [plain(one) for one in card(chosen).lists[QUESTION]] == [SAID]
    html = render(chosen)
    assert not Page(html).torn
    assert "The attention sources that were tried" in html
    assert "rollout &lt;b&gt;" in html
    assert "rollout <b>" not in html
    for nothing in (render(audit()), "\n".join(lines(audit()))):
        assert "attention sources" not in nothing
        assert "readings that were tried" not in nothing


def test_the_chosen_one_stands_first_then_the_best_and_last_what_has_no_number() -> None:
    rows = tried_sources(FOUND)
    assert [one.words for one in rows] == [
        "layer 1, head 0",
        "layer 1, head 1",
        "layer 0, head 0",
        "rollout <b>",
    ]
    assert [one.chosen for one in rows] == [True, False, False, False]
    assert isinstance(rows[0], Tried)


def test_heads_lie_in_rows_of_layers_and_are_shaded_from_nothing_to_all() -> None:
    found = heat(FOUND)
    assert found is not None
    assert found.heads == 2
    assert found.rows == ((("−0.200", 0), None), (("0.840", 8), ("1.200", 10)))
    assert heat({**FOUND, "tried": FOUND["tried"][3:]}) is None


def test_sources_that_were_not_compared_are_not_called_worse(chosen: Audit) -> None:
    left_by = {"removal": 2, "worst_class": 2, "transfer": 1, "agreement": 1}
    apart = {**FOUND, **NOW, "alike": [], "left_by": left_by}
    every = plain(choice(replace(chosen, spec={"readings": apart | {"uncompared": 0}})))
    assert "All others are surely worse" in every
    some = plain(choice(replace(chosen, spec={"readings": apart | {"uncompared": 5}})))
    assert "All others are" not in some
    assert "5 were left out" in some
    near = plain(choice(replace(chosen, spec={"readings": {**FOUND, **NOW, "uncompared": 5}})))
    assert "5 were left out" in near
