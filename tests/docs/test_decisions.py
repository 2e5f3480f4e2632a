"""The index of decisions: every page is in it once, with a status that leads somewhere."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
ROW = re.compile(r"\| \[(\d{4})\]\((\S+)\) \| ([^|]+) \| ([^|]+) \|")
STATUS = re.compile(r"current|history|replaced (?:in part )?by \[(\d{4})\]\((\S+)\)")


def complaints(index: str, pages: set[str]) -> list[str]:
    """Say what is wrong with an index of these pages."""
    rows = [ROW.fullmatch(line) for line in index.splitlines() if line.startswith("| [")]
    found = [row.groups() for row in rows if row is not None]
    named = [page for _, page, _, _ in found]
    wrong = [f"not listed: {page}" for page in sorted(pages - {*named})]
    wrong += [f"listed twice: {page}" for page in sorted({*named}) if named.count(page) > 1]
    wrong += ["a row that cannot be read" for row in rows if row is None]
    for number, page, _, status in found:
        match = STATUS.fullmatch(status)
        if match is None:
            wrong.append(f"{number}: no such status: {status}")
        elif match[2] and (match[2] not in pages or match[1] <= number):
            wrong.append(f"{number}: replaced by no newer decision: {status}")
        if page not in pages or not page.startswith(number):
            wrong.append(f"{number}: leads to {page}")
    return wrong


def test_every_decision_is_in_the_index_with_a_status() -> None:
    pages = {page.name for page in FOLDER.glob("*.md")} - {"index.md"}
    assert complaints((FOLDER / "index.md").read_text("utf-8"), pages) == []


@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("| [0001](0001-a.md) | a | current |", 0),
        ("| [0001](0001-a.md) | a | replaced by [0002](0002-b.md) |", 0),
        ("| [0001](0001-a.md) | a | replaced in part by [0003](0003-c.md) |", 1),
        ("| [0001](0001-a.md) | a | done |", 1),
        ("| [0001](0001-a.md) | a |", 2),
        ("| [0001](0002-b.md) | a | current |", 3),
        ("", 1),
    ],
)
def test_an_index_that_leads_nowhere_is_named(row: str, count: int) -> None:
    index = f"{row}\n| [0002](0002-b.md) | b | history |\n"
    assert len(complaints(index, {"0001-a.md", "0002-b.md"})) == count
