"""A page of 10,000 texts: its size against 30 MB, the time until a browser shows the first text,
sorting and searching.

Texts are about as long as SST's, and once as long as IMDB's, of which a page holds as many as fit.
The words are drawn by Zipf's law from a vocabulary of 30,000, the numbers from a gamma
distribution: harder to pack than real ones.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from compare import print_line, quick
from playwright.sync_api import Page, expect, sync_playwright

from sightline.audits.audit_result import Audit
from sightline.core.results import Measurement, Outcome, Ragged, TextRecord, Verdict
from sightline.report.html.audit_page import write_page
from sightline.report.html.explorer import BUDGET
from sightline.report.map_names import MAPS

CHROMIUM, OPENS, ANSWERS = "/usr/bin/chromium", 2.0, 0.5
VOCABULARY = 30_000


def main() -> None:
    """Make both pages, and print one JSON line a comparison."""
    if not Path(CHROMIUM).exists():
        return print(f"no chromium at {CHROMIUM}: apt-get install chromium", file=sys.stderr)
    count, rounds = (1_000, 3) if quick() else (10_000, 7)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, words in (("SST", 19), ("IMDB", 230)):
            what = f"page of {count} texts as long as {name}'s"
            path = Path(folder) / f"{name}.html"
            write_page(made(count, words), path)
            describe(
                f"{what}: bytes",
                f"{BUDGET // 10**6} MB",
                BUDGET,
                [path.stat().st_size],
                "the file is not larger",
            )
            page = browser.new_page()
            timed = [opened(page, path) for _ in range(rounds)]
            describe(
                f"{what}: open",
                f"{OPENS:g} seconds",
                OPENS,
                timed,
                "the first text is shown in less time",
            )
            held = page.locator("#count").inner_text()
            describe(
                f"{what}: sort",
                f"{ANSWERS:g} seconds",
                ANSWERS,
                sorts(page, rounds),
                "the list answers in less time",
            )
            first, *later = searches(page, rounds)
            describe(
                f"{what}: first search",
                f"{OPENS:g} seconds",
                OPENS,
                [first],
                "all texts are unpacked in less time",
            )
            describe(
                f"{what}: search",
                f"{ANSWERS:g} seconds",
                ANSWERS,
                later,
                f"less time; in the page: {held}",
            )
            page.close()
        browser.close()
    return None


def made(count: int, words: int) -> Audit:
    """Make an audit with every map a page knows; lengths vary as those of reviews do."""
    random = np.random.default_rng(0)
    vocabulary = np.array(
        ["".join(random.choice(list("etaoinshrdlu"), 1 + i % 11)) for i in range(VOCABULARY)]
    )
    chances = 1 / np.arange(1, VOCABULARY + 1)
    lengths = np.maximum(2, random.gamma(4, words / 4, count)).astype(np.int64)
    texts = tuple(
        record(i, random.choice(vocabulary, size=n, p=chances / chances.sum()).tolist())
        for i, n in enumerate(lengths.tolist())
    )
    total = int(lengths.sum())
    values: dict[str, dict[str, np.ndarray | Ragged]] = {
        "outputs": {"probability": random.random(count)}
    }
    for kind in MAPS:
        values.setdefault(kind.measure, {})[kind.quantity] = Ragged(
            random.gamma(0.4, size=total), lengths
        )
    values["agreement"]["disagreement"] = random.random(count)
    measured: dict[str, Outcome] = {code: Measurement(code, each) for code, each in values.items()}
    return Audit(Verdict("cannot tell", 6, (), ()), (), {}, {}, measured, {}, {}, {}, texts=texts)


def record(index: int, words: list[str]) -> TextRecord:
    """Put words into one text, a space between."""
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    spans = tuple((int(end) - len(word), int(end)) for end, word in zip(ends, words, strict=True))
    return TextRecord(
        f"test-{index}", " ".join(words), tuple(words), spans, "ab"[index % 2], "ab"[index // 3 % 2]
    )


def opened(page: Page, path: Path) -> float:
    """Time from the request to the first text of the explorer."""
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.locator("#opened .map").first.wait_for()
    return time.perf_counter() - began


def sorts(page: Page, rounds: int) -> list[float]:
    """Time an order by other numbers, until the list begins with another text."""
    times = []
    for order in (["unsure", "sure", "data"] * rounds)[:rounds]:
        before = page.locator("#list a").first.inner_text()
        act = lambda order=order: page.locator("#order").select_option(order)  # noqa: E731
        times.append(
            until(
                act,
                lambda before=before: expect(page.locator("#list a").first).not_to_have_text(
                    before
                ),
            )
        )
    return times


def searches(page: Page, rounds: int) -> list[float]:
    """Time searches until the count has changed, the wait for the next key (0.12 s) included."""
    times = []
    for i in range(rounds + 1):
        before = page.locator("#count").inner_text()
        letters = "etaoin"[i % 6] * 2 if i % 2 else "zzz"  # in some texts, and in none
        act = lambda letters=letters: page.locator("#find").fill(letters)  # noqa: E731
        times.append(
            until(
                act, lambda before=before: expect(page.locator("#count")).not_to_have_text(before)
            )
        )
    return times


def until(act: Callable[[], object], done: Callable[[], object]) -> float:
    """Time an act until what it leads to is seen."""
    began = time.perf_counter()
    act()
    done()
    return time.perf_counter() - began


def describe(name: str, against: str, allowed: float, found: list[float], relation: str) -> None:
    """Print one JSON line: how many times what is allowed what was found is."""
    ratios = [allowed / one for one in found]
    median = round(float(np.median(found)), 3)
    print_line(name, against, ratios, max(found) <= allowed, relation, threads=1, found=median)


if __name__ == "__main__":
    main()
