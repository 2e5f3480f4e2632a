"""The result of a test as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from sightline.core.audited_map import ATTENTION, reword_for_map
from sightline.core.results import Finding
from sightline.report import sentences
from sightline.report.effect_scale import formula
from sightline.report.html.table_rows import EstimateRow, class_rows, estimate_rows
from sightline.report.number_format import count, level_of, score_span, trimmed_number
from sightline.report.number_format import score as written
from sightline.report.svg_figures import anchor, finding_figure
from sightline.verdict.catalogue import AUDIT_TESTS

MARKS = {"passed": "●", "failed": "✕", "inconclusive": "◐", "not run": "–"}
"""A sign for each result, for readers who do not see its colour."""


@dataclass(frozen=True)
class FindingView:
    """The result of a test as text, with one figure."""

    finding: Finding
    anchor: str
    mark: str
    score: str
    span: str
    threshold: str
    n: str
    sentences: tuple[str, ...]
    reason: str
    chance: str
    change: str
    figure: Markup | None
    classes: tuple[EstimateRow, ...]
    class_level: str
    """The level of the intervals of classes, which are wider because there are several."""
    related: tuple[EstimateRow, ...]
    scale: str


def finding_view(finding: Finding, of_map: str = ATTENTION) -> FindingView:
    """Put everything about a finding into text and one figure."""
    score = finding.score
    return FindingView(
        finding=finding,
        anchor=anchor(finding.code),
        mark=MARKS[finding.result],
        score="—" if score is None else written(score.value),
        span="—" if score is None else score_span(score),
        threshold="—" if finding.threshold is None else trimmed_number(finding.threshold),
        n="—" if score is None else count(score.n),
        sentences=tuple(reword_for_map(one, of_map) for one in sentences.sentences(finding)),
        reason=sentences.reason(finding),
        chance=reword_for_map(sentences.chance(finding), of_map),
        change=sentences.to_settle(finding),
        figure=finding_figure(finding),
        classes=tuple(class_rows(finding)),
        class_level=level_of(finding.by_class.values()),
        related=tuple(estimate_rows(finding.beside)),
        scale=formula(AUDIT_TESTS[finding.code]) if finding.code in AUDIT_TESTS else "",
    )
