"""What several seeds say together, in plain sentences and rows: for the page and the terminal alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sightline.findings.seeds import AcrossSeeds, NumberAcross
from sightline.report.numerals import count, interval

TITLE = "Across seeds"
HOW = (
    "Means are over seeds, with Student’s t interval: it speaks of other trainings, and the intervals over texts do "
    "not enter it. Few seeds give wide intervals, as they should."
)


@dataclass(frozen=True)
class AcrossRow:
    """One number across seeds, as the cells of a row: by seed, the mean, and how often each answer came."""

    name: str
    claim: str
    cells: tuple[str, ...]
    mean: str
    answers: str


def told(across: AcrossSeeds) -> str:
    """Say in one line whether another seed gives another verdict.

    >>> told(AcrossSeeds((0, 1, 2), ("cannot tell",) * 3, (), (), True))
    'All 3 seeds end in the same verdict: cannot tell'
    """
    if not across.disagree:
        return f"All {count(len(across.seeds))} seeds end in the same verdict: {across.verdicts[0]}"
    each = ", ".join(f"{text} ({count(n)})" for text, n in across.counts.items())
    return f"The verdict depends on the seed of the training; of {count(len(across.seeds))} seeds: {each}"


def notes(across: AcrossSeeds) -> list[str]:
    """Say which seeds there are, which of them is shown in full, and whether their texts are the same."""
    seeds = ", ".join(map(str, across.seeds))
    same = "All of them were audited on the same texts."
    other = "Each was audited on texts of its own: the seed also divides or makes the texts, and that is in the spread."
    return [f"Seeds {seeds}; the first is the one that is shown in full. {same if across.same_texts else other}", HOW]


def rows(across: AcrossSeeds) -> Iterator[AcrossRow]:
    """Write the verdicts, then each claim, then the metrics."""
    yield AcrossRow("verdict", "", across.verdicts, "", _counts(across.verdicts))
    for one in across.claims:
        yield AcrossRow(one.code, one.claim, *_cells(one.effect), _counts(one.answers))
    for metric in across.metrics:
        yield AcrossRow(metric.name, "", *_cells(metric), "")


def _cells(number: NumberAcross) -> tuple[tuple[str, ...], str]:
    """Write a number by seed, and its mean; of fewer seeds than there are, it says of how many."""
    cells = tuple("—" if one is None else interval(one) for one in number.by_seed)
    known = sum(one is not None and one.value == one.value for one in number.by_seed)
    of = "" if known == len(cells) else f" ({count(known)} of {count(len(cells))} seeds)"
    return cells, f"{interval(number.mean)}{of}" if known else "—"


def _counts(answers: tuple[str, ...]) -> str:
    return ", ".join(f"{answer} ({n})" for answer, n in Counter(answers).most_common())
