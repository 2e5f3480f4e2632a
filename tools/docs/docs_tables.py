"""Write Markdown tables, and read files of results that may not exist yet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sightline.studies.kept_results import StudyResults, kept_of, page
from sightline.studies.paper_pages import UNDONE, claim_page, page_of
from sightline.studies.papers.claim_list import CLAIMS
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.results_file import read_rows
from sightline.studies.study_catalogue import ALL, CALIBRATIONS

ROOT = Path(__file__).resolve().parents[2]
Stored = Mapping[str, Any]
"""A file of results, parsed."""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    lines = [tuple(head), *map(tuple, rows)]
    lines.insert(1, ("---",) * len(lines[0]))
    return "".join(
        f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines
    )


def finding_page(code: str) -> str:
    """Give the page of a test, as a path from docs."""
    return f"findings/{code}.md"


RESULTS_FILE = ROOT / "docs" / "verified" / "results.csv.gz"
"""The numbers read from the runs of all studies."""
REPRODUCTION = "reproduction"
"""The pages with the papers' tables together."""


@cache
def all_kept() -> Mapping[str, StudyResults]:
    """Read the results file, once."""
    return kept_of(read_rows(RESULTS_FILE))


def verified(name: str) -> Stored | None:
    """Give the results of a study or a campaign, or None if they have not been counted."""
    if name == REPRODUCTION:
        return page_of_all(all_kept())
    if name in CALIBRATIONS:
        return page(CALIBRATIONS[name], all_kept()[name]) if name in all_kept() else None
    path = ROOT / "docs" / "verified" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def page_of_all(kept: Mapping[str, StudyResults]) -> dict[str, Any]:
    """Give what the pages show of all tables, figures and claims."""
    known = [page_of(study, kept.get(name, StudyResults())) for name, study in PAPER_TABLES.items()]
    return {
        "tables": known,
        "once": {**UNDONE, **kept.get(ALL, StudyResults()).status},
        "claims": [claim_page(claim, kept) for claim in CLAIMS],
    }


def when_counted(name: str, description: Callable[[Stored], str]) -> Callable[[], str]:
    """Describe a file of results, or say that it has not been made."""

    def made() -> str:
        if (stored := verified(name)) is None:
            return f"Not counted yet: `validation/verify.py --only {name}` counts it.\n"
        return description(stored)

    return made


def unfinished(stored: Stored, done: int) -> str:
    """Say how many planned runs are not counted, and what they would take; nothing if all are."""
    if stored.get("planned", done) == done:
        return ""
    return (
        f"**{done:,} of {stored['planned']:,} planned runs are counted**; the rest would take "
        f"about {stored['hours_left']:,.1f} hours of one worker.\n\n"
    )


def gates(stored: Stored, done: int | None = None) -> str:
    """Count the gates that hold, and table the others; ``done`` is the number of counted runs,
    which may be fewer than planned.
    """
    failed = [one for one in stored["gates"] if not one["holds"]]
    planned = stored.get("planned", done)
    part = "" if done == planned else f" on the {done:,} counted of {planned:,} planned runs"
    text = f"**{len(stored['gates']) - len(failed)} of {len(stored['gates'])} gates hold{part}.**\n"
    rows = [(one["name"], f"{one['count']} of {one['of']}", str(one["limit"])) for one in failed]
    return f"{text}\n{table(('what fails', 'counted', 'limit'), rows)}" if failed else text


def is_known(one: Stored | None) -> bool:
    """Whether an estimate has a value."""
    return one is not None and one["value"] is not None and not math.isnan(one["value"])


def number(value: Any, digits: int = 2) -> str:
    """Write a number, or an estimate with the known ends of its interval."""
    if isinstance(value, Mapping):
        ends = [
            end for end in (value["low"], value["high"]) if end is not None and not math.isnan(end)
        ]
        interval = f" [{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]" if ends else ""
        return f"{value['value']:.{digits}f}{interval}" if is_known(value) else "—"
    return "—" if value is None else f"{value:.{digits}f}"


def answered(found: Stored | None) -> str:
    """Write a result with its score, which is an estimate's ``value`` or its ``effect``."""
    if found is None:
        return "—"
    score = found.get("effect", found.get("value"))
    if score is None:
        return str(found["verdict"])
    return (
        f"{found['verdict']} {score:.2f} [{found['low']:.2f}, {found['high']:.2f}], n = "
        f"{found['n']}"
    )
