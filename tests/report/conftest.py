"""One browser for all tests that open a page, and pages that remember every trouble."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from sightline.audits.audit_result import Audit
from sightline.report.html.audit_page import write_page

CHROMIUM = Path("/usr/bin/chromium")
UNFOLD = "document.querySelectorAll('.fold > details').forEach(fold => { fold.open = true })"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass
class Library:
    """Pages by the audits they were drawn from, each drawn once: drawing takes longer than
    reading.
    """

    folder: Path
    pages: dict[tuple[int, bool], tuple[Audit, Path]] = field(default_factory=dict)

    def path(self, case: Audit, texts: bool) -> Path:
        key = (id(case), texts)  # kept with its audit, so that no other takes its id
        if key not in self.pages:
            self.pages[key] = (
                case,
                write_page(case, self.folder / f"report{len(self.pages)}.html", texts),
            )
        return self.pages[key][1]


@dataclass
class Reader:
    """Opens audits in a browser without a network, and keeps what went wrong: requests, errors,
    refusals, dialogs.
    """

    browser: Browser
    library: Library
    troubles: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(
        self,
        case: Audit,
        hash_: str = "",
        *,
        texts: bool = True,
        width: int = 1100,
        folded: bool = False,
        **context: Any,
    ) -> Page:
        """Write an audit as a page and open it with its folds; with a script the explorer has its
        first text then.
        """
        path = self.library.path(case, texts)
        viewport = {"width": width, "height": 800}
        self.contexts.append(self.browser.new_context(offline=True, viewport=viewport, **context))
        page = self.contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.on(
            "request",
            lambda request: self.troubles.extend(
                [request.url] * (path.as_uri() not in request.url)
            ),
        )
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        page.goto(path.as_uri() + hash_)
        if context.get("java_script_enabled", True) and case.texts:
            page.locator("#opened-title").wait_for(state="attached")
        if not folded:
            page.evaluate(UNFOLD)
        return page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("no chromium at /usr/bin/chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("pages"))


@pytest.fixture
def reader(browser: Browser, library: Library) -> Iterator[Reader]:
    """A reader for one test, which must have had no trouble at its end."""
    one = Reader(browser, library)
    yield one
    for context in one.contexts:
        context.close()
    assert one.troubles == []
