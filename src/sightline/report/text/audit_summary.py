"""An audit as a few plain lines, for the terminal: what a reader needs first, then the numbers
behind it.
"""

from __future__ import annotations

from sightline.core.results import Finding, Reason, Results, Verdict
from sightline.report import (
    accuracy_sentences,
    attention_source_notes,
    data_notes,
    transfer_summary,
)
from sightline.report.advice import TITLE, advice, unsaid
from sightline.report.alternative_maps import at_odds, families, how
from sightline.report.effect_scale import SCALE
from sightline.report.number_format import chosen, count, interval
from sightline.report.sanitize import one_line, shortened
from sightline.report.sentences import NotRunTests, caveat_reasons, caveats, headline
from sightline.report.text.column_layout import aligned, points

_SCALE = f"{SCALE} Each code has a page in docs/findings."

_HEAD = ["result", "test", "score and 95 % interval", "threshold", "texts", "role in the verdict"]


def lines(audit: Results, *, alone: bool = True) -> list[str]:
    """Give the verdict, whether the model learned anything and what to do; below them the numbers
    behind it.

    Above the line of details stand no codes and no thresholds. Every line can be printed: what a
    terminal would obey has become a visible sign.
    """
    sentences = [
        f"Verdict: {headline(audit.verdict)}",
        *transfer_summary.transfer_sentences(audit),
        *points(caveats(audit.verdict)),
    ]
    sentences += _model(audit)
    sentences += _choice(audit)
    sentences += _texts(audit)
    sentences += [*_advice(audit, alone=alone), "", *_details(audit)]
    return [_tidy(line) for line in sentences]


def _advice(audit: Results, *, alone: bool) -> list[str]:
    """Say what to do, where the verdict does not say it already."""
    found = unsaid(audit.verdict, advice(audit, alone=alone))
    return [f"{TITLE}:", *points(found)] if found else []


def _model(audit: Results) -> list[str]:
    """Say whether the model has learned anything, a sentence a line."""
    if audit.learned is None:
        return []
    first, *others = accuracy_sentences.learning(audit.learned, audit.verdict.reasons)
    return [f"{accuracy_sentences.QUESTION} {first}", *points(others)]


def _choice(audit: Results) -> list[str]:
    """Say which reading was chosen, where one was."""
    said = attention_source_notes.choice(audit)
    return [f"{attention_source_notes.QUESTION} {said}"] if said else []


def _texts(audit: Results) -> list[str]:
    """Say what is to be known of the texts, where there is something."""
    found = data_notes.noted(audit)
    return [f"{data_notes.TITLE}:", *points(found)] if found else []


def _details(audit: Results) -> list[str]:
    """Give what decided, the numbers behind the sentences, the maps, one line a finding, and the
    metrics.
    """
    findings = sorted(audit.findings, key=lambda finding: not finding.bears)
    lines = [
        _decided(audit.verdict),
        *_behind(audit.verdict),
        *_maps(audit),
        "",
        *filter(None, [at_odds(audit), _SCALE]),
    ]
    lines += aligned([_HEAD, *(_cells(finding) for finding in findings)])
    return [
        *lines,
        "",
        *(
            f"{name}: {interval(value)}, n = {count(value.n)}"
            for name, value in audit.metrics.items()
        ),
    ]


def _decided(verdict: Verdict) -> str:
    by = (
        f". The verdict (docs/verdict.md) rests on {', '.join(verdict.decided_by)}"
        if verdict.decided_by
        else ""
    )
    return f"Details{by}."


def _behind(verdict: Verdict) -> list[str]:
    """Give the numbers behind the sentences, by the findings that say them."""
    said = [
        (f"{which}: " if which else "", one) for one, which in caveat_reasons(verdict) if one.behind
    ]
    return [f"  {which}{_named(one)}{one.behind}" for which, one in said]


def _named(one: Reason) -> str:
    """Name what a reason speaks of; of several tests its numbers name each."""
    return "" if isinstance(one, NotRunTests) else f"{one.code or shortened(one.words, 40)}: "


def _maps(audit: Results) -> list[str]:
    """Say what each map that was put first does, a line for each kind of map."""
    found = families(audit.maps, audit.verdict)
    lines = [
        f"  {one.title}: {one.answer}. {' '.join(filter(None, (one.best, one.measured)))}"
        for one in found
    ]
    return [f"Maps. {how(audit)}", *lines] if found else []


def _cells(finding: Finding) -> list[str]:
    threshold = "" if finding.threshold is None else chosen(finding.threshold)
    if finding.score is None:
        return [finding.result, finding.title, "no score", threshold, "", finding.role]
    return [
        finding.result,
        finding.title,
        interval(finding.score),
        threshold,
        f"n = {count(finding.score.n)}",
        finding.role,
    ]


def _tidy(line: str) -> str:
    """Keep the spaces that align columns, and let no line end break a line in two."""
    return " ".join(one_line(piece) for piece in line.rstrip().split(" "))
