"""Draw five small audits and photograph their reports: ``python tools/docs/screenshots.py``
writes the images of the documentation. ``--look FOLDER`` writes none of these: it photographs each
report, the README, the site’s Home (where it is built) and what the terminal prints, on desktop,
phone, dark screen and paper, for a person to look at.

Two audits are those of the demo: attention trained onto the opinion words, and away from them. One
has random attention. One looks for the cue of one class alone, so its verdict differs by class. One
has too few texts. Needs Debian's chromium.
"""

from __future__ import annotations

import argparse
import html
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import markdown
from playwright.sync_api import Browser, Page, sync_playwright

from sightline.api.compute_resources import today
from sightline.audits.audit_result import Audit
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.experiments.pipeline import run
from sightline.report.html.audit_page import write_page
from sightline.report.text.audit_summary import lines

ROOT = Path(__file__).parents[2]
IMAGES, HOME = ROOT / "docs" / "images", ROOT / "build" / "site" / "index.html"
CHROMIUM = "/usr/bin/chromium"
NEEDLE = "planted:needle(n=600,length=20,strength=0.9)"
REVIEWS = "planted:reviews(n=1200)"
DETECTOR = "planted:detector(n=800,length=15,positives=0.3)"
FEW = "planted:reviews(n=120)"
MODELS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "learned": (REVIEWS, "mlp+additive", {"guide": "onto"}),
    "random": (NEEDLE, "mlp(hidden=16)+additive+softmax+random", {}),
    "classes": (DETECTOR, "mlp(hidden=16)+additive", {}),
    "few": (FEW, "mlp(hidden=16)+additive", {}),
    "away": (REVIEWS, "bilstm(hidden=32)+additive", {"guide": "away", "guide_weight": 0.3}),
}
"""The audits: texts, model, and how attention is guided."""
LARGEST = 300_000


@dataclass(frozen=True)
class Shot:
    """One photograph: the audit, the surroundings, and the steps before it."""

    name: str
    audit: str
    act: Callable[[Page], object]
    width: int = 1000
    height: int = 900
    context: dict[str, Any] = field(default_factory=dict)


def unfolded(page: Page) -> None:
    """Open the part of the page with the texts."""
    page.locator("#texts summary").first.click()


def surest(page: Page) -> None:
    """List the texts of the second class, the surest first."""
    unfolded(page)
    page.locator("#order").select_option("sure")
    page.locator("#predicted").select_option(label="positive")
    page.wait_for_timeout(300)
    picked(page)


def picked(page: Page) -> None:
    """Open the first text of the list, and show the numbers of its planted word."""
    page.locator("#list a").first.click()
    page.wait_for_timeout(300)
    page.locator("#opened .map .ev").first.click()
    page.locator("#count").evaluate("element => element.scrollIntoView()")


def opened(page: Page) -> None:
    """Scroll to the words of the opened text, as on a small screen."""
    surest(page)
    page.locator("#opened-title").evaluate("element => element.scrollIntoView()")


def switched(page: Page) -> None:
    """Show that word and everything below the switch of maps."""
    unfolded(page)
    picked(page)
    page.locator("#maps").evaluate("element => element.scrollIntoView()")


def printed(page: Page) -> None:
    """Show the texts as printed on paper without colours."""
    page.emulate_media(media="print")
    page.evaluate("document.documentElement.style.filter = 'grayscale(1)'")
    page.locator("#texts").evaluate("element => element.scrollIntoView()")


def legend(page: Page) -> None:
    """Show the legend of the texts, and all maps with two directions."""
    unfolded(page)
    for box in page.locator("#maps label").filter(has_text="signed").locator("input").all():
        box.check()
    page.locator("#maps").evaluate("element => element.scrollIntoView()")


def head(page: Page) -> None:
    """Show the top of the report: the verdict, why, and what may be shown instead."""
    page.evaluate("scrollTo(0, 0)")


SCREEN = {"width": 1280, "height": 800}
SHOTS = (
    Shot("report-verdict", "learned", head, **SCREEN),
    Shot("report-class", "classes", head, **SCREEN),
    Shot("report-signs", "classes", legend, width=1280),
    Shot("report-instead", "away", head, **SCREEN),
    Shot(
        "report-instead-phone",
        "away",
        head,
        width=390,
        height=844,
        context={"device_scale_factor": 2},
    ),
    Shot("report-instead-dark", "away", head, context={"color_scheme": "dark"}, **SCREEN),
    Shot("report-desktop", "learned", surest, height=1360),
    Shot("report-random", "random", switched, height=760),
    Shot(
        "report-phone", "learned", opened, width=390, height=844, context={"device_scale_factor": 2}
    ),
    Shot("report-dark", "learned", opened, context={"color_scheme": "dark"}, height=760),
    Shot("report-print", "learned", printed, width=794, height=1000),
)


VIEWS: Mapping[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "print": {"viewport": {"width": 794, "height": 1123}},
}
"""The surroundings in which a page is photographed."""
PLAIN = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
    'content="width=device-width"><title>{title}</title><style>html{{color-scheme:light dark}}body{{max-width:56rem;'
    "margin:1rem auto;padding:0 1rem;font-family:sans-serif}}"
    "img{{max-width:100%}}pre{{overflow-x:auto}}</style>{body}"
)


def look(folder: Path) -> None:
    """Photograph everything that people see first, in all surroundings."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {} if not HOME.exists() else {"home": HOME}
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("docs/images/", f"{IMAGES}/")
    body = markdown.markdown(readme, extensions=["tables", "fenced_code"])
    pages["readme"] = _plain(folder / "readme.html", "README", body)
    for name in MODELS:
        audit = audited(name)
        pages[name] = write_page(audit, folder / f"{name}.html")
        text = html.escape("\n".join(lines(audit)))
        pages[f"terminal-{name}"] = _plain(
            folder / f"terminal-{name}.html", "terminal", f"<pre>{text}</pre>"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, path in pages.items():
            for view, context in VIEWS.items():
                page = browser.new_context(offline=True, **context).new_page()
                page.goto(path.as_uri())
                if view == "print":
                    page.emulate_media(media="print")
                page.wait_for_timeout(300)
                page.screenshot(path=folder / f"{name}-{view}.png", animations="disabled")
                page.context.close()
        browser.close()


def _plain(path: Path, title: str, body: str) -> Path:
    path.write_text(PLAIN.format(title=title, body=body), encoding="utf-8")
    return path


def main() -> None:
    """Make the audits, then each photograph; a file above the size limit is an error."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        shown = {shot.audit for shot in SHOTS}
        pages = {name: write_page(audited(name), Path(folder) / f"{name}.html") for name in shown}
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for shot in SHOTS:
            path = photographed(browser, shot, pages[shot.audit])
            if path.stat().st_size > LARGEST:
                sys.exit(f"{path}: expected at most {LARGEST} bytes, got {path.stat().st_size}")
            print(path.name, path.stat().st_size)
        browser.close()


def audited(model: str) -> Audit:
    """Train and audit a model."""
    data, spec, guided = MODELS[model]
    built, fit = build_specs(spec)
    made = run(RunSpec(parse_data(data), built, replace(fit, **guided)))[1]
    return replace(made, spec={**made.spec, "date": today()})


def photographed(browser: Browser, shot: Shot, path: Path) -> Path:
    """Open a page, take the steps, and write the picture."""
    viewport = {"width": shot.width, "height": shot.height}
    context = browser.new_context(offline=True, viewport=viewport, **shot.context)
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("#opened .map").first.wait_for(state="attached")
    shot.act(page)
    out = IMAGES / f"{shot.name}.png"
    out.parent.mkdir(exist_ok=True)
    page.screenshot(path=out, animations="disabled")
    context.close()
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--look", type=Path, metavar="FOLDER", help="photograph everything there")
    asked = parser.parse_args().look
    main() if asked is None else look(asked)
