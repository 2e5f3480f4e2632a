"""An audit as a few plain lines, for the terminal."""

from __future__ import annotations

from sightline.report.numerals import count, interval, threshold
from sightline.report.sheets.columns import aligned
from sightline.report.visible import one_line
from sightline.results import Finding, Results


def lines(audit: Results) -> list[str]:
    """Give the verdict, one line a finding (those that bear on the verdict first), then the metrics.

    Every line can be printed: what a terminal would obey has become a visible sign.
    """
    findings = sorted(audit.findings, key=lambda finding: not finding.bears)
    told = [_verdict(audit), *(f"  - {reason}" for reason in audit.verdict.reasons), ""]
    told += aligned([_cells(finding) for finding in findings])
    told += ["", *(f"{name}: {interval(value)}, n = {count(value.n)}" for name, value in audit.metrics.items())]
    return [_tidy(line) for line in told]


def _verdict(audit: Results) -> str:
    decided = ", ".join(audit.verdict.decided_by)
    by = f"; decided by {decided}" if decided else ""
    return f"Verdict: {audit.verdict.text} (row {audit.verdict.row}{by})"


def _cells(finding: Finding) -> list[str]:
    delta = "" if finding.delta is None else threshold(finding.delta)
    claim = finding.claim if finding.bears else f"(context) {finding.claim}"
    if finding.effect is None:
        return [finding.code, finding.verdict, "no effect", delta, "", claim]
    return [finding.code, finding.verdict, interval(finding.effect), delta, f"n = {count(finding.effect.n)}", claim]


def _tidy(line: str) -> str:
    """Keep the spaces that align columns, and let no line end break a line in two."""
    return " ".join(one_line(piece) for piece in line.rstrip().split(" "))
