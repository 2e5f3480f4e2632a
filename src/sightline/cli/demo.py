"""``sightline demo``: the whole way once, on a corpus whose evidence is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.api.audit import audit_source
from sightline.api.compute_resources import today
from sightline.api.data_source import read_source
from sightline.api.model_source import choose_training
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.api.seed_audits import Audits
from sightline.cli.audit_output import show_audits, write_audits, written
from sightline.cli.flag_groups import AuditReport, Console, Seeded, grouped
from sightline.cli.output_checks import Output, check_places
from sightline.cli.train import MODEL as SAVED_MODEL
from sightline.cli.train import save_model

DATA = "planted:needle(n=1200,length=30,strength=0.9,ending=true)"
MODEL = "mlp+additive"
COMPANIONS = "uniform,frozen"
"""Both, so that SL-001 rests on a retrained model, and SL-107 has an answer."""

Out = Annotated[
    Path,
    typer.Option(
        "--out", metavar="DIR", help="Folder for report, audit and model.", rich_help_panel="Output"
    ),
]


@grouped
def demo(
    out: Out = Path("sightline-demo"),
    *,
    run: Seeded,
    console: Console,
) -> None:
    """Train a small model on generated texts, audit it, and write a report: under a minute, nothing
    needed.

    One word of each text tells its class, nine times in ten: so it is known where attention ought
    to look.
    """
    report, model = AuditReport(out=out / "report.html", save=out / "audit"), out / "model"
    training = TrainingOptions(companions=COMPANIONS)
    source = choose_training(read_source(DATA), MODEL, training, AuditOptions(seed=run.seed))
    check_places((), *written(report), Output("--out", model, SAVED_MODEL))
    machine = run.resources.machine()
    # What demo stands for.
    command = (
        f"sightline audit --data '{DATA}' --model {MODEL} --controls {COMPANIONS} --seed {run.seed}"
    )
    about = {"command": command, "date": today()}
    trained, found = audit_source(source, console.hooks, machine, about=about)
    save_model(trained, model)
    audits = Audits({run.seed: found})
    write_audits(audits, report)
    show_audits(audits, report, console.as_json)
