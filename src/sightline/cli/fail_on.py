"""Gates: what ``--fail-on`` names, and whether an audit closes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from sightline.api.list_choices import AUDIT_TESTS
from sightline.api.seed_audits import Audits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.output import tell
from sightline.core.errors import SpecError
from sightline.core.results import VERDICTS, Results
from sightline.report.sentences import listed, of_level, quoted

if TYPE_CHECKING:
    from sightline.audits.label_audits import LabelAudits

VERDICT_GATES = {text.replace(" ", "-"): text for text in VERDICTS}


def read_gates(names: Sequence[str]) -> tuple[str, ...]:
    """Read the gates: verdicts in kebab-case and codes of findings."""
    gates = tuple(name.upper() if name.upper() in AUDIT_TESTS else name.lower() for name in names)
    for gate, name in zip(gates, names, strict=True):
        if gate not in AUDIT_TESTS and gate not in VERDICT_GATES:
            known = ", ".join([*VERDICT_GATES, *AUDIT_TESTS])
            raise SpecError(f"--fail-on {name!r}: expected a verdict or a finding: {known}")
    return gates


def close_gates(audits: Audits | LabelAudits, gates: Sequence[str]) -> None:
    """Leave with the exit code of a closed gate, if an audit closes one: of any seed, or of any
    label.
    """
    if isinstance(audits, Audits):
        found = [("", audit) for audit in audits.by_seed.values()]
    else:
        found = [(f"{quoted(label)}: ", audit) for label, audit in audits.audits.items()]
    if reasons := dict.fromkeys(of + why for of, audit in found for why in closed(audit, gates)):
        tell(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)


def closed(audit: Results, gates: Sequence[str]) -> list[str]:
    """Say why each closed gate is closed: the verdict is the one named, of all texts together or of
    those of a predicted class, or the test named failed.

    A map is shown for texts of every class, so a class closes a gate by itself.
    """
    results = {finding.code: finding.result for finding in audit.findings}
    lines = []
    for gate in gates:
        if gate in AUDIT_TESTS:
            lines += [f"{gate} failed"] if results.get(gate) == "failed" else []
        elif audit.verdict.level == VERDICT_GATES[gate]:
            lines.append(f"the verdict is {gate!r}")
        elif classes := of_level(audit.verdict, VERDICT_GATES[gate]):
            of = f"for texts predicted {listed(map(quoted, classes))}"
            lines.append(f"the verdict {of} is {gate!r}")
    return lines
