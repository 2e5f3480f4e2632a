"""The exit gate: ``--fail-on`` ends a command with its own exit code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import typer

from sightline.api.seed_audits import Audits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.output import print_message
from sightline.core.results import CANNOT_TELL
from sightline.report.gates import VERDICT_GATES, closed
from sightline.report.number_format import count_phrase
from sightline.report.sentences import quoted
from sightline.verdict.catalogue import AUDIT_TESTS

if TYPE_CHECKING:
    from sightline.audits.label_audits import LabelAudits


def close_gates(
    audits: Audits | LabelAudits, gates: Sequence[str], labels: Collection[str] = ()
) -> None:
    """Exit with the gate's code if an audit closes a gate, for any seed or any label.

    A label whose audit ended with an error closes every gate: what it would have said is unknown.
    ``labels`` names the labels that were asked for. One of them that was not audited closes the
    gates of tests, which were not run, and of *cannot tell*; so does any label if none was audited.
    """
    broken, unasked = list[str](), list[str]()
    if isinstance(audits, Audits):
        found = [("", audit) for audit in audits.by_seed.values()]
    else:
        found = [(f"{quoted(label)}: ", audit) for label, audit in audits.audits.items()]
        named = labels if audits.audits else audits.left_out
        for label, why in audits.left_out.items() if gates else ():
            if label in audits.failed:
                broken.append(f"{quoted(label)}: {why}")
            elif label in named and any(map(_needs_an_audit, gates)):
                broken.append(f"{quoted(label)} was not audited: {why}")
            else:
                unasked.append(label)
    said = (of + why for of, audit in found for why in closed(audit, gates))
    if reasons := dict.fromkeys([*broken, *said]):
        print_message(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)
    if gates and any(audit.verdict.tells_nothing for _, audit in found):
        print_message(
            "note: the gate is open, but the audit cannot tell whether the map may be shown; "
            "--fail-on cannot-tell closes it then"
        )
    if unasked:
        print_message(
            f"note: the gate is open, but {count_phrase(len(unasked), 'label')} could not be audited; --label-name with "
            "--fail-on cannot-tell closes it for a label that is named"
        )


def _needs_an_audit(gate: str) -> bool:
    """Whether a gate closes where nothing was tested: a test that was not run could not fail."""
    return gate in AUDIT_TESTS or VERDICT_GATES[gate] == CANNOT_TELL
