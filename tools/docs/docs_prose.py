"""Does the prose agree with the catalogue? Each check returns complaints, none if all is well.

Checks about the present leave out the records of decisions, which describe the time of their
writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docs_tables import ROOT

from sightline.adapters.compatibility import COLLATE, DEMANDS, MODE, TRACE, UNCHANGED
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SightlineError
from sightline.core.results import VERDICTS
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.verdict.catalogue import AUDIT_TESTS

Pages = Mapping[str, str]
"""Texts by path from the root of the checkout."""

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen"
)
NUMBERS = [
    *UNITS.split(),
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "twenty-one",
    "twenty-two",
    "twenty-three",
    "twenty-four",
    "twenty-five",
]
TOTALS: Mapping[str, int] = {
    "findings": len(AUDIT_TESTS),
    "claims": len(AUDIT_TESTS),
    "verdicts": len(VERDICTS),
    "answers mean": len(VERDICTS),
    "proofs": len({MODE, COLLATE, TRACE, UNCHANGED, *DEMANDS}),
    "notebooks": len([*(ROOT / "examples").glob("*.ipynb")]),
    "whole examples": len([*(ROOT / "examples").glob("*.py")]),
    "tables and figures": len(PAPER_TABLES),
}
"""The total of each thing that pages count."""
PARTS = {
    ("CHANGELOG.md", "two findings more"): "added by one change",
    ("CHANGELOG.md", "three findings more"): "added by one change",
    ("docs/full-stop.md", "Three more findings see"): "some of all",
}
"""Numbers that count a part, with the reason why the total is another."""
NOT_TRUE = re.compile(
    r"not measured|measured yet|not tested yet|out of reach|this version|never says it",
    re.IGNORECASE,
)
"""Phrases that were once true of findings that were not measured yet."""
SPARED = {
    (
        "docs/own-measure.md",
        "that half is not measured",
    ): "the half of the texts that a measure learns from",
    (
        "docs/report-files.md",
        "null if not measured",
    ): "a number of a text whose measure was not asked for",
    ("CHANGELOG.md", "no longer out of reach"): "says that it can be reached",
    ("docs/caveats.md", "what was not measured is listed"): "what an audit did not measure",
}
"""Where such phrases are true, with the reason."""
CODE = re.compile(r"\bSL-\d{3}\b")
PLANTED = re.compile(r"planted:\w+\([^()…`\"']*\)")
_DIVIDER = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose_complaints(pages: Pages) -> list[str]:
    """Gather what every check has to say."""
    today = {name: text for name, text in pages.items() if not name.startswith("docs/decisions/")}
    return [
        *check_tables(pages),
        *check_verdicts(today),
        *check_totals(today),
        *check_measured(today),
        *check_codes(today),
        *check_specs(today),
    ]


def tables(text: str) -> Iterator[list[list[str]]]:
    """Give every block of rows outside of fences, each row as its cells."""
    block: list[list[str]] = []
    for line in [*_FENCED.sub("", text).split("\n"), ""]:
        if line.startswith("|"):
            block.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]])
        elif block:
            yield block
            block = []


def check_tables(pages: Pages) -> list[str]:
    """Name rows with another number of cells than their header, and rows without a header."""
    complaints = []
    for name, text in pages.items():
        for head, *rows in tables(text):
            if not rows or not _DIVIDER.fullmatch(f"|{'|'.join(rows[0])}|"):
                complaints.append(
                    f"{name}: a row of a table without a header: {' | '.join(head)[:80]}"
                )
            complaints += [
                f"{name}: {len(row)} cells under a header of {len(head)}: {' | '.join(row)[:80]}"
                for row in rows
                if len(row) != len(head)
            ]
    return complaints


def check_verdicts(pages: Pages) -> list[str]:
    """Name lists of verdicts that differ from the verdicts of the code."""
    return [
        f"{name}: lists the verdicts {lines}, the code gives {[*VERDICTS]}"
        for name, text in pages.items()
        for head, *rows in tables(text)
        if head[0] == "verdict"
        and (lines := [row[0].strip("*") for row in rows[1:]]) != [*VERDICTS]
    ]


def check_totals(pages: Pages) -> list[str]:
    """Name numbers of findings, notebooks or the like that differ from the actual number."""
    words = "|".join([*NUMBERS, r"\d+"])
    complaints = []
    for name, text in pages.items():
        for noun, total in TOTALS.items():
            for found in re.finditer(rf"\b({words})(?: more)? {noun}\b", text, re.IGNORECASE):
                spared = any(
                    page == name and text.startswith(part, found.start()) for page, part in PARTS
                )
                if not spared and found[1].lower() not in (
                    str(total),
                    NUMBERS[total] if total < len(NUMBERS) else "",
                ):
                    complaints.append(f"{name}: says {found[0]!r}, there are {total}")
    return complaints


def check_measured(pages: Pages) -> list[str]:
    """Name phrases that call something not measured or out of reach; every test of the catalogue
    is measured.
    """
    complaints = []
    for name, text in pages.items():
        spared = [
            (at, at + len(part))
            for page, part in SPARED
            if page == name and (at := text.find(part)) >= 0
        ]
        complaints += [
            f"{name}: says {text[max(0, found.start() - 40) : found.end() + 20]!r}"
            for found in NOT_TRUE.finditer(text)
            if not any(low <= found.start() < high for low, high in spared)
        ]
    return complaints


def check_codes(pages: Pages) -> list[str]:
    """Name test codes that do not exist."""
    named = sorted({(name, code) for name, text in pages.items() for code in CODE.findall(text)})
    return [
        f"{name}: there is no finding {code}" for name, code in named if code not in AUDIT_TESTS
    ]


def check_specs(pages: Pages) -> list[str]:
    """Name planted corpora that cannot be read."""
    named = sorted({(name, spec) for name, text in pages.items() for spec in PLANTED.findall(text)})
    return [
        f"{name}: {spec}: {description}" for name, spec in named if (description := _refusal(spec))
    ]


def _refusal(spec: str) -> str:
    try:
        parse_data(spec)
    except SightlineError as error:
        return str(error)
    return ""
