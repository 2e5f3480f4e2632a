"""``sightline audit``: train or read a model, audit it, write the report."""

from __future__ import annotations

import typer

from sightline.api.audit_each import audit_each, with_seeds
from sightline.api.compute_resources import made_by
from sightline.api.model_source import choose
from sightline.api.resume import (
    keeps_looks,
    kept_until_written,
    looks_folder,
    looks_until_written,
)
from sightline.cli import flags
from sightline.cli.audit_output import audit_outputs, show_audits, write_audits
from sightline.cli.dry_run import made_forecast, show_forecast
from sightline.cli.fail_on import close_gates
from sightline.cli.flag_groups import (
    AuditedModel,
    AuditedTexts,
    Auditing,
    AuditReport,
    Console,
    grouped,
)
from sightline.cli.output_checks import (
    Folder,
    Output,
    check_places,
    inputs,
    note_replaced,
    unfinished,
)
from sightline.cli.report_files import check_endings
from sightline.cli.stdout_guard import printed_aside
from sightline.report.gates import read_gates


@grouped
def audit(
    context: typer.Context,
    texts: AuditedTexts,
    model: AuditedModel,
    run: Auditing,
    report: AuditReport,
    fail_on: flags.FailOn = None,
    *,
    console: Console,
) -> None:
    """Audit a model's attention on the test texts of its data, and write the report.

    A model named by its spec is trained first, on the training texts, together with its control
    models. What is trained is kept in FILE.partial until the report is written: the same command
    resumes from there, with the same result.
    """
    name, data, kept = model.name, texts.source(), unfinished(report.out, report.save)
    looked = Output("--out", looks_folder(kept.path), Folder("looks", (), kept=True))
    places = [*audit_outputs(report, several=run.seeds > 1), kept, looked]
    check_places(inputs(data, name, vectors=model.vectors, scores=texts.scores), *places)
    check_endings(report.out, report.card)
    gates = read_gates(fail_on or ())
    asked = run.options(texts, gates)
    source = choose(data, name, model.training(texts.min_count), asked, typed=texts.description)
    stopping = run.stopping(texts.scores, gates)
    note_replaced(*places)
    sources = with_seeds(source, run.seeds)
    if run.dry_run:
        with printed_aside():
            found = made_forecast(source, run.resources, kept.path, run.seeds, stopping)
        return show_forecast(found, console.as_json)
    hooks = console.hooks_of(stopping, resumes=stopping.early and keeps_looks(kept.path))
    with (
        kept_until_written(kept.path, run.resources, hooks, sources) as (hooks, machine),
        printed_aside(),
    ):
        about = made_by(context.obj or ())
        with looks_until_written(kept.path, stopping, hooks) as looks:
            audits = audit_each(
                sources, hooks, machine, about=about, stopping=stopping, looks=looks
            )
            shown = write_audits(audits, report)
    show_audits(shown, report, console)
    return close_gates(shown, gates, asked.labels)
