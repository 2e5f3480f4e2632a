"""How much is shown is said in words and numbers of the audit, where a map may be shown, and alike
on all surfaces.
"""

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from markupsafe import escape

from sightline._io.atomic_write import plain
from sightline.audits.audit_result import Audit
from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Estimate, Verdict
from sightline.report.caption import caption
from sightline.report.card import card
from sightline.report.card_text import card_html, card_markdown
from sightline.report.first_screen import conclusions, why_absent
from sightline.report.html.audit_page import in_notebook, render
from sightline.report.number_format import bracketed, percent, score
from sightline.report.text.audit_summary import lines
from sightline.report.transfer_summary import (
    AMOUNTS,
    LITTLE,
    TITLE,
    amount,
    transfer_sentences,
    transferred_share,
)
from sightline.verdict.audit_test import FLIPS
from sightline.verdict.catalogue import top_words_share
from tests.report.audits import (
    FEW_FLIPS,
    LEARNED,
    NO_EVIDENCE,
    by_absence,
    compared,
    detector,
    estimate,
    map_row,
    moved,
)
from tests.snapshots import same_text
from tests.verdicts import reached

FINE, CAREFUL = reached(CAN, 4, (), ()), reached(CAVEATS, 5, (), ())


def said(audit: Audit) -> list[str]:
    return [one.replace("\xa0", " ") for one in transfer_sentences(audit)]


def shown(
    verdict: Verdict = FINE,
    value: float = 0.93,
    alone: float = 0.92,
    **by_class: tuple[float, float],
) -> Audit:
    return replace(compared(verdict), findings=moved(value, alone, **by_class), maps=())


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.2, "nearly all"), (0.9, "nearly all"), (0.896, "nearly all"), (0.894, "most"), (0.6, "most"), (0.594, "about half"), (0.45, "about half"), (0.444, "about two fifths"), (0.366, "about two fifths"), (0.364, "about a third"), (0.29, "about a third"), (0.25, "about a quarter"), (0.19, LITTLE), (-0.1, LITTLE)],
)  # fmt: skip
def test_a_share_has_words_that_its_written_number_bears_out(share: float, words: str) -> None:
    assert amount(share) == words
    assert amount(float(score(share).replace("−", "-"))) == words
    assert [least for least, _ in AMOUNTS] == sorted((least for least, _ in AMOUNTS), reverse=True)


def test_of_all_texts_it_is_one_sentence_with_interval_and_texts() -> None:
    same_text("report", said(shown(value=0.52, alone=0.5)))


def test_where_classes_differ_it_is_said_of_those_whose_texts_may_be_shown() -> None:
    classes = {
        "a": FINE,
        "b": CAREFUL,
        "c": reached(MUST_NOT, 2, (), ()),
        "d": reached(CANNOT_TELL, 6, (), ()),
    }
    numbers = {"a": (0.95, 0.95), "b": (0.35, 0.35), "c": (0.1, 0.1), "d": (0.9, 0.9)}
    same_text("report", said(shown(reached(CAVEATS, 5, (), (), classes), **numbers)))
    alike = shown(reached(CAVEATS, 5, (), (), classes), **{**numbers, "b": (0.97, 0.97)})
    (both,) = said(alike)
    same_text("report", both)
    assert both.endswith(
        " (score 0.95, 95 % CI 0.91–0.99, n = 436 and 0.97, 95 % CI 0.93–1.01, n = 436; "
        "0 = chance, 1 = best)."
    )


def test_what_words_do_by_themselves_is_said_where_it_is_surely_less() -> None:
    """Moved words take the place of others: what goes by the loss of those is no work of theirs."""
    (less,) = said(shown(value=0.967, alone=0.327))
    same_text("report", less)
    assert "By themselves" not in said(shown(value=0.93, alone=0.87))[0]  # their intervals meet
    assert "By themselves" not in said(shown(value=0.85, alone=0.7))[0]  # both are called most
    assert "By themselves" not in said(shown(value=0.3, alone=0.9))[0]


@pytest.mark.parametrize("verdict", [reached(MUST_NOT, 2, (), ()), reached(CANNOT_TELL, 6, (), ())])
def test_where_no_map_may_be_shown_nothing_is_said(verdict: Verdict) -> None:
    assert said(shown(verdict)) == []
    assert shown(verdict).to_json()["shown"] is None


def test_of_a_model_that_guesses_or_without_the_number_nothing_is_said() -> None:
    guesses = replace(LEARNED, above=estimate(0.0))
    assert said(replace(shown(), learned=guesses)) == []
    assert said(replace(shown(), findings=())) == []
    first, *others = moved()
    nan = Estimate(float("nan"), float("nan"), float("nan"), 0, "")
    assert said(replace(shown(), findings=(replace(first, score=nan), *others))) == []
    assert (
        said(replace(shown(), findings=(replace(first, comparison=FLIPS), *others))) == []
    )  # a count of flips
    none_open = reached(CAVEATS, 5, (), (), {"a": reached(CANNOT_TELL, 6, (), ())})
    assert said(shown(none_open, a=(0.9, 0.9))) == []


def test_another_map_is_named_where_it_surely_carries_more_on_the_same_texts() -> None:
    rows = (map_row("deletion", "passed", 0.93, chosen=True), map_row("attention", "passed", 0.52))
    found = replace(shown(value=0.5, alone=0.5), maps=rows)
    same_text("report", said(found)[1])
    for other in (
        (map_row("deletion", "passed", 0.58, chosen=True), rows[1]),  # intervals meet
        (rows[0], map_row("attention", "passed", 0.92)),
        (replace(rows[0], chosen=False), rows[1]),  # its own half of the texts may have been lucky
        (
            map_row("signed_deletion", "passed", 0.93, chosen=True),
            rows[1],
        ),  # words for the class alone
        rows[:1],
    ):
        assert len(said(replace(found, maps=other))) == 1


def test_the_share_of_texts_whose_top_words_matter_is_of_the_classes_that_may_be_shown() -> None:
    """Of all texts it may be small where that of a class is large, and the other way round."""
    shares = {"": 0.47, "spam": 0.98, "ham": 0.24}
    numbers = {top_words_share(of): estimate(share, 0.02) for of, share in shares.items()}
    audit = replace(detector(), estimates=numbers)
    spam = percent(audit.estimates[top_words_share("spam")])
    others = [percent(audit.estimates[top_words_share(of)]) for of in ("", "ham")]
    for said_of in (transfer_sentences(audit), caption(audit)):
        (found,) = (one for one in said_of if spam in one)
        assert "'spam'" in found
        assert not [one for one in said_of for other in others if other in one]
    without = {"erasure.matters": audit.estimates[top_words_share()]}
    older = replace(audit, estimates=without)  # an audit that was saved without shares of classes
    assert not [one for one in (*transfer_sentences(older), *caption(older)) if "47" in one]
    classes = {"a": FINE, "b": CAREFUL}
    both = shown(reached(CAVEATS, 5, (), (), classes), a=(0.95, 0.95), b=(0.35, 0.35))
    numbers = {top_words_share(of): estimate(share) for of, share in (("a", 0.9), ("b", 0.8))}
    both = replace(both, estimates=numbers)
    assert (
        sum(
            all(percent(one) in said for one in numbers.values())
            for said in transfer_sentences(both)
        )
        == 1
    )
    each = [[percent(one) in said for said in caption(both)] for one in numbers.values()]
    assert [sum(one) for one in each] == [1, 1]
    assert each[0].index(True) < each[1].index(True)  # of a class beside what else is said of it


def test_json_holds_the_numbers_of_the_sentences() -> None:
    told_of = json.loads(json.dumps(plain(detector().to_json())))["shown"]
    assert [*told_of] == ["all_texts", "by_class", "best_map", "best_carried", "attention_carried"]
    assert told_of["all_texts"] is None
    assert [*told_of["by_class"]] == ["spam"]
    assert {name: one["value"] for name, one in told_of["by_class"]["spam"].items()} == {
        "carried": 0.93,
        "alone": 0.9,
    }
    assert (told_of["best_map"], told_of["best_carried"]["value"]) == ("contribution", 0.552)
    assert told_of["attention_carried"]["value"] == 0.012
    assert transferred_share(shown()) is not None
    assert shown().to_json()["shown"]["all_texts"]["carried"]["value"] == 0.93


def test_json_names_the_classes_that_a_program_may_show() -> None:
    closed, open_ = reached(MUST_NOT, 2), reached(CANNOT_TELL, 6)
    mixed = {"a": FINE, "b": CAREFUL, "c": closed, "d": open_}
    assert shown(reached(CAVEATS, 5, (), (), mixed)).to_json()["may_be_shown_for"] == ["a", "b"]
    # over all texts the verdict permits the map, but of no class does it
    none = shown(reached(CAVEATS, 5, (), (), {"c": closed, "d": open_}))
    assert (none.verdict.level.permits, none.may_be_shown_for) == (True, ())
    said = none.to_json()["conclusions"]
    assert [(one["verdict"], one["classes"]) for one in said] == [
        (MUST_NOT, ["c"]),
        (CANNOT_TELL, ["d"]),
    ]
    assert {one.level for one in conclusions(none)} == {one["verdict"] for one in said}
    guesses = replace(LEARNED, above=estimate(0.0))
    fine = shown(reached(CAN, 4, (), (), {"a": FINE}))
    assert fine.may_be_shown_for == ("a",)
    assert replace(fine, learned=guesses).may_be_shown_for == ()


def test_a_saved_audit_says_what_it_said(tmp_path) -> None:
    found = detector()
    assert Audit.load(found.save(tmp_path / "a")).to_json()["shown"] == found.to_json()["shown"]


def surfaces(audit: Audit) -> list[str]:
    html = [render(audit), in_notebook(audit), card_html(card(audit))]
    read = [" ".join(unescape(re.sub(r"<[^>]+>", "", one)).split()) for one in html]
    printed = " ".join(" ".join(lines(audit)).split())
    return [one.replace("\xa0", " ") for one in (printed, *read, card_markdown(card(audit)))]


@pytest.mark.parametrize("audit", [shown(), detector(), shown(value=0.967, alone=0.327)])
def test_every_surface_says_how_much_is_shown(audit: Audit) -> None:
    printed, *pages, html_card, markdown_card = surfaces(audit)
    sentences = said(audit)
    assert sentences
    for surface in (printed, html_card, markdown_card):
        assert all(one in surface for one in sentences)
    first, *_ = transfer_sentences(audit, numbers=False)
    assert not re.search(r"\d", first)
    for page in pages:  # the caption at their head has the number
        assert first in page
    assert card(audit).facts[TITLE] == " ".join(transfer_sentences(audit))


def test_every_surface_calls_a_class_decided_by_absence_one() -> None:
    audit = detector()
    headline = (
        "can be shown for texts predicted 'spam'; decided by absence for texts predicted 'ham'"
    )
    assert audit.headline == plain(audit.to_json())["headline"] == headline
    for surface in surfaces(audit):
        assert "when it finds no evidence for another class" in surface
    for cards in (card_html(card(audit)), card_markdown(card(audit))):
        assert NO_EVIDENCE in unescape(cards)
    score = bracketed(audit.findings[1].by_class["ham"])
    (why,) = why_absent(audit)
    assert all(part in why for part in ("'ham'", score, FEW_FLIPS))
    assert why.replace("\xa0", " ") in " ".join(" ".join(lines(audit)).split()).replace("\xa0", " ")
    assert str(escape(why)) in render(audit)
    assert not [*why_absent(shown())]
    page = render(audit)
    assert re.findall('<p class="answer ([a-z]+)">', page) == ["good", "absent"]
    assert audit.verdict == by_absence()
