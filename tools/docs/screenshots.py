"""Draw four small audits and photograph their pages for ``docs/report.md``: ``python
tools/docs/screenshots.py``.

One model learns where to look for a planted needle, one uses weights that nobody chose, one was
taught to attend to the full stop of every text, and one has to look for the needle of one class
alone, so that its verdict differs by class. Needs Debian's chromium.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import Guide, RunSpec
from sightline.experiments.pipeline import run
from sightline.report.html.audit_page import write_page

IMAGES = Path(__file__).parents[2] / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
NEEDLE, ENDING = (
    f"planted:needle({more}n=600,length=20,strength=0.9)" for more in ("", "ending=true,")
)
DETECTOR = "planted:detector(n=800,length=15,positives=0.3)"
MODELS: Mapping[str, tuple[str, str, Guide]] = {
    "learned": (NEEDLE, "mlp(hidden=16)+additive", ""),
    "random": (NEEDLE, "mlp(hidden=16)+additive+softmax+random", ""),
    "classes": (DETECTOR, "mlp(hidden=16)+additive", ""),
    "stop": (ENDING, "bilstm(hidden=32)+additive", "last"),
}
"""The audits: of which texts, which model, and onto which word its attention is guided."""
LARGEST = 300_000


@dataclass(frozen=True)
class Shot:
    """One photograph: of which audit, in what surroundings, and after which acts."""

    name: str
    audit: str
    act: Callable[[Page], object]
    width: int = 1000
    height: int = 900
    context: dict[str, Any] = field(default_factory=dict)


def surest(page: Page) -> None:
    """List the texts of the second class, whose needle the model has to find, the surest first."""
    page.locator("#order").select_option("sure")
    page.locator("#predicted").select_option(label="beta")
    page.wait_for_timeout(300)
    picked(page)


def picked(page: Page) -> None:
    """Open the first text of the list, and look at the numbers of its planted word."""
    page.locator("#list a").first.click()
    page.wait_for_timeout(300)
    page.locator("#opened .map .ev").first.click()
    page.locator("#count").evaluate("element => element.scrollIntoView()")


def opened(page: Page) -> None:
    """Look at the words of the text alone, as on a small screen."""
    surest(page)
    page.locator("#opened-title").evaluate("element => element.scrollIntoView()")


def switched(page: Page) -> None:
    """Look at that word from the switch of maps on."""
    picked(page)
    page.locator("#maps").evaluate("element => element.scrollIntoView()")


def printed(page: Page) -> None:
    """Look at the texts as they come out on paper without colours."""
    page.emulate_media(media="print")
    page.evaluate("document.documentElement.style.filter = 'grayscale(1)'")
    page.locator("#texts").evaluate("element => element.scrollIntoView()")


def legend(page: Page) -> None:
    """Look at what is read before the texts, and at all maps that have two directions."""
    for box in page.locator("#maps label").filter(has_text="signed").locator("input").all():
        box.check()
    page.locator("#maps").evaluate("element => element.scrollIntoView()")


def head(page: Page) -> None:
    """Look at what is read first: the answer, why, and what may be shown instead."""
    page.evaluate("scrollTo(0, 0)")


SHOTS = (
    Shot("report-verdict", "learned", head),
    Shot("report-class", "classes", head, width=1280),
    Shot("report-signs", "classes", legend, width=1280),
    Shot("report-instead", "stop", head, height=1100),
    Shot(
        "report-instead-phone",
        "stop",
        head,
        width=390,
        height=844,
        context={"device_scale_factor": 2},
    ),
    Shot("report-instead-dark", "stop", head, context={"color_scheme": "dark"}, height=1100),
    Shot("report-desktop", "learned", surest, height=1360),
    Shot("report-random", "random", switched, height=760),
    Shot(
        "report-phone", "learned", opened, width=390, height=844, context={"device_scale_factor": 2}
    ),
    Shot("report-dark", "learned", opened, context={"color_scheme": "dark"}, height=760),
    Shot("report-print", "learned", printed, width=794, height=1000),
)


def main() -> None:
    """Make the audits, then each photograph; a heavy one is an error."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {name: drawn(name, Path(folder) / f"{name}.html") for name in MODELS}
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for shot in SHOTS:
            path = photographed(browser, shot, pages[shot.audit])
            if path.stat().st_size > LARGEST:
                sys.exit(f"{path}: expected at most {LARGEST} bytes, got {path.stat().st_size}")
            print(path.name, path.stat().st_size)
        browser.close()


def drawn(model: str, path: Path) -> Path:
    """Train and audit a model, and write its page."""
    data, spec, guide = MODELS[model]
    built, fit = build_specs(spec, epochs=20)
    return write_page(run(RunSpec(parse_data(data), built, replace(fit, guide=guide)))[1], path)


def photographed(browser: Browser, shot: Shot, path: Path) -> Path:
    """Open a page, act, and write the picture."""
    viewport = {"width": shot.width, "height": shot.height}
    context = browser.new_context(offline=True, viewport=viewport, **shot.context)
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("#opened .map").first.wait_for()
    shot.act(page)
    out = IMAGES / f"{shot.name}.png"
    out.parent.mkdir(exist_ok=True)
    page.screenshot(path=out, animations="disabled")
    context.close()
    return out


if __name__ == "__main__":
    main()
