"""Gates: what ``--fail-on`` names, and whether an audit closes it."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.errors import SpecError
from sightline.findings.claims import CLAIMS
from sightline.report.sentences import by_absence, listed, quoted
from sightline.results import BY_ABSENCE, VERDICTS, Results

VERDICT_GATES = {text.replace(" ", "-"): text for text in VERDICTS}


def read_gates(names: Sequence[str]) -> tuple[str, ...]:
    """Read the gates: verdicts in kebab-case and codes of findings."""
    gates = tuple(name.upper() if name.upper() in CLAIMS else name.lower() for name in names)
    for gate, name in zip(gates, names, strict=True):
        if gate not in CLAIMS and gate not in VERDICT_GATES:
            known = ", ".join([*VERDICT_GATES, *CLAIMS])
            raise SpecError(f"--fail-on {name!r}: expected a verdict or a finding: {known}")
    return gates


def closed(audit: Results, gates: Sequence[str]) -> list[str]:
    """Say why each closed gate is closed: the verdict is the one named, or the test named failed.

    *Decided by absence* is a verdict of a class alone: there it is asked of every class.
    """
    answers = {finding.code: finding.result for finding in audit.findings}
    told = [f"the verdict is {gate!r}" for gate in gates if VERDICT_GATES.get(gate) == audit.verdict.level]
    if absent := by_absence(audit.verdict):
        of = f"for texts predicted {listed(map(quoted, absent))}"
        told += [f"the verdict {of} is {gate!r}" for gate in gates if VERDICT_GATES.get(gate) == BY_ABSENCE]
    return told + [f"{gate} failed" for gate in gates if answers.get(gate) == "failed"]
