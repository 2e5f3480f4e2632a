"""How well each map finds the words that people marked, as rows of numbers beside what chance would
find.
"""

from __future__ import annotations

from dataclasses import dataclass

from sightline.config.word_maps import MAPS
from sightline.core.results import Results
from sightline.report.map_names import called
from sightline.report.number_format import count, interval
from sightline.verdict.rationale_estimates import SCORES

DESCRIPTION = (
    "Marks say where people saw the evidence, not what the model read: no test and no "
    "verdict rests on these numbers. AUPRC is the area under precision and recall of the "
    "marked words; F1 is that of as many top words as are marked, and IOU F1 that of their "
    "spans, runs of words, found where at least half of the union with a marked one is "
    "shared. By chance: the same map, permuted over the words of each text."
)


@dataclass(frozen=True)
class MarkedRow:
    """One map: AUPRC, F1 and IOU F1, each beside the same by chance; and the texts that they rest
    on.
    """

    name: str
    cells: tuple[str, ...]
    n: str


def marked_rows(audit: Results) -> tuple[MarkedRow, ...]:
    """Give a row for each map that was compared with marks; none where there are no marks."""
    found = {
        name: [audit.estimates.get(f"rationale.{kind}.{name}") for kind in SCORES] for name in MAPS
    }
    return tuple(
        MarkedRow(
            called(name),
            tuple("—" if one is None else interval(one) for one in each),
            count(each[0].n),
        )
        for name, each in found.items()
        if each[0] is not None
    )
