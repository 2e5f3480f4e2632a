"""An audit as a few plain lines, for the terminal."""

from __future__ import annotations

from sightline.report.instead import HOW, families
from sightline.report.learning import learning
from sightline.report.numerals import count, interval, threshold
from sightline.report.sentences import headline, reasons_by_class
from sightline.report.sheets.columns import aligned
from sightline.report.visible import one_line
from sightline.results import Finding, Results, Verdict


def lines(audit: Results) -> list[str]:
    """Give the verdict, the model, which map may be shown, one line a finding (bearing ones first), then the metrics.

    Every line can be printed: what a terminal would obey has become a visible sign.
    """
    findings = sorted(audit.findings, key=lambda finding: not finding.bears)
    told = [_verdict(audit), *_reasons(audit.verdict), *_model(audit), *_maps(audit), ""]
    told += aligned([_cells(finding) for finding in findings])
    told += ["", *(f"{name}: {interval(value)}, n = {count(value.n)}" for name, value in audit.metrics.items())]
    return [_tidy(line) for line in told]


def _verdict(audit: Results) -> str:
    decided = ", ".join(audit.verdict.decided_by)
    by = f"; decided by {decided}" if decided else ""
    return f"Verdict: {headline(audit.verdict)} (row {audit.verdict.row}{by})"


def _reasons(verdict: Verdict) -> list[str]:
    """List why, first for the classes that the map must not be shown for."""
    classes = [f"{which}: {why}" for which, why in reasons_by_class(verdict)]
    return [f"  - {reason}" for reason in (*classes, *verdict.reasons)]


def _model(audit: Results) -> list[str]:
    """Say in one line whether the model has learned anything."""
    return [] if audit.learned is None else [f"Model: {' '.join(learning(audit.learned))}"]


def _maps(audit: Results) -> list[str]:
    """Say which map may be shown, if any, a line for each kind of map."""
    found = families(audit.maps)
    told = [f"  {one.title}: {one.answer}. {' '.join(filter(None, (one.best, one.measured)))}" for one in found]
    return [f"Which map, if any: {HOW}", *told] if found else []


def _cells(finding: Finding) -> list[str]:
    delta = "" if finding.delta is None else threshold(finding.delta)
    claim = finding.claim if finding.bears else f"(context) {finding.claim}"
    if finding.effect is None:
        return [finding.code, finding.verdict, "no effect", delta, "", claim]
    return [finding.code, finding.verdict, interval(finding.effect), delta, f"n = {count(finding.effect.n)}", claim]


def _tidy(line: str) -> str:
    """Keep the spaces that align columns, and let no line end break a line in two."""
    return " ".join(one_line(piece) for piece in line.rstrip().split(" "))
