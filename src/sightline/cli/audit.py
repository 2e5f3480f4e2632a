"""``sightline audit``: train or read a model, audit it, write the report."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli import flags
from sightline.cli.aside import printed_aside
from sightline.cli.display import progress
from sightline.cli.estimate import Ready, made_forecast, show_forecast
from sightline.cli.gates import closed, read_gates
from sightline.cli.machine import prepare, repeating, tokens_at_once
from sightline.cli.output import emit, note_kept, note_unsealed, say, tell, writing
from sightline.cli.pages import check_endings, write_card
from sightline.cli.places import Folder, Output, check_places, note_replaced
from sightline.cli.resuming import beside, resumable
from sightline.cli.seeds import SEVERAL, each_seed, show_seeds, write_seeds
from sightline.cli.source import data_places, model_place, read_source
from sightline.experiments.several import with_seeds
from sightline.experiments.subject import audited, choose, saved_folder, scores_of, under_reading
from sightline.experiments.unfinished import Unfinished
from sightline.questions import BY_NAME
from sightline.report.sheets.summary import lines
from sightline.saving import FILES
from sightline.spec.label_map import read_label_map

if TYPE_CHECKING:
    from sightline.audits import Audit
    from sightline.experiments.run import Trained
    from sightline.experiments.subject import Chosen
    from sightline.experiments.trainings import Display, Keep
    from sightline.results import Results

GATE_CLOSED = 3
AUDIT = Folder("a saved audit", FILES)

Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="A spec such as bilstm+additive, trained first; the folder of a model that sightline train wrote; or "
        "py:package.module:factory, a function of yours that returns what sightline.wrap or tap gives, or hf:FOLDER.",
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
        "with columns id, word, score; the words of a text in order, or with their position, from 0. Or captum:NAME, "
        "an attribution of Captum such as captum:IntegratedGradients; "
        f"{flags.needs('captum')}.",
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
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds",
        metavar="N",
        min=1,
        help="Train and audit so many times, from --seed upwards; the report is of the first, and says how far the "
        "others differ.",
        rich_help_panel="Run",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        show_default="none",
        help=f"Also take a measure that is dear, one of {', '.join(sorted(BY_NAME))}; may be repeated.",
        rich_help_panel="Run",
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="VERDICT|CODE",
        show_default="never",
        help="Exit with 3 where this is the verdict (such as must-not-be-shown) or this test (such as SL-301) has "
        "failed; decided-by-absence is asked of each predicted class, the other verdicts of all texts together; "
        "may be repeated.",
        rich_help_panel="Output",
    ),
]


def audit(
    context: typer.Context,
    data: flags.DataOrFiles = None,
    train: flags.Train = None,
    validation: flags.Validation = None,
    test: flags.Test = None,
    model: Model = "bilstm+additive",
    reading: flags.Reading = None,
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    rationale: flags.Rationale = "rationale",
    query: flags.Query = "",
    id: flags.Id = "",
    group: flags.Group = "",
    on_copies: flags.OnCopies = "refuse",
    label_map: flags.LabelMap = None,
    recipe: flags.RecipeOrModels = None,
    max_tokens: flags.MaxTokensOrModels = None,
    min_count: flags.MinCount = None,
    scores: Scores = None,
    preset: flags.Preset = None,
    vectors: flags.Vectors = None,
    epochs: flags.Epochs = None,
    batch_size: flags.BatchSize = None,
    learning_rate: flags.LearningRate = None,
    fit: flags.Fit = None,
    companions: flags.Companions = None,
    seed: flags.Seed = 0,
    seeds: Seeds = 1,
    limit: flags.Limit = None,
    gradient: flags.Gradient = "input",
    measure: Measures = None,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    memory: flags.Memory = None,
    dry_run: flags.DryRun = False,
    out: flags.Page = Path("report.html"),
    save: Save = None,
    card: flags.Card = None,
    no_texts: flags.NoTexts = False,
    no_ids: flags.NoIds = False,
    fail_on: FailOn = None,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> None:
    """Audit a model's attention on the test texts of its data, and write the report.

    A model named by its spec is trained first, on the training texts, together with its companion. What is trained is
    kept in FILE.partial until the report is written: the same command goes on from there, with the same result.
    """
    model = under_reading(model, reading)
    columns = {"text": text, "label": label, "split": split, "rationale": rationale, "query": query}
    columns |= {"id": id, "group": group, "on_copies": on_copies}
    told = {name: value for name, value in (("recipe", recipe), ("max_tokens", max_tokens)) if value is not None}
    source = read_source(data, train, validation, test, **columns, **told, min_count=min_count or 1)
    training = {
        "preset": preset,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "fit": fit or None,
    }
    asked = training | {"companions": companions, "min_count": min_count, "vectors": vectors}
    read = (
        *data_places(source),
        ("--model", model_place(model)),
        ("--vectors", vectors),
        ("--scores", scores),
    )
    places = (*written(out, save, seeds), beside(out, save), None if card is None else Output("--card", card))
    check_places(read, *places)
    check_endings(out, card)
    subject = choose(source, model, asked, seed=seed, limit=limit, device=device, gradient=gradient,
                     measures=tuple(measure or ()), told=told,
                     label_map=read_label_map(label_map) if label_map else None)  # fmt: skip
    note_unsealed(saved_folder(model))
    gates = read_gates(fail_on or ())
    note_replaced(*places)
    several = with_seeds(subject, seeds) if seeds > 1 else ()
    kept = Unfinished(beside(out, save).path)
    where, tokens = prepare(device, threads, kept.threads), tokens_at_once(memory)
    if dry_run:
        # What is wrong with a file of scores is said now, as it would be later; an attribution takes time.
        made = scores is not None and scores_of(subject, scores) is None
        attribution = str(scores) if made else None
        with printed_aside():
            forecast = made_forecast(subject, where, tokens, seeds, attribution)
        return show_forecast(forecast, as_json)
    command = shlex.join(["sightline", *repeating(list(context.obj or ()))])
    with resumable(kept, where) as keep, printed_aside():

        def make(one: Chosen) -> Audit:
            with progress(quiet=quiet, verbose=verbose, as_json=as_json) as display:
                ready = Ready(one, tokens, scores, quiet=quiet)
                return do_audit(one, display, where, tokens, command, scores, keep, ready)[1]

        if several:
            trained = each_seed(several, make, quiet=quiet)
            write_seeds(trained, out, save, card, texts=not no_texts, ids=not no_ids)
        else:
            found = make(subject)
            write_audit(found, out, save, texts=not no_texts, ids=not no_ids)
            write_card(found, card)
    if several:
        show_seeds(trained, out, save, as_json)
        return close_gates([*trained.audits.values()], gates)
    show_audit(found, out, save, as_json)
    return close_gates([found], gates)


def do_audit(
    subject: Chosen,
    display: Display,
    device: str,
    tokens: int,
    command: str,
    scores: Path | None = None,
    keep: Keep | None = None,
    ready: Callable[[Trained], None] = lambda trained: None,
) -> tuple[Trained, Audit]:
    """Train or read the model and audit it; say what to doubt of its training, and what scores do not fit."""
    about = {"command": command, "date": datetime.now(UTC).date().isoformat()}
    trained, found = audited(
        subject, display, device, tokens_at_once=tokens, scores=scores, about=about, keep=keep, on_ready=ready
    )
    for note in subject.doubts_of(trained):
        tell(f"note: {note}")
    for note in found.cards["data"].get("unlike_training", ()):
        tell(f"note: {note}")
    for note in found.spec.get("scores", {}).get("notes", ()):
        tell(f"note: {scores}: {note}")
    return trained, found


def written(out: Path, save: Path | None, seeds: int = 1) -> tuple[Output | None, ...]:
    """Say what `write_audit` writes, or `write_seeds`."""
    return Output("--out", out), None if save is None else Output("--save", save, SEVERAL if seeds > 1 else AUDIT)


def write_audit(found: Audit, out: Path, save: Path | None, *, texts: bool = True, ids: bool = True) -> None:
    """Save an audit where it is asked for, then write its report."""
    from sightline.report.page.render import write_page  # noqa: PLC0415  (jinja2)

    if save is not None:  # first: the report may be meant to lie in this folder
        with writing(save):
            found.save(save)
        note_kept(save, texts=texts, ids=ids)
    with writing(out):
        write_page(found, out, texts=texts, ids=ids)


def show_audit(found: Audit, out: Path, save: Path | None, as_json: bool) -> None:
    """Print an audit, and where it was written."""
    places = [f"report: {out}", *([f"saved audit: {save}"] if save is not None else [])]
    if not as_json:
        return say([*lines(found), "", *places])
    emit(found.to_json())
    for place in places:
        tell(place)
    return None


def close_gates(found: Sequence[Results], gates: Sequence[str]) -> None:
    """Leave with the exit code of a closed gate, if an audit closes one."""
    if reasons := dict.fromkeys(reason for audit in found for reason in closed(audit, gates)):
        tell(f"gate closed: {'; '.join(reasons)}")
        raise typer.Exit(GATE_CLOSED)
