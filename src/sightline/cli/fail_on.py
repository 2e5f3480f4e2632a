"""The exit gate: ``--fail-on`` ends a command with its own exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from sightline.api.seed_audits import Audits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.output import print_message
from sightline.report.gates import closed
from sightline.report.sentences import quoted

if TYPE_CHECKING:
    from sightline.audits.label_audits import LabelAudits


def close_gates(audits: Audits | LabelAudits, gates: Sequence[str]) -> None:
    """Exit with the gate's code if an audit closes a gate, for any seed or any label.

    A label whose audit ended with an error closes every gate: what it would have said is unknown.
    """
    broken = list[str]()
    if isinstance(audits, Audits):
        found = [("", audit) for audit in audits.by_seed.values()]
    else:
        found = [(f"{quoted(label)}: ", audit) for label, audit in audits.audits.items()]
        broken = [f"{quoted(one)}: {audits.left_out[one]}" for one in audits.failed if gates]
    said = (of + why for of, audit in found for why in closed(audit, gates))
    if reasons := dict.fromkeys([*broken, *said]):
        print_message(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)
    if gates and any(audit.verdict.tells_nothing for _, audit in found):
        print_message(
            "note: the gate is open, but the audit cannot tell whether the map may be shown; "
            "--fail-on cannot-tell closes it then"
        )
