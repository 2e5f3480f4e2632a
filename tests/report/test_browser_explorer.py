"""The explorer in a real browser: by pointer and by keyboard, and every number that of the
audit.
"""

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from sightline.audits.audit_result import Audit
from sightline.core.results import Failed, Measurement
from sightline.report.html.token_highlights import shades, token_view
from sightline.report.html.view_model import held_texts
from sightline.report.map_names import MAPS
from tests.report.audits import audit, compared, explored, record
from tests.report.conftest import Reader

pytestmark = pytest.mark.browser
MANY = tuple(
    replace(
        record(f"number {i} " + ("Rare Éclair" if i % 50 == 7 else "plain cake"), i),
        label="ab"[i % 2],
        predicted="ab"[i // 2 % 2],
    )
    for i in range(230)
)

REALISTIC, EXPLORED, LISTED, COMPARED = audit(), explored(), audit(MANY), compared()
EVERY = "&maps=" + ",".join(kind.quantity for kind in MAPS)


def first_ids(page: Page) -> list[str]:
    return page.locator("#list a").all_inner_texts()


def ids_by(case: Audit, values: np.ndarray) -> list[str]:
    return [case.texts[i].id for i in np.argsort(values, kind="stable")]


def number_of(message: str) -> float:
    return float(
        message.replace("−", "-")
        .replace(" × 10^", "e")
        .replace("∞", "inf")
        .replace("undefined", "nan")
    )


def numbers(page: Page) -> dict[str, float]:
    names = page.locator(".numbers dt").all_inner_texts()
    result = page.locator(".numbers dd").all_inner_texts()
    return {
        name: number_of(value)
        for name, value in zip(names, result, strict=True)
        if name != "evidence"
    }


def stored(case: Audit, text: int, word: int) -> dict[str, float]:
    return {each.kind.name: float(f"{each.rows[text][word]:.3g}") for each in held_texts(case).maps}


def test_a_click_shows_the_numbers_of_a_word_in_every_map(reader: Reader) -> None:
    message = EXPLORED
    for text in (0, 5):
        page = reader.open(message, f"#text={message.texts[text].id}{EVERY}")
        for word in (0, 1, 2, 6):
            page.locator("#opened .map").nth(3).locator(f"[data-word='{word}']").click()
            expect(page.locator(".numbers p")).to_contain_text(
                f"Word {word + 1} of {len(message.texts[text].tokens)}"
            )
            assert numbers(page) == pytest.approx(stored(message, text, word), nan_ok=True)
            assert (
                page.locator("[aria-pressed=true]").count() == page.locator("#opened .map").count()
            )


def test_a_query_stands_with_its_text_and_nothing_stands_where_there_is_none(
    reader: Reader,
) -> None:
    asked = replace(
        record("Mary went to the kitchen", 0), query=("where", "is", "<b>mary</b>", "\u202e?")
    )
    result = audit((asked, record("Nobody asks about this one", 1)))
    page = reader.open(result, f"#text={asked.id}")
    expect(page.locator("#opened .query")).to_have_text("query: where is <b>mary</b> ⟦U+202E⟧?")
    page = reader.open(result, f"#text={result.texts[1].id}")
    expect(page.locator("#opened-title")).to_contain_text(result.texts[1].id)
    assert page.locator("#opened .query").count() == 0


def test_people_s_marks_are_told_of_a_word(reader: Reader) -> None:
    page = reader.open(EXPLORED, "#text=t0000")
    for word, mark in enumerate(["marked", "not marked", "not marked", "marked"]):
        page.locator("#opened .map").last.locator(f"[data-word='{word}']").click()
        expect(page.locator(".numbers dd").last).to_have_text(mark)


def test_the_shades_are_those_of_the_printed_texts(reader: Reader) -> None:
    message = EXPLORED
    page = reader.open(message, f"#text=t0003{EVERY}")
    held = [each for each in held_texts(message).maps if not each.kind.signed]
    for each in held:
        spans = page.get_by_role("group", name=each.kind.name, exact=True).locator("[data-word]")
        rounded = np.array([float(f"{value:.3g}") for value in each.rows[3]])
        assert [span.get_attribute("class") for span in spans.all()] == shades(rounded)


def test_a_word_that_speaks_against_is_shaded_otherwise(reader: Reader) -> None:
    message = EXPLORED
    values = held_texts(message).maps[-1].rows[3]
    page = reader.open(message, "#text=t0003&maps=evidence")
    spans = page.get_by_role("group", name="token evidence").locator("[data-word]")
    kinds = [(span.get_attribute("class") or "")[0] for span in spans.all()]
    assert kinds == ["n" if value < 0 else "s" for value in values]
    rounded = np.array([float(f"{value:.3g}") for value in values])
    assert [span.get_attribute("class") for span in spans.all()] == shades(rounded, signed=True)
    assert {"n10", "s10"} & {span.get_attribute("class") for span in spans.all()}


def groups(page: Page) -> list[str | None]:
    return [one.get_attribute("aria-label") for one in page.locator("#opened .map").all()]


def test_two_maps_are_shown_at_first_and_the_others_on_demand(reader: Reader) -> None:
    page = reader.open(COMPARED, "#text=t0003")
    assert groups(page) == ["attention", "weight × logit"]
    expect(page.locator(".switch label").filter(has_text="recommended")).to_have_text(
        ["weight × logit recommended"]
    )
    page.locator("#maps input").first.focus()
    page.keyboard.press("Space")  # attention off
    for _ in range(9):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")  # a map with directions on
    assert groups(page) == ["weight × logit", "signed gradient"]
    heading = page.locator("#opened h4").nth(1)
    expect(heading).to_contain_text(f"speaks for or against “{COMPARED.texts[3].predicted}”")
    assert page.url.endswith("#text=t0003&maps=contribution,signed_gradient")
    page.reload()
    page.locator("#opened-title").wait_for()
    assert groups(page) == ["weight × logit", "signed gradient"]
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.get_by_role("link", name="next text").click()
    expect(page.locator("#opened-title")).not_to_have_text("Text t0003")
    assert groups(page)[:2] == ["weight × logit", "signed gradient"]
    page.go_back()
    expect(page.locator("#opened-title")).to_have_text("Text t0003")


def test_with_every_map_off_the_text_itself_is_shown(reader: Reader) -> None:
    page = reader.open(COMPARED, "#text=t0003&maps=")
    assert groups(page) == ["text"]
    expect(page.locator("#opened .map")).to_have_text(COMPARED.texts[3].text)
    page.get_by_role("checkbox", name="attention").check()
    assert groups(page) == ["attention"]


def test_a_fold_shows_the_heaviest_words_as_on_paper_and_says_what_it_leaves_out(
    reader: Reader,
) -> None:
    result = compared(texts=(record(" ".join(f"word{i}" for i in range(400)), 0, rationale=True),))
    page = reader.open(result)
    row = token_view(held_texts(result)).texts[0].rows[0]
    words = page.locator("#opened .map").first.locator("[data-word]")
    assert words.all_inner_texts() == [
        piece.text for piece in row.start if piece.shade not in ("", "gap")
    ]
    gaps = page.locator("#opened .map").first.locator(".gap").all_text_contents()
    assert gaps == [piece.text for piece in row.start if piece.shade == "gap"]
    page.get_by_role("checkbox", name="token evidence").check()
    heaviest = page.get_by_role("group", name="token evidence").locator(".s10, .n10")
    expect(heaviest.first).to_be_visible()
    page.get_by_role("button", name="more words (").click()
    expect(words).to_have_count(400)
    expect(page.locator("#opened .gap")).to_have_count(0)


def test_what_weight_and_evidence_add_up_to_stands_under_the_text(reader: Reader) -> None:
    sums = held_texts(COMPARED).sums
    assert sums is not None
    page = reader.open(COMPARED, "#text=t0003")
    assert tuple(page.locator("#opened .sums dd").all_inner_texts()) == sums.texts[3]
    assert tuple(page.locator("#opened .sums dt").all_inner_texts()) == sums.terms
    page = reader.open(COMPARED, "#text=t0001")
    expect(page.locator("#opened").get_by_text("Weight × logit has no sum here")).to_be_visible()
    assert page.locator("#opened .sums").count() == 0


def test_everything_can_be_done_from_the_keyboard(reader: Reader) -> None:
    message = EXPLORED
    page = reader.open(message, "#maps=attention,gradient,deletion")
    page.locator("#find").focus()
    page.keyboard.type("T0017")
    expect(page.locator("#count")).to_have_text("1 of 24 texts")
    for _ in range(5):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the only line of the list
    expect(page.locator("#opened-title")).to_have_text("Text t0017")
    expect(page.locator("#opened-title")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # past the link, into the first map
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert numbers(page) == pytest.approx(stored(message, 17, 1))
    assert (
        page.evaluate("document.activeElement.parentElement.getAttribute('aria-label')")
        == "gradient"
    )
    page.keyboard.press("End")
    page.keyboard.press("Space")
    assert numbers(page) == pytest.approx(stored(message, 17, len(message.texts[17].tokens) - 1))
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.dataset.word") == "0"
    page.keyboard.press("Escape")
    expect(page.locator(".numbers")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")  # one stop a map
    assert (
        page.evaluate("document.activeElement.parentElement.getAttribute('aria-label')")
        == "leave-one-out"
    )
    page.keyboard.press("Shift+Tab")  # back to the word that was left
    assert (
        page.evaluate("document.activeElement.parentElement.getAttribute('aria-label')")
        == "gradient"
    )
    assert page.evaluate("document.activeElement.dataset.word") == "1"


def test_texts_and_ids_are_searched_in_either_case(reader: Reader) -> None:
    page = reader.open(LISTED)
    for letters, found in (
        ("rare éclair", 5),
        ("RARE ÉCLAIR", 5),
        ("t0229", 1),
        ("  number 11", 11),
        ("", 230),
    ):
        page.locator("#find").fill(letters)
        expect(page.locator("#count")).to_have_text(f"{found} of 230 texts")
    page.locator("#find").fill("nowhere")
    expect(page.locator("#count")).to_contain_text("No text is like this")
    assert first_ids(page) == []


def test_orders_are_those_of_the_audit(reader: Reader) -> None:
    message = EXPLORED
    disputed = np.asarray(message.measurements["agreement"].values["disagreement"])
    sure = np.asarray(message.measurements["outputs"].values["probability"])
    page = reader.open(message)
    assert first_ids(page) == ids_by(message, -disputed)[:10]
    expected = {
        "sure": ids_by(message, -sure),
        "unsure": ids_by(message, sure),
        "data": [text.id for text in message.texts],
    }
    for order, ids in expected.items():
        page.locator("#order").select_option(order)
        expect(page.locator("#list a").first).to_have_text(ids[0])
        assert first_ids(page) == ids[:10]
    page.get_by_role("button", name="Later texts").click()
    expect(page.locator("#place")).to_have_text("page 2 of 3")
    assert first_ids(page) == expected["data"][10:20]
    assert page.locator("#list").get_attribute("start") == "11"


def test_an_order_that_was_not_measured_is_not_offered(reader: Reader) -> None:
    page = reader.open(REALISTIC)
    values = page.locator("#order option").evaluate_all("all => all.map(one => one.value)")
    assert values == ["disagreement", "data"]


def test_filters_by_label_prediction_and_answer(reader: Reader) -> None:
    page = reader.open(LISTED)
    page.locator("#order").select_option("data")
    asked = {"label": "b", "predicted": "a", "right": "wrong"}
    left = list(MANY)
    for control, choice in asked.items():
        page.locator(f"#{control}").select_option(label=choice)
        left = [
            t
            for t in left
            if (t.label != t.predicted if control == "right" else getattr(t, control) == choice)
        ]
        expect(page.locator("#count")).to_have_text(f"{len(left)} of 230 texts")
        assert first_ids(page) == [text.id for text in left[:10]]
    page.locator("#right").select_option(label="right")
    expect(page.locator("#count")).to_contain_text("No text is like this")


def test_a_link_opens_its_text_and_the_back_button_goes_back(reader: Reader) -> None:
    message = replace(LISTED, texts=(replace(MANY[0], id='a/ü "&#<b>'), *MANY[1:]))
    page = reader.open(message, "#text=" + quote('a/ü "&#<b>', safe=""))
    title = page.locator("#opened-title")
    expect(title).to_have_text('Text a/ü "&#<b>')
    expect(title).to_be_in_viewport()
    here = page.locator("[aria-current=true]")
    expect(here).to_have_text('a/ü "&#<b>')
    page.get_by_role("link", name="next text").click()
    expect(title).not_to_have_text('Text a/ü "&#<b>')
    second = title.inner_text()
    page.locator("#list a").nth(7).click()
    expect(title).not_to_have_text(second)
    page.go_back()
    expect(title).to_have_text(second)
    page.go_back()
    expect(title).to_have_text('Text a/ü "&#<b>')
    page.go_forward()
    expect(title).to_have_text(second)
    assert page.get_by_role("link", name="link to this text").get_attribute("href") in page.url


@pytest.mark.parametrize("hash_", ["#text=%E0%A4", "#verdict"])
def test_an_address_that_names_no_text_opens_the_first(reader: Reader, hash_: str) -> None:
    message = REALISTIC
    page = reader.open(message, hash_)
    disputed = np.asarray(message.measurements["agreement"].values["disagreement"])
    first, second = ids_by(message, -disputed)[:2]
    title = page.locator("#opened-title")
    expect(title).to_have_text(f"Text {first}")
    page.get_by_role("link", name="next text").click()
    expect(title).to_have_text(f"Text {second}")
    page.evaluate("location.hash = '#text=nowhere'")
    expect(title).to_have_text(f"Text {second}")
    page.evaluate("location.hash = ''")
    expect(title).to_have_text(f"Text {first}")


def test_previous_and_next_follow_the_list_that_was_asked_for(reader: Reader) -> None:
    page = reader.open(LISTED)
    page.locator("#order").select_option("data")
    page.locator("#find").fill("éclair")
    expect(page.locator("#count")).to_have_text("5 of 230 texts")
    for id_ in ("t0007", "t0057", "t0107"):
        page.get_by_role("link", name="next text").click()
        expect(page.locator("#opened-title")).to_have_text(f"Text {id_}")
    page.get_by_role("link", name="previous text").click()
    expect(page.locator("#opened-title")).to_have_text("Text t0057")


def test_without_texts_ids_can_be_searched_and_no_word_is_shown(reader: Reader) -> None:
    page = reader.open(EXPLORED, texts=False)
    expect(page.locator("#count")).to_have_text("24 of 24 texts")
    page.locator("#find").fill("awful")
    expect(page.locator("#count")).to_contain_text("No text is like this")
    page.locator("#find").fill("t0003")
    page.get_by_role("link", name="t0003").click()
    expect(page.locator("#opened-title")).to_have_text("Text t0003")
    expect(page.locator("#opened .about")).to_contain_text("predicted")
    assert page.locator("#opened .map").count() == 0


def test_without_maps_the_text_itself_is_shown(reader: Reader) -> None:
    broken = {"agreement": Failed("agreement", "IndexError"), "other": Measurement("other", {})}
    message = replace(audit((record("plain words", 0),)), measurements=broken)
    page = reader.open(message)
    expect(page.locator("#opened .map")).to_have_text("plain words")
    expect(
        page.get_by_text(
            "Not shown: the gradient and leave-one-out maps (the measure 'agreement' failed: IndexError)."
        )
    ).to_be_visible()
