"""``sightline audit``: train or read a model, audit it, write the report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli import flags
from sightline.cli.display import progress
from sightline.cli.estimate import show_forecast
from sightline.cli.gates import closed, read_gates
from sightline.cli.machine import prepare, repeating, tokens_at_once
from sightline.cli.output import emit, note_unsealed, say, tell, writing
from sightline.cli.places import Folder, Output, check_places
from sightline.cli.resuming import beside, resumable
from sightline.cli.source import data_place, model_place, read_source
from sightline.experiments.subject import audited, choose, saved_folder, scores_of
from sightline.experiments.unfinished import Unfinished
from sightline.files import plain
from sightline.report.sentences import headline
from sightline.report.sheets.summary import lines
from sightline.saving import FILES

if TYPE_CHECKING:
    from sightline.audits import Audit
    from sightline.experiments.run import Display, Keep, Trained
    from sightline.experiments.subject import Chosen

GATE_CLOSED = 3
AUDIT = Folder("a saved audit", FILES)

Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="A spec such as bilstm+additive, trained first; the folder of a model that sightline train wrote; or "
        "py:package.module:factory, a function of yours that returns what sightline.wrap gives.",
        rich_help_panel="Model and training",
    ),
]
Scores = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        show_default="none",
        help="Scores of words by another tool, one more map to compare: a .csv, .tsv or .jsonl file (plain or .gz) "
        "with columns id, word, score; the words of a text in order, or with their position, from 0.",
        rich_help_panel="Data",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save",
        metavar="DIR",
        show_default="not saved",
        help="Also save the audit with its raw numbers, for sightline report.",
        rich_help_panel="Output",
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="VERDICT|CODE",
        show_default="never",
        help="Exit with 3 where this is the verdict (such as must-not-be-shown) or this finding (such as SL-301) is "
        "contradicted; may be repeated.",
        rich_help_panel="Output",
    ),
]


def audit(
    context: typer.Context,
    data: flags.Data,
    model: Model = "bilstm+additive",
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    rationale: flags.Rationale = "rationale",
    query: flags.Query = "",
    recipe: flags.Recipe = "clean",
    max_tokens: flags.MaxTokens = 512,
    min_count: flags.MinCount = None,
    scores: Scores = None,
    preset: flags.Preset = None,
    vectors: flags.Vectors = None,
    epochs: flags.Epochs = None,
    batch_size: flags.BatchSize = None,
    learning_rate: flags.LearningRate = None,
    companions: flags.Companions = None,
    seed: flags.Seed = 0,
    limit: flags.Limit = None,
    gradient: flags.Gradient = "input",
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    memory: flags.Memory = None,
    dry_run: flags.DryRun = False,
    out: flags.Page = Path("report.html"),
    save: Save = None,
    no_texts: flags.NoTexts = False,
    fail_on: FailOn = None,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> None:
    """Audit a model's attention on the test texts of its data, and write the report.

    A model named by its spec is trained first, on the training texts, together with its companion. What is trained is
    kept in FILE.partial until the report is written: the same command goes on from there, with the same result.
    """
    columns = {"text": text, "label": label, "split": split, "rationale": rationale, "query": query}
    source = read_source(data, **columns, recipe=recipe, max_tokens=max_tokens, min_count=min_count or 1)
    training = {"preset": preset, "epochs": epochs, "batch_size": batch_size, "learning_rate": learning_rate}
    asked = training | {"companions": companions, "min_count": min_count, "vectors": vectors}
    read = (
        ("--data", data_place(source)),
        ("--model", model_place(model)),
        ("--vectors", vectors),
        ("--scores", scores),
    )
    check_places(read, *written(out, save), beside(out, save))
    subject = choose(source, model, asked, seed=seed, limit=limit, device=device, gradient=gradient)
    note_unsealed(saved_folder(model))
    gates = read_gates(fail_on or ())
    kept = Unfinished(beside(out, save).path)
    where, tokens = prepare(device, threads, kept.threads), tokens_at_once(memory)
    if dry_run:
        if scores is not None:
            scores_of(subject, scores)  # what is wrong with the file is said now, as it would be later
        return show_forecast(subject.forecast(where, tokens), as_json)
    command = shlex.join(["sightline", *repeating(list(context.obj or ()))])
    with resumable(kept, where) as keep:
        with progress(quiet=quiet, verbose=verbose, as_json=as_json) as display:
            _, found = do_audit(subject, display, where, tokens, command, scores, keep)
        write_audit(found, out, save, texts=not no_texts)
    show_audit(found, out, save, as_json)
    close_gates(found, gates)


def do_audit(
    subject: Chosen,
    display: Display,
    device: str,
    tokens: int,
    command: str,
    scores: Path | None = None,
    keep: Keep | None = None,
) -> tuple[Trained, Audit]:
    """Train or read the model and audit it; say which trainings the cap on epochs ended, and what scores do not fit."""
    about = {"command": command}
    trained, found = audited(subject, display, device, tokens_at_once=tokens, scores=scores, about=about, keep=keep)
    for name in subject.cut_short(trained):
        tell(f"note: training of the {name} was ended by its cap on epochs; --epochs allows more")
    for note in found.spec.get("scores", {}).get("notes", ()):
        tell(f"note: {scores}: {note}")
    return trained, found


def written(out: Path, save: Path | None) -> tuple[Output | None, ...]:
    """Say what `write_audit` writes."""
    return Output("--out", out), None if save is None else Output("--save", save, AUDIT)


def write_audit(found: Audit, out: Path, save: Path | None, *, texts: bool = True) -> None:
    """Save an audit where it is asked for, then write its report."""
    from sightline.report.page.render import write_page  # noqa: PLC0415  (jinja2)

    if save is not None:  # first: the report may be meant to lie in this folder
        with writing(save):
            found.save(save)
    with writing(out):
        write_page(found, out, texts=texts)


def show_audit(found: Audit, out: Path, save: Path | None, as_json: bool) -> None:
    """Print an audit, and where it was written."""
    places = [f"report: {out}", *([f"saved audit: {save}"] if save is not None else [])]
    if not as_json:
        return say([*lines(found), "", *places])
    emit(plain({"headline": headline(found.verdict)} | found.to_json()))
    for place in places:
        tell(place)
    return None


def close_gates(found: Audit, gates: Sequence[str]) -> None:
    """Leave with the exit code of a closed gate, if there is one."""
    if reasons := closed(found, gates):
        tell(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)
