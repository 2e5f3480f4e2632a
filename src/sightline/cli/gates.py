"""Gates: what ``--fail-on`` names, and whether an audit closes it."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from sightline.api.listing import CLAIMS
from sightline.api.multi_seed import Audits
from sightline.cli.codes import GATE_CLOSED
from sightline.cli.output import tell
from sightline.errors import SpecError
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


def close_gates(audits: Audits, gates: Sequence[str]) -> None:
    """Leave with the exit code of a closed gate, if an audit closes one."""
    found = audits.by_seed.values()
    if reasons := dict.fromkeys(reason for audit in found for reason in closed(audit, gates)):
        tell(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)


def closed(audit: Results, gates: Sequence[str]) -> list[str]:
    """Say why each closed gate is closed: the verdict is the one named, or the finding named is contradicted.

    *Decided by absence* is a verdict of a class alone: there it is asked of every class.
    """
    answers = {finding.code: finding.verdict for finding in audit.findings}
    told = [f"the verdict is {gate!r}" for gate in gates if VERDICT_GATES.get(gate) == audit.verdict.text]
    if absent := by_absence(audit.verdict):
        of = f"for texts predicted {listed(map(quoted, absent))}"
        told += [f"the verdict {of} is {gate!r}" for gate in gates if VERDICT_GATES.get(gate) == BY_ABSENCE]
    return told + [f"{gate} is contradicted" for gate in gates if answers.get(gate) == "contradicted"]
