"""Tables of how often an audit that may stop early ends in the verdict of a full one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from docs_tables import Stored, table, unfinished

from sightline.stats.bootstrap import proportion

TRANSFORMER = "MiniLM"


def settled(stored: Stored) -> str:
    """Count models with the same verdict, and list models with another."""
    rows = stored["rows"]
    return _compared(stored, _counts(rows))


def settled_on_real_texts(stored: Stored) -> str:
    """Count the same of models trained here and of a pretrained one, and compare their seconds."""
    rows = stored["rows"]
    groups = {
        "models of the papers": [row for row in rows if TRANSFORMER not in row["name"]],
        f"{TRANSFORMER}, one source each": [row for row in rows if TRANSFORMER in row["name"]],
    }
    counts = [
        (f"{of}: {name}", *more) for name, some in groups.items() for of, *more in _counts(some)
    ]
    seconds = (
        f"{name}: {_seconds(some, 'full')} s in full, {_seconds(some, 'looks')} s by looks"
        for name, some in groups.items()
        if some
    )
    settled_too = sum(bool(row["looks"]["settled"]) for row in rows)
    said = (
        f"\nOf {len(rows)} audits by looks {settled_too} said that their verdict was settled; the "
        f"others took all texts. Median seconds of a processor, {'; '.join(seconds)}.\n"
    )
    return f"{_compared(stored, counts)}{said}"


def _seconds(rows: list[Stored], how: str) -> str:
    return f"{np.median([row[how]['cpu'] for row in rows]):.0f}"


def _counts(rows: list[Stored]) -> list[Iterator[str]]:
    return [_counted("all texts together", rows, same), _counted("every class", rows, _classes)]


def _compared(stored: Stored, counts: Iterable[Iterable[str]]) -> str:
    rows = stored["rows"]
    differing = [row for row in rows if not (same(row) and _classes(row))]
    head = ("verdict of", "models", "the same", "another", "not settled", "same [95 % CI]")
    text = f"{unfinished(stored, len(rows))}{table(head, counts)}"
    if not differing:
        return text
    columns = ("model", "full audit", "by looks", "open at the end")
    return f"{text}\nWhere they differ:\n\n{table(columns, map(_difference, differing))}"


def same(row: Stored) -> bool:
    """Whether the verdict for all texts is the same."""
    return bool(row["full"]["verdict"] == row["looks"]["verdict"])


def _classes(row: Stored) -> bool:
    return bool(row["full"]["by_class"] == row["looks"]["by_class"])


def _counted(of: str, rows: list[Stored], equal: Callable[[Stored], bool]) -> Iterator[str]:
    """Count equal verdicts; a verdict that the looks left open is not counted as different."""
    found = np.array([equal(row) for row in rows], dtype=float)
    left = sum(not equal(row) and not row["looks"]["settled"] for row in rows)
    share = proportion(found)
    yield of
    yield str(len(rows))
    yield str(int(found.sum()))
    yield str(len(rows) - int(found.sum()) - left)
    yield str(left)
    value, low, high = (f"{100 * one:.1f} %" for one in (share.value, share.low, share.high))
    yield f"{value} [{low}, {high}]"


def _difference(row: Stored) -> Iterator[str]:
    yield row["name"]
    for how in ("full", "looks"):
        classes = ", ".join(f"{of}: {level}" for of, level in row[how]["by_class"].items())
        yield f"{row[how]['verdict']} ({classes})"
    yield ", ".join(row["looks"]["open"]) or "—"
