"""Measure the built site: how high each page is, and how many clicks lead to it from Home.

``python tools/docs/page_sizes.py`` after ``make site``; it exits with 1 if a page is longer than
`LONGEST` screens or further than `FURTHEST` clicks. Needs Debian's chromium.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SITE = Path(__file__).parents[2] / "build" / "site"
CHROMIUM = Path("/usr/bin/chromium")
SCREEN = {"width": 1440, "height": 900}
LONGEST = 5.0
FURTHEST = 2
LONG_PAGES: Mapping[str, str] = {
    "changelog": "a list by date, to be searched rather than read through",
    "cli": "the help of every command, generated from the commands",
    "python-api": "signatures and docstrings, generated from the code",
    "schema": "every field of every file, to be looked up by its name",
    "decisions": "one line a decision, to be looked up by its number",
    "tables/*": "results as they were counted, generated from docs/verified",
}
"""The reference pages that may be longer, as patterns of their place in the site, and why."""
_NAVIGATION = """() => {
  const place = link => link.href.split('#')[0];
  const inside = [...document.querySelectorAll('article a[href]')].map(place);
  const tabs = [...document.querySelectorAll('nav.md-tabs a[href]')].map(place);
  const active = document.querySelector(
    'nav.md-nav--primary > ul > li.md-nav__item--active, nav.md-nav--primary > ul > li.md-nav__item--section'
  );
  const menu = active === null ? [] : [...active.querySelectorAll('a.md-nav__link[href]')]
    .filter(link => link.closest('nav.md-nav--secondary') === null)
    .map(link => {
      let folds = 0;
      for (let at = link.closest('li.md-nav__item--nested'); at !== null && at !== active;
           at = at.parentElement.closest('li.md-nav__item--nested')) {
        const own = at.querySelector(':scope > .md-nav__link a.md-nav__link, :scope > a.md-nav__link');
        if (own !== link && !at.classList.contains('md-nav__item--active')) folds += 1;
      }
      return [place(link), 1 + folds];
    });
  return {
    height: document.querySelector('.md-content').getBoundingClientRect().bottom + scrollY
      + document.querySelector('.md-footer').offsetHeight,
    links: [...[...inside, ...tabs].map(one => [one, 1]), ...menu],
  };
}"""
"""The height from the top of the text to the end of the footer (a menu is as high as the window),
and the clicks to each linked page: links in the text, tabs, and the menu of the active tab, where
a folded section costs one more click.
"""


@dataclass(frozen=True)
class PageSize:
    """The measured size of a page; `clicks` is None if no link leads to it."""

    place: str
    screens: float
    clicks: int | None

    def complaints(self) -> Iterator[str]:
        """Say whether the page is too long or too far from Home."""
        if self.screens > LONGEST and not may_be_long(self.place):
            yield f"{self.place or 'Home'}: {self.screens:.2f} screens, at most {LONGEST:g}"
        if self.clicks is None or self.clicks > FURTHEST:
            far = "no way leads here" if self.clicks is None else f"{self.clicks} clicks"
            yield f"{self.place}: {far} from Home, at most {FURTHEST} clicks"


def may_be_long(place: str) -> bool:
    """Whether a page is one of the reference pages."""
    return any(fnmatch(place, pattern) for pattern in LONG_PAGES)


def clicks_from(start: str, links: Mapping[str, Iterable[tuple[str, int]]]) -> dict[str, int]:
    """Count the clicks to each reachable place, by the shortest way."""
    known, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for target, clicks in links.get(place, ()):
            if known[place] + clicks < known.get(target, sys.maxsize):
                known[target] = known[place] + clicks
                queue.append(target)
    return known


def measured(site: Path) -> list[PageSize]:
    """Open every page of a built site."""
    files = {
        path.parent.relative_to(site).as_posix().removeprefix("."): path
        for path in sorted(site.rglob("index.html"))
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = dict(_opened(browser, site, files))
        browser.close()
    clicks = clicks_from("", {place: links for place, (_, links) in found.items()})
    return [
        PageSize(place, height / SCREEN["height"], clicks.get(place))
        for place, (height, _) in found.items()
    ]


def _opened(
    browser: Browser, site: Path, files: Mapping[str, Path]
) -> Iterator[tuple[str, tuple[float, list[tuple[str, int]]]]]:
    page = browser.new_context(offline=True, viewport=SCREEN).new_page()
    root = site.as_uri()
    for place, path in files.items():
        page.goto(path.as_uri())
        seen = page.evaluate(_NAVIGATION)
        links = [(_place(link, root), clicks) for link, clicks in seen["links"]]
        yield place, (seen["height"], [one for one in links if one[0] in files])


def _place(link: str, root: str) -> str:
    return link.removeprefix(root).removesuffix("index.html").strip("/")


def report(site: Path, *, every: bool = False) -> bool:
    """Print the longest pages and the complaints; return whether there are complaints."""
    if not CHROMIUM.exists():
        print(f"pages are not measured: {CHROMIUM} is not there")
        return False
    sizes = sorted(measured(site), key=lambda one: -one.screens)
    for one in sizes if every else [one for one in sizes if not may_be_long(one.place)][:5]:
        print(f"{one.screens:6.2f} screens {one.clicks} clicks  {one.place or 'Home'}")
    found = [complaint for one in sizes for complaint in one.complaints()]
    print("\n".join(found) or f"{len(sizes)} pages: none is too long, and none is too far")
    return bool(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print every page, the longest first")
    sys.exit(report(SITE, every=parser.parse_args().all))
