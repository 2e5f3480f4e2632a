"""A real browser opens the page: nothing is asked for, nothing refused, nothing overflows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from sightline.report.page import write_page
from sightline.results import Audit
from tests.report.audits import audit, hostile

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no chromium at /usr/bin/chromium: apt-get install chromium"),
]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.parametrize("told", [audit(), hostile()], ids=["realistic", "hostile"])
@pytest.mark.parametrize("width", [375, 1280])
def test_the_page_stands_alone(browser: Browser, tmp_path: Path, told: Audit, width: int) -> None:
    path = write_page(told, tmp_path / "report.html")
    context = browser.new_context(offline=True, viewport={"width": width, "height": 800})
    page = context.new_page()
    requests: list[str] = []
    troubles: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    assert requests == [path.as_uri()]
    assert troubles == []
    assert page.evaluate(OVERFLOW) == 0
    assert page.locator("h1").count() == 1
    assert page.locator("h2").all_inner_texts()[:2] == ["Verdict", "Findings that bear on the verdict"]
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.map span.s10')).backgroundColor") != "rgba(0, 0, 0, 0)"
    )
    context.close()


def test_the_keyboard_reaches_the_verdict_first(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(write_page(audit(), tmp_path / "report.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#verdict"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#verdict"
    page.close()


def test_the_page_follows_a_dark_screen(browser: Browser, tmp_path: Path) -> None:
    path = write_page(audit(), tmp_path / "report.html")
    grounds = []
    for dark in (False, True):
        page = browser.new_page(color_scheme="dark" if dark else "light")
        page.goto(path.as_uri())
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert len(set(grounds)) == 2
