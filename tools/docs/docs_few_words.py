"""Tables of what it does to a verdict that only some words of a long text are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from docs_tables import Stored, number, table

from sightline.stats.bootstrap import mean
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.verdict_table import TABLE

FEW, ALL = "64 words", "all words"
LEVELS = {row.number: str(row.verdict) for row in TABLE}
PERMITS = {row.number for row in TABLE if row.verdict.permits}
"""The rows under which a map may be shown."""
SEEN = 0.005
"""The smallest difference of scores that two digits show."""


def few_words(stored: Stored) -> str:
    """Count verdicts with 64 words of a text and with all, and compare the scores of tests."""
    rows = stored["rows"]
    head = ("with 64 words", "with all words", "all texts", "predicted classes")
    scores = ("test", "audits", "mean score, 64 words", "all words", "difference [95 % CI]")
    wrong = {how: sum(_wrongly_shown(row, how) for row in rows) for how in (FEW, ALL)}
    return (
        f"{table(head, _pairs(rows))}\nOf {len(rows)} audits, {wrong[FEW]} with 64 words and "
        f"{wrong[ALL]} with all words end in *can be shown*, with or without caveats, where the "
        f"map must not be shown. With 64 words {sum(map(_permits_more, rows))} permit what all "
        f"words do not, for all texts or for a predicted class; they leave out "
        f"{_lost(rows)} maps of a predicted class that all words permit.\n\n{table(scores, _scores(rows))}"
    )


def _lost(rows: list[Stored]) -> int:
    """Count the predicted classes whose map all words permit and 64 words leave open."""
    return sum(
        one in PERMITS and row[FEW]["by_class"][of] not in PERMITS
        for row in rows
        for of, one in row[ALL]["by_class"].items()
    )


def _pairs(rows: list[Stored]) -> Iterator[tuple[str, ...]]:
    """Count each pair of verdicts, over all texts and over those of each predicted class."""
    whole = Counter((LEVELS[row[FEW]["row"]], LEVELS[row[ALL]["row"]]) for row in rows)
    classes = Counter(
        (LEVELS[row[FEW]["by_class"][of]], LEVELS[row[ALL]["by_class"][of]])
        for row in rows
        for of in row[ALL]["by_class"]
    )
    for pair in sorted({*whole, *classes}, key=lambda pair: (pair[0] != pair[1], pair)):
        yield *pair, str(whole[pair]), str(classes[pair])


def _wrongly_shown(row: Stored, how: str) -> bool:
    return row[how]["row"] in PERMITS and row[how]["row"] not in row["right"]


def _permits_more(row: Stored) -> bool:
    few, every = row[FEW], row[ALL]
    pairs = [(few["row"], every["row"])]
    pairs += [(one, every["by_class"].get(of)) for of, one in few["by_class"].items()]
    return any(one in PERMITS and other not in PERMITS for one, other in pairs)


def _scores(rows: list[Stored]) -> Iterator[tuple[str, ...]]:
    """Compare the mean scores of each test where they are not all equal."""
    for code, test in AUDIT_TESTS.items():
        pairs = [
            (row[FEW]["scores"][code][0], row[ALL]["scores"][code][0])
            for row in rows
            if code in row[FEW]["scores"] and code in row[ALL]["scores"]
        ]
        both = np.array(pairs, dtype=float).reshape(-1, 2)
        few, every = both[np.isfinite(both).all(axis=1)].T
        if len(few) < 2 or np.abs(few - every).max() < SEEN:
            continue
        apart = mean(few - every, 0, bounds=(-2.0, 2.0))
        found = {"value": apart.value, "low": apart.low, "high": apart.high}
        yield (
            f"{code} {test.name}",
            str(len(few)),
            number(few.mean()),
            number(every.mean()),
            number(found),
        )
