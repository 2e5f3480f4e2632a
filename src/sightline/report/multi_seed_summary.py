"""The summary over several training runs: sentences first, then rows of numbers, for the page and
the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sightline.report.number_format import count, interval
from sightline.report.sentences import answers, caveats, quoted
from sightline.verdict.seed_summary import NumberBySeed, SeedSummary, VerdictShare

TITLE = "Across seeds"
HOW = (
    "Means are over seeds, with Student’s t interval. It is about other training runs; the "
    "intervals over texts do not enter it. Few seeds give wide intervals, as they should."
)

NO_VERDICT = "no verdict of their own"


@dataclass(frozen=True)
class SeedRow:
    """One number across seeds, as the cells of a row: by seed, the mean, and the count of each
    result.
    """

    name: str
    claim: str
    cells: tuple[str, ...]
    mean: str
    answers: str


def summary_sentence(across: SeedSummary) -> str:
    """Say in one line whether seeds differ in their verdict, over all texts or for a class.

    >>> from sightline.core.results import Verdict
    >>> summary_sentence(SeedSummary((0, 1, 2), (Verdict("cannot tell", 1, (), ()),) * 3))
    'All 3 trainings end in the same verdict: cannot tell'
    """
    trainings = f"{count(len(across.seeds))} trainings"
    if across.disagree:
        each = ", ".join(f"{text} ({count(n)})" for text, n in across.counts.items())
        return f"The verdict depends on the training; of {trainings}: {each}"
    if not across.classes_disagree:
        return (
            f"All {trainings} end in the same verdict: "
            f"{'; '.join(part.text for part in answers(across.details[0]))}"
        )
    return (
        f"All {trainings} end in the same verdict for all texts together, "
        f"{across.verdicts[0]}; but by predicted class it depends on the training"
    )


def ends(across: SeedSummary) -> list[str]:
    """Count the training runs with each verdict, over all texts and for each predicted class."""
    whole = f"All texts together: {_ends(across.endings())}."
    return [
        whole,
        *(
            f"Texts predicted {quoted(name)}: {_ends(across.endings(name))}."
            for name in across.by_class
        ),
    ]


def seed_caveats(across: SeedSummary) -> list[str]:
    """Say every caveat of a verdict once, with its number of training runs, the most frequent
    first.
    """
    found = Counter(one for detail in across.details for one in dict.fromkeys(caveats(detail)))
    total = len(across.seeds)
    return [
        f"In {of_trainings(times, total)}: {one[:1].lower()}{one[1:]}"
        for one, times in found.most_common()
    ]


def which_texts(across: SeedSummary) -> str:
    """Say whether all training runs were audited on the same texts."""
    if across.same_texts:
        return "All of them were audited on the same texts."
    return (
        "Each was audited on its own texts: the seed also splits or generates the texts, and "
        "that is part of the spread."
    )


def notes(across: SeedSummary) -> list[str]:
    """Say which seeds there are, which one is shown in full, and what the intervals mean."""
    seeds = ", ".join(map(str, across.seeds))
    first = f"Seeds {seeds}; the first one is shown in full. {which_texts(across)}"
    most = across.endings()[0]
    text = f"“{most.verdict}” in {of_trainings(most.times, len(across.seeds))}"
    counted = (
        f"Counts of trainings are small: {text} is a share of {interval(most.share)} (Wilson)."
    )
    return [first, HOW, counted]


def rows(across: SeedSummary) -> Iterator[SeedRow]:
    """Write the verdicts, over all texts and by class, then each test, then the metrics."""
    yield SeedRow("verdict", "", across.verdicts, "", _counts(across.verdicts))
    for name, verdicts in across.by_class.items():
        cells = tuple(one or "—" for one in verdicts)
        yield SeedRow("verdict", f"for texts predicted {quoted(name)}", cells, "", _counts(cells))
    for one in across.claims:
        yield SeedRow(one.code, one.claim, *_cells(one.score), _counts(one.answers))
    for metric in across.metrics:
        yield SeedRow(metric.name, "", *_cells(metric), "")


def _ends(endings: tuple[VerdictShare, ...]) -> str:
    """Say each verdict with its number of training runs."""
    total = endings[0].share.n
    return "; ".join(
        f"{one.verdict or NO_VERDICT} in {of_trainings(one.times, total)}" for one in endings
    )


def of_trainings(times: int, total: int) -> str:
    """Count training runs among all.

    >>> of_trainings(2, 3), of_trainings(3, 3)
    ('2 of 3 trainings', 'all 3 trainings')
    """
    return (
        f"all {count(total)} trainings"
        if times == total
        else f"{count(times)} of {count(total)} trainings"
    )


def _cells(number: NumberBySeed) -> tuple[tuple[str, ...], str]:
    """Write a number by seed, and its mean, with the number of seeds if some have none."""
    cells = tuple("—" if one is None else interval(one) for one in number.by_seed)
    known = sum(one is not None and one.value == one.value for one in number.by_seed)
    of = "" if known == len(cells) else f" ({count(known)} of {count(len(cells))} seeds)"
    return cells, f"{interval(number.mean)}{of}" if known else "—"


def _counts(answers: tuple[str, ...]) -> str:
    return ", ".join(f"{answer} ({n})" for answer, n in Counter(answers).most_common())
