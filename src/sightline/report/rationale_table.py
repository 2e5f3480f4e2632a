"""A table of how well each map finds the rationale, with chance levels."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.config.word_maps import MAPS
from sightline.core.results import Results
from sightline.report.map_names import map_title
from sightline.report.number_format import count, interval
from sightline.verdict.rationale_estimates import SCORES

DESCRIPTION = (
    "A rationale says where people saw the evidence; the model may have read other words. No test "
    "and no verdict uses these numbers. AUPRC is the area under precision and recall of the "
    "rationale. F1 is over as many top words as the rationale has. IOU F1 is over spans, which "
    "are runs of words; a span is found if it shares at least half of its union with a span of "
    "the rationale. By chance: the same map, permuted over the words of each text."
)


@dataclass(frozen=True)
class MarkedRow:
    """One map: AUPRC, F1 and IOU F1, each with its value by chance; and the number of texts."""

    name: str
    cells: tuple[str, ...]
    n: str


def marked_rows(audit: Results) -> tuple[MarkedRow, ...]:
    """Give a row for each map that was compared with rationales; none without rationales."""
    found = {
        name: [audit.estimates.get(f"rationale.{kind}.{name}") for kind in SCORES] for name in MAPS
    }
    return tuple(
        MarkedRow(
            map_title(name),
            tuple("—" if one is None else interval(one) for one in each),
            count(each[0].n),
        )
        for name, each in found.items()
        if each[0] is not None
    )
