"""The exit gate: ``--fail-on`` ends a command with its own exit code."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from sightline.api.seed_audits import Audits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.output import tell
from sightline.report.gates import closed


def close_gates(audits: Audits, gates: Sequence[str]) -> None:
    """Leave with the exit code of a closed gate, if an audit closes one."""
    found = audits.by_seed.values()
    if reasons := dict.fromkeys(reason for audit in found for reason in closed(audit, gates)):
        tell(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)
