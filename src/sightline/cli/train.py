"""``sightline train``: train a model with its companion, and save both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sightline.cli import flags
from sightline.cli.display import progress
from sightline.cli.estimate import made_forecast, show_forecast
from sightline.cli.machine import prepare, tokens_at_once
from sightline.cli.output import emit, say, tell, writing
from sightline.cli.places import Folder, Output, check_places, note_replaced
from sightline.cli.resuming import beside, resumable
from sightline.cli.source import data_places, read_source
from sightline.experiments.subject import MODEL_FILE, ToTrain, choose_training
from sightline.experiments.unfinished import Unfinished

if TYPE_CHECKING:
    from sightline.experiments.run import Trained

MODEL = Folder("a saved model", (MODEL_FILE,))

Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="What to train, such as bilstm(layers=2)+additive: see sightline list models.",
        rich_help_panel="Model and training",
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        show_default=False,
        help="The folder to write, for sightline audit --model DIR.",
        rich_help_panel="Output",
    ),
]


def train(
    out: Out,
    data: flags.DataOrFiles = None,
    train: flags.Train = None,
    validation: flags.Validation = None,
    test: flags.Test = None,
    model: Model = "bilstm+additive",
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    rationale: flags.Rationale = "rationale",
    query: flags.Query = "",
    id: flags.Id = "",
    group: flags.Group = "",
    on_copies: flags.OnCopies = "refuse",
    recipe: flags.Recipe = "clean",
    max_tokens: flags.MaxTokens = 512,
    min_count: flags.MinCount = None,
    preset: flags.Preset = None,
    vectors: flags.Vectors = None,
    epochs: flags.Epochs = None,
    batch_size: flags.BatchSize = None,
    learning_rate: flags.LearningRate = None,
    fit: flags.Fit = None,
    companions: flags.Companions = None,
    seed: flags.Seed = 0,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    dry_run: flags.DryRun = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> None:
    """Train a classifier on the training texts and save it; validation texts choose the epoch that is kept.

    Beside it a companion with uniform attention is trained, which its audit will need. What is trained is kept in
    DIR.partial until the model is written: the same command goes on from there, with the same result.
    """
    columns = {"text": text, "label": label, "split": split, "rationale": rationale, "query": query}
    columns |= {"id": id, "group": group, "on_copies": on_copies}
    source = read_source(
        data, train, validation, test, **columns, recipe=recipe, max_tokens=max_tokens, min_count=min_count or 1
    )
    training = {
        "preset": preset,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "fit": fit or None,
    }
    written = Output("--out", out, MODEL)
    check_places((*data_places(source), ("--vectors", vectors)), written, beside(out))
    subject = choose_training(source, model, training | {"companions": companions, "vectors": vectors}, seed=seed)
    note_replaced(written)
    kept = Unfinished(beside(out).path)
    where = prepare(device, threads, kept.threads)
    if dry_run:
        return show_forecast(made_forecast(subject, where, tokens_at_once(None)), as_json, audits=False)
    with resumable(kept, where) as keep:
        with progress(quiet=quiet, verbose=verbose, as_json=as_json) as display:
            trained = subject.trained(display, where, keep)
        save_model(trained, out)
    for note in subject.doubts_of(trained):
        tell(f"note: {note}")
    return show_trained(trained, out, subject, as_json)


def save_model(trained: Trained, out: Path) -> None:
    """Write a model and its companions."""
    from sightline.experiments.saved import save_trained  # noqa: PLC0415  (torch)

    with writing(out):
        save_trained(trained, out)


def show_trained(trained: Trained, out: Path, subject: ToTrain, as_json: bool) -> None:
    """Print which epoch was kept, and what it reached on the validation texts."""
    record = trained.record["fit"]
    kept = next((epoch for epoch in record["epochs"] if epoch["number"] == record["kept"]), None)
    validation: dict[str, Any] | None = None  # a model that was never trained was not validated
    if kept is not None:
        validation = {name: kept[name] for name in ("accuracy", "loss", "auc")} | {"n": len(trained.dataset.validation)}
    if as_json:
        about = {"model": str(out), "spec": str(subject.spec.model), "key": trained.record["key"]}
        return emit(about | {"epochs": len(record["epochs"]), "kept": record["kept"], "validation": validation})
    return say(
        [
            f"epochs: kept {record['kept']} of {len(record['epochs'])}",
            *([] if validation is None else [_validated(validation)]),
            f"model: {out}",
        ]
    )


def _validated(validation: dict[str, Any]) -> str:
    return f"validation accuracy: {validation['accuracy']:.3f}, n = {validation['n']}"
