"""A real browser opens the page: nothing is asked for, nothing refused, nothing overflows,
everybody can read it.
"""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from sightline.audits.audit_result import Audit
from sightline.core.results import CAVEATS
from tests.report.audits import HOSTILE, audit, by_class, compared, explored, hostile, record
from tests.report.conftest import OVERFLOW, UNFOLD, Reader
from tests.snapshots import same_text
from tests.verdicts import reached

NOT_SHOWN = "it could not be shown that the model loses accuracy without learned attention"
pytestmark = pytest.mark.browser
AUDITED = compared(reached(CAVEATS, 5, (), (NOT_SHOWN,)))
REALISTIC, HOSTILE_AUDIT, EXPLORED, COMPARED = audit(), hostile(), explored(), compared()
LONG = (
    record(" ".join(f"word{i}" for i in range(130)), 0, rationale=True),
    record("a short one", 1),
)
DIRECTED = compared(by_class(), LONG)
GROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("case", [COMPARED, HOSTILE_AUDIT], ids=["compared", "hostile"])
@pytest.mark.parametrize("width", [375, 1280])
def test_the_page_stands_alone(reader: Reader, case: Audit, width: int) -> None:
    page = reader.open(case, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    assert page.evaluate(OVERFLOW) == 0
    assert page.locator("h1").count() == 1
    same_text("report", page.locator("h2").all_inner_texts()[:2])
    shade = "getComputedStyle(document.querySelector('#opened .map .s10')).backgroundColor"
    assert page.evaluate(shade) != "rgba(0, 0, 0, 0)"


def test_tables_keep_their_columns_on_a_desktop(reader: Reader) -> None:
    page = reader.open(DIRECTED, width=1280)
    wider = (
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => "
        "one.getAttribute('aria-label'))"
    )
    assert page.locator(".scroll").evaluate_all(wider) == []


def test_the_legend_comes_before_the_first_text_and_names_both_sides(reader: Reader) -> None:
    page = reader.open(COMPARED)
    legend = page.locator("#texts .legend")
    expect(legend).to_contain_text("speaks for the predicted class")
    expect(legend).to_contain_text("speaks against the predicted class")
    after = (
        "(legend) => [...document.querySelectorAll('#texts .map, #list')].every(one => "
        "legend.compareDocumentPosition(one) & 4)"
    )
    assert legend.evaluate(after)
    assert reader.open(REALISTIC).locator("#texts .legend").inner_text().count("against") == 0


def test_on_paper_long_texts_keep_their_windows_and_words_against_their_line(
    reader: Reader,
) -> None:
    page = reader.open(DIRECTED)
    page.emulate_media(media="print")
    text = page.locator(".printed article").filter(has=page.locator(".gap")).first
    expect(text.locator(".gap").first).to_be_visible()
    expect(text.locator("details .map").first).to_be_hidden()
    line = "getComputedStyle(document.querySelector('.legend .n8')).textDecorationStyle"
    assert page.evaluate(line) == "dashed"


def test_the_keyboard_reaches_the_verdict_first(reader: Reader) -> None:
    page = reader.open(REALISTIC)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#verdict"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#verdict"


@pytest.mark.parametrize("part", [".paste", ".card"])
def test_the_keyboard_selects_what_is_to_be_copied(reader: Reader, part: str) -> None:
    page = reader.open(COMPARED)
    page.evaluate(UNFOLD)
    found = page.locator(part)
    for _ in range(500):
        page.keyboard.press("Tab")
        if found.evaluate("one => one === document.activeElement"):
            break
    assert page.evaluate("getSelection().toString().trim()") == found.inner_text().strip()


@pytest.mark.parametrize("case", [AUDITED, COMPARED], ids=["caveats", "must not"])
def test_everything_that_is_not_folded_fits_three_screens(reader: Reader, case: Audit) -> None:
    page = reader.open(case, width=1280, folded=True)
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 800
    expect(page.locator("#findings table").first).to_be_hidden()
    page.locator("#findings summary").first.click()
    expect(page.locator("#findings table").first).to_be_visible()


@pytest.mark.parametrize("hash_", ["#sl-301", "#findings"])
def test_an_address_opens_what_is_folded(reader: Reader, hash_: str) -> None:
    page = reader.open(COMPARED, hash_, folded=True)
    expect(page.locator("#sl-301 h3")).to_be_visible()
    expect(page.locator("#numbers table").first).to_be_hidden()


def test_the_address_of_a_text_opens_the_texts(reader: Reader) -> None:
    page = reader.open(COMPARED, "#text=t0003", folded=True)
    expect(page.locator("#opened-title")).to_be_visible()
    page = reader.open(COMPARED, folded=True)
    expect(page.locator("#opened-title")).to_be_hidden()
    page.evaluate("location.hash = '#text=t0003'")
    expect(page.locator("#opened-title")).to_be_visible()


@pytest.mark.parametrize(("width", "screens"), [(1280, 1.0), (375, 2.0)])
def test_answer_reason_remedy_and_example_are_seen_at_once(
    reader: Reader, width: int, screens: float
) -> None:
    box = reader.open(COMPARED, width=width).locator(".example").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < screens * 800


def test_the_page_follows_a_dark_screen(reader: Reader) -> None:
    grounds = {
        reader.open(REALISTIC, color_scheme=scheme).evaluate(GROUND) for scheme in ("light", "dark")
    }
    assert len(grounds) == 2


def test_without_a_script_the_texts_are_there(reader: Reader) -> None:
    page = reader.open(EXPLORED, java_script_enabled=False)
    expect(page.locator("#explorer")).to_be_hidden()
    expect(page.locator(".printed article")).to_have_count(20)
    expect(page.locator(".printed article").first).to_be_visible()


def test_on_paper_the_texts_are_those_without_a_script(reader: Reader) -> None:
    page = reader.open(EXPLORED)
    expect(page.locator(".printed")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator("#explorer")).to_be_hidden()
    expect(page.locator(".printed .map").first).to_be_visible()
    expect(page.locator("#verdict .answer")).to_be_visible()
    assert page.evaluate(OVERFLOW) == 0


def test_on_paper_no_codes_stand_under_the_caveats(reader: Reader) -> None:
    page = reader.open(DIRECTED)
    page.emulate_media(media="print")
    result = page.locator("#verdict").inner_text()
    assert "do not take the prediction with them" in result
    assert not re.search(r"(?<!\()SL-\d|δ|\[", result)
    assert "SL-303" in page.locator("#findings").inner_text()


def test_a_browser_that_cannot_unpack_keeps_the_texts(reader: Reader) -> None:
    page = reader.open(REALISTIC)
    page.add_init_script("delete window.DecompressionStream")
    page.reload()
    page.evaluate(UNFOLD)
    expect(page.locator("#explorer-old")).to_be_visible()
    expect(page.locator("#explorer")).to_be_hidden()
    expect(page.locator(".printed article").first).to_be_visible()


def test_no_other_script_runs_and_no_string_becomes_markup(reader: Reader) -> None:
    page = reader.open(REALISTIC)
    page.evaluate(
        "const s = document.createElement('script'); s.append('window.ran = 1'); "
        "document.body.append(s)"
    )
    assert page.evaluate("window.ran") is None
    refused = page.evaluate(
        "(() => { try { document.body.innerHTML = '<b>'; return '' } catch (e) { return "
        "e.name } })()"
    )
    assert refused == "TypeError"
    assert [
        line
        for line in reader.troubles
        if "Content Security Policy" in line or "TrustedHTML" in line
    ]
    reader.troubles.clear()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark"), (390, "dark")]
)
def test_nothing_serious_keeps_anybody_out(reader: Reader, width: int, scheme: str) -> None:
    page = reader.open(
        DIRECTED, "#text=t0000&maps=attention,signed_gradient", width=width, color_scheme=scheme
    )
    expect(page.locator("#opened .gap").first).to_be_visible()
    page.locator("#opened [data-word]").nth(2).click()
    expect(page.locator(".numbers")).to_be_visible()
    page.locator("#explorer details").evaluate("fold => { fold.open = true }")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    lines = [(v["id"], v["impact"], [node["html"][:150] for node in v["nodes"][:3]]) for v in found]
    assert [each for each in lines if each[1] in {"serious", "critical"}] == [], json.dumps(
        lines, indent=1
    )


def shown(page: Page) -> str:
    return page.locator("#opened .map").first.inner_text()


def test_what_means_harm_is_shown_as_text(reader: Reader) -> None:
    page = reader.open(HOSTILE_AUDIT)
    signs = {
        4: "safe ⟦U+202E⟧drow⟦U+202C⟧ order",
        5: "nul ␀ bell ␇ escape ␛[31m red",
        0: HOSTILE[0],
    }
    page.locator("#order").select_option("data")
    for index, text in signs.items():
        page.locator("#list a").nth(index).click()
        expect(page.locator("#opened .map").first).to_have_text(text)
    expect(page.locator("#opened-title")).to_have_text(
        'Text "><script src="http://evil.example/x.js"></script>⟦U+202E⟧'
    )


def test_a_word_of_a_million_letters_is_cut_and_breaks_nothing(reader: Reader) -> None:
    texts = (record("x" * 10**6 + " then " + "y" * 10**6, 0), record("many " * 5_000, 1))
    page = reader.open(audit(texts), "#text=t0000", width=375)
    expect(page.locator("#opened .map").first).to_contain_text("⟦998,000 more characters⟧")
    assert page.evaluate(OVERFLOW) == 0
    page.goto(page.url.replace("t0000", "t0001"))
    expect(page.locator("#opened-title")).to_have_text("Text t0001")
    text = page.locator("#opened .map").first
    assert text.locator("[data-word]").count() < 200
    page.get_by_role("button", name="more words").click()
    assert text.locator("[data-word]").last.get_attribute("data-word") > "2000"
    assert page.evaluate("document.activeElement.dataset.word") == "9"
    assert page.evaluate(OVERFLOW) == 0
