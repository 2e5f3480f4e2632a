"""``sightline check-model``: check that a model can be audited, before the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sightline.api.check import check_model as run_checks
from sightline.api.data_source import read_label_map
from sightline.api.model_source import notes_of
from sightline.cli import flags
from sightline.cli.exit_codes import WRONG_INPUT
from sightline.cli.flag_groups import Messages, ModelTexts, grouped
from sightline.cli.output import emit, print_lines
from sightline.cli.stdout_guard import printed_aside
from sightline.report.sanitize import one_line

if TYPE_CHECKING:
    from sightline.api.check import Auditable, CompatibilityCheck


@grouped
def check_model(
    model: flags.TrainedModel,
    texts: ModelTexts,
    messages: Messages,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Check on a few texts that a model does what an audit relies on, and say what to change if
    not.

    Texts are read as an audit with the same flags reads them; without --data, a few English texts
    are used. Exits with 2 if a check fails; nothing is written.
    """
    source = texts.any_source
    label_map = read_label_map(texts.label_map) if texts.label_map else None
    with printed_aside():
        found, checks = run_checks(model, source, seed, label_map, typed=texts.description)
    show(found, checks, as_json)
    if any(check.outcome == "failed" for check in checks):
        raise typer.Exit(WRONG_INPUT)


def show(model: Auditable, checks: tuple[CompatibilityCheck, ...], as_json: bool) -> None:
    """Print every compatibility check and the conclusion."""
    failed = [check for check in checks if check.outcome == "failed"]
    if as_json:
        summary = {"model": model.name, "passed": not failed, "offers": sorted(model.offers)}
        proofs = [check.to_json() for check in checks]
        return emit(summary | {"proofs": proofs, "notes": notes_of(model)})
    passed = sum(check.outcome == "passed" for check in checks)
    ending = f"{model.name}: " + (
        f"{len(failed)} of {len(checks)} checks failed" if failed else "can be audited"
    )
    lines = [*map(str, checks), *(f"note: {note}" for note in notes_of(model))]
    return print_lines([*map(one_line, lines), "", one_line(f"{ending}; {passed} passed")])
