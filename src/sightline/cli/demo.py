"""``sightline demo``: the whole way once, on a corpus whose evidence is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli import flags
from sightline.cli.audit import do_audit, show_audit, write_audit, written
from sightline.cli.display import progress
from sightline.cli.machine import prepare, tokens_at_once
from sightline.cli.places import Output, check_places
from sightline.cli.train import MODEL as SAVED_MODEL
from sightline.cli.train import save_model
from sightline.experiments.subject import choose_training
from sightline.spec.texts import parse_data

DATA = "planted:needle(n=1200,length=30,strength=0.9,ending=true)"
MODEL = "mlp+additive"
COMPANIONS = "uniform,frozen"
"""Both, so that SL-001 rests on a retrained model, and SL-107 has an answer."""

Out = Annotated[
    Path,
    typer.Option("--out", metavar="DIR", help="Folder for report, audit and model.", rich_help_panel="Output"),
]


def demo(
    out: Out = Path("sightline-demo"),
    seed: flags.Seed = 0,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> None:
    """Train a small model on generated texts, audit it, and write a report: under a minute, nothing needed.

    One word of each text tells its class, nine times in ten: so it is known where attention ought to look.
    """
    report, saved, model = out / "report.html", out / "audit", out / "model"
    subject = choose_training(parse_data(DATA), MODEL, {"companions": COMPANIONS}, seed=seed)
    check_places((), *written(report, saved), Output("--out", model, SAVED_MODEL))
    where = prepare(device, threads)
    # What demo stands for.
    command = f"sightline audit --data '{DATA}' --model {MODEL} --controls {COMPANIONS} --seed {seed}"
    with progress(quiet=quiet, verbose=verbose, as_json=as_json) as display:
        trained, found = do_audit(subject, display, where, tokens_at_once(None), command)
    save_model(trained, model)
    write_audit(found, report, saved)
    show_audit(found, report, saved, as_json)
