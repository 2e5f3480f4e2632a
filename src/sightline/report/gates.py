"""Exit gates: verdicts and tests that stop a release, and whether an audit triggers one."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.config.measure_registry import BY_NAME
from sightline.core.errors import SpecError, setting
from sightline.core.results import VERDICTS, Finding, Results
from sightline.core.word_lists import join_words
from sightline.report.advice import first_of_all
from sightline.report.number_format import plainly, trimmed_number
from sightline.report.sentences import of_level, quoted, to_settle
from sightline.verdict.catalogue import AUDIT_TESTS

VERDICT_GATES = {text.replace(" ", "-"): text for text in VERDICTS}
NOT_SHOWN = tuple(gate for gate, level in VERDICT_GATES.items() if not level.permits)
"""The gates that together let only audits pass whose map may be shown for every class."""


def read_gates(names: Sequence[str]) -> tuple[str, ...]:
    """Read the gates: verdicts in kebab-case and codes of tests."""
    gates = tuple(name.upper() if name.upper() in AUDIT_TESTS else name.lower() for name in names)
    for gate, name in zip(gates, names, strict=True):
        if gate not in AUDIT_TESTS and gate not in VERDICT_GATES:
            known = ", ".join([*VERDICT_GATES, *AUDIT_TESTS])
            raise SpecError(
                f"{setting('fail_on', repr(name))}: expected a verdict or a test: {known}"
            )
    return gates


def expensive_measures(gates: Sequence[str]) -> tuple[str, ...]:
    """Name the measures of the gates' tests that run only when requested by name."""
    return tuple({AUDIT_TESTS[gate].measure for gate in gates if gate in AUDIT_TESTS} & BY_NAME)


def closed(audit: Results, gates: Sequence[str]) -> list[str]:
    """Say why each triggered gate is triggered: its verdict holds for all texts or for a predicted
    class, or its test failed or was not run, so that it could not fail.

    A map is shown for texts of every class, so one class is enough. Gates that together let only
    maps pass that may be shown are closed, too, while the model has to be fixed first.
    """
    lines = []
    for gate in gates:
        if gate in AUDIT_TESTS:
            found = audit.by_test.get(gate)
            if found is None:
                lines.append(f"{gate} is not among the tests of this audit")
            elif found.result == "failed":
                lines.append(f"{gate} failed")
            elif found.result == "not run":
                lines.append(f"{gate} was not run: {found.reason}")
        elif audit.verdict.level == VERDICT_GATES[gate]:
            lines.append(f"the verdict is {gate!r}")
        elif classes := of_level(audit.verdict, VERDICT_GATES[gate]):
            of = f"for texts predicted {join_words(map(quoted, classes))}"
            lines.append(f"the verdict {of} is {gate!r}")
    if {*NOT_SHOWN} <= {*gates} and (first := first_of_all(audit)):
        lines.append(first.rstrip("."))
    return lines


def outcome(finding: Finding) -> str:
    r"""Write the result of a test with its score, interval, n and threshold on one line, and what
    would settle it if it is inconclusive.

    >>> from sightline.core.results import Estimate
    >>> score = Estimate(0.02, -0.01, 0.05, 300, "")
    >>> outcome(Finding("SL-303", "Transfer", "failed", "required", threshold=0.25, score=score))
    'failed: score 0.02 (95\xa0% CI −0.01\xa0to\xa00.05, n\xa0=\xa0300), threshold 0.25'
    """
    if finding.score is None:
        return ": ".join(filter(None, (finding.result, finding.reason)))
    threshold = (
        [] if finding.threshold is None else [f"threshold {trimmed_number(finding.threshold)}"]
    )
    numbers = ", ".join([f"score {plainly(finding.score)}", *threshold])
    found = f"{finding.result}: {'; '.join((numbers, *finding.notes))}"
    return ". ".join(filter(None, (found, to_settle(finding).rstrip("."))))
