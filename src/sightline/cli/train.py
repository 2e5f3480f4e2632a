"""``sightline train``: train a model with its control models, and save them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sightline.api import folders
from sightline.api.audit import train_source
from sightline.api.model_source import choose_training
from sightline.api.resume import kept_until_written
from sightline.api.run_options import AuditOptions
from sightline.cli import flags
from sightline.cli.dry_run import made_forecast, show_forecast
from sightline.cli.flag_groups import (
    Console,
    Messages,
    SeededRun,
    TrainedModel,
    TrainingTexts,
    grouped,
)
from sightline.cli.output import emit, print_lines, writing
from sightline.cli.output_checks import (
    Folder,
    Output,
    check_places,
    inputs,
    note_replaced,
    unfinished,
)

if TYPE_CHECKING:
    from sightline.api.model_argument import Trained

MODEL = Folder("a saved model", folders.MODEL)

Out = Annotated[
    Path,
    flags.output_flag(
        "--out",
        metavar="DIR",
        show_default=False,
        help="The folder to write, for sightline audit --model DIR.",
    ),
]


@grouped
def train(
    out: Out,
    texts: TrainingTexts,
    model: TrainedModel,
    run: SeededRun,
    console: Console,
    messages: Messages,
) -> None:
    """Train a classifier on the training texts and save it; validation texts choose the epoch that
    is kept.

    A control model with uniform attention is trained too, because the audit needs it. Trainings are
    kept in DIR.partial until the model is written: the same command resumes from there, with the
    same result.
    """
    data, place, kept = texts.source(), Output("--out", out, MODEL), unfinished(out)
    check_places(inputs(data, vectors=model.vectors), place, kept)
    source = choose_training(data, model.model, model.training(None), AuditOptions(seed=run.seed))
    note_replaced(place)
    if run.dry_run:
        found = made_forecast(source, run.resources, kept.path)
        return show_forecast(found, console.as_json, audits=False)
    with kept_until_written(kept.path, run.resources, console.hooks, [source]) as (hooks, machine):
        trained = train_source(source, hooks, machine)
        save_model(trained, out)
    for note in source.doubts_of(trained):
        hooks.on_note(note)
    return show_trained(trained, out, str(source.spec.model), console.as_json)


def save_model(trained: Trained, out: Path) -> None:
    """Write a model and its control models."""
    from sightline.api.train import save_trained  # noqa: PLC0415  (torch)

    with writing(out):
        save_trained(trained, out)


def show_trained(trained: Trained, out: Path, spec: str, as_json: bool) -> None:
    """Print the epoch that was kept, and its results on the validation texts."""
    record = trained.record["fit"]
    kept = next((epoch for epoch in record["epochs"] if epoch["number"] == record["kept"]), None)
    validation: dict[str, Any] | None = None  # an untrained model has no validation
    if kept is not None:
        validation = {name: kept[name] for name in ("accuracy", "loss", "auc")} | {
            "n": len(trained.dataset.validation)
        }
    if as_json:
        about = {"model": str(out), "spec": spec, "key": trained.record["key"]}
        return emit(
            about
            | {"epochs": len(record["epochs"]), "kept": record["kept"], "validation": validation}
        )
    return print_lines(
        [
            f"epochs: kept {record['kept']} of {len(record['epochs'])}",
            *([] if validation is None else [_validated(validation)]),
            f"model: {out}",
        ]
    )


def _validated(validation: dict[str, Any]) -> str:
    return f"validation accuracy: {validation['accuracy']:.3f}, n = {validation['n']}"
