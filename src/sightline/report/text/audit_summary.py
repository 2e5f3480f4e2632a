"""An audit on the terminal: what a reader needs first, then the tests; with ``verbose``, the
numbers behind them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from sightline.core.results import Finding, Reason, Results, Verdict
from sightline.report.accuracy_sentences import TITLE as MODEL
from sightline.report.accuracy_sentences import accuracy, accuracy_notes
from sightline.report.advice import first_of_all
from sightline.report.alternative_maps import at_odds, comparison_method, families
from sightline.report.column_layout import aligned
from sightline.report.effect_scale import SCALE
from sightline.report.first_screen import (
    CAVEATS,
    MAPS,
    VERDICT,
    WHY,
    Block,
    blocks,
    caveats,
    count_results,
    deciding_tests,
    failed_for_classes,
)
from sightline.report.number_format import (
    count,
    interval,
    level_of,
    score,
    score_span,
    trimmed_number,
)
from sightline.report.sanitize import one_line, shortened
from sightline.report.sentences import NotRunTests, caveat_reasons

WIDTH = 100
"""Most columns of a line."""
_NAMES = 10
"""Columns of the names before the sentences."""
_ROLES = {
    "required": "required",
    "must not fail": "must not fail (a caveat unless passed)",
    "informational": "informational",
}
"""The roles in the order of the table, as headings."""
_SCALE = f"{SCALE} Each code has a page in docs/findings; docs/glossary.md defines the terms."


def lines(
    audit: Results, *, alone: bool = True, verbose: bool = False, width: int = WIDTH
) -> list[str]:
    """Give the verdict, its reasons, facts about the model, which map may be shown, and the tests.

    Control characters become visible signs.
    """
    found = [line for block in blocks(audit, alone=alone) for line in block_lines(block, width)]
    found += ["", *_tests(audit, verbose=verbose)]
    if verbose:
        found += ["", *_details(audit)]
    return [_tidy(line) for line in found]


def in_short(audit: Results) -> list[str]:
    """Give the verdict in a few lines: the first reason, the caveats without numbers, the accuracy,
    which map may be shown, and the count of the tests.
    """
    by_name = {block.name: block.sentences for block in blocks(audit)}
    by_name[CAVEATS] = tuple(caveats(audit, scores=False))
    by_name[MODEL] = () if audit.learned is None else (accuracy(audit.learned),)
    kept = {VERDICT: None, WHY: 1, CAVEATS: None, MODEL: None, MAPS: 1}
    found = [Block(name, by_name.get(name, ())[:most]) for name, most in kept.items()]
    shown = [line for block in found for line in block_lines(block)]
    of_classes = failed_for_classes(audit.findings, short=True)
    by_class = " (all texts together)" if of_classes else ""
    if audit.verdict.level.permits:  # otherwise the verdict already says it
        by_class = "".join(f"; {one}" for one in of_classes)
    tests = block_lines(Block("Tests", (f"{count_results(audit.findings)}{by_class}",)))
    return [_tidy(line) for line in (*shown, *tests)]


def block_lines(block: Block, width: int = WIDTH) -> list[str]:
    """Write the sentences of a block after its name, each on its own lines."""
    wrapped = [
        line
        for sentence in block.sentences
        for line in textwrap.wrap(
            sentence, width - _NAMES, break_long_words=False, break_on_hyphens=False
        )
    ]
    names = [block.name, *([""] * len(wrapped))]
    return [f"{name:<{_NAMES}}{line}".rstrip() for name, line in zip(names, wrapped, strict=False)]


def _tests(audit: Results, *, verbose: bool) -> list[str]:
    """Count the tests, and list them: the required ones and the caveats, or all.

    If nothing can be concluded, only count them.
    """
    if first_of_all(audit) and not verbose:
        return _counted(audit)
    listed = [one for one in audit.findings if verbose or _listed(one)]
    left = len(audit.findings) - len(listed)
    more = (
        f"; {count(left)} of all {count(len(audit.findings))} are shown by --verbose alone"
        if left
        else ""
    )
    return [*_counted(audit, more), *_table(listed)]


def _counted(audit: Results, more: str = "") -> list[str]:
    total = f"{count_results(audit.findings)}{more}"
    return block_lines(Block("Tests", (total, *failed_for_classes(audit.findings))))


def _table(findings: Sequence[Finding]) -> list[str]:
    """List tests by their role in the verdict, with aligned columns."""
    order = {role: at for at, role in enumerate(_ROLES)}
    ordered = sorted(findings, key=lambda one: order.get(one.role, len(order)))
    level = level_of(one.score for one in ordered)
    columns = ("", "", "score", f"{level} % CI", "threshold", "n")
    head, *rows = aligned([columns, *map(_cells, ordered)], "  ")
    roles = [one.role for one in ordered]
    first = {role: roles.index(role) for role in dict.fromkeys(roles)}
    for role, at in reversed(first.items()):
        rows.insert(at, _ROLES.get(role, role))
    return [head, *rows] if rows else []


def _listed(finding: Finding) -> bool:
    """Check whether a test is in the short list: it is required or a caveat."""
    return finding.role == "required" or (finding.bears and finding.result != "passed")


def _cells(finding: Finding) -> tuple[str, ...]:
    """Write a test in cells: result, name, score, interval, threshold and n."""
    threshold = "" if finding.threshold is None else trimmed_number(finding.threshold)
    if finding.score is None:
        return finding.result, finding.title, "—", "", threshold, ""
    value, span = score(finding.score.value), score_span(finding.score)
    return finding.result, finding.title, value, span, threshold, count(finding.score.n)


def _details(audit: Results) -> list[str]:
    """Give the numbers behind the sentences, the maps, how to read a score, and facts about the
    model.
    """
    return [
        _decided(audit),
        *_behind(audit.verdict),
        *_maps(audit),
        *filter(None, [at_odds(audit), _SCALE]),
        *([] if audit.learned is None else accuracy_notes(audit.learned)),
        *(f"{name}: {interval(value)}, n = {value.n:,}" for name, value in audit.metrics.items()),
    ]


def _decided(audit: Results) -> str:
    decided = deciding_tests(audit)
    by = f". The verdict (docs/verdict.md) rests on {', '.join(decided)}" if decided else ""
    return f"Details{by}."


def _behind(verdict: Verdict) -> list[str]:
    """Give the numbers behind the sentences, by test."""
    said = [
        (f"{which}: " if which else "", one)
        for one, which, _ in caveat_reasons(verdict)
        if one.behind
    ]
    return [f"  {which}{_named(one)}{one.behind}" for which, one in said]


def _named(one: Reason) -> str:
    """Name the test of a reason; numbers of several tests name their tests themselves."""
    return "" if isinstance(one, NotRunTests) else f"{one.code or shortened(one.words, 40)}: "


def _maps(audit: Results) -> list[str]:
    """Describe the chosen map of each family, one line each."""
    found = [] if first_of_all(audit) else families(audit.maps, audit.verdict)
    lines = [
        f"  {one.title}: {one.answer}. {' '.join(filter(None, (one.best, one.measured)))}"
        for one in found
    ]
    return [f"Maps. {comparison_method(audit)}", *lines] if found else []


def _tidy(line: str) -> str:
    """Keep the spaces that align columns, and remove line ends within a line."""
    return " ".join(one_line(piece) for piece in line.rstrip().split(" "))
