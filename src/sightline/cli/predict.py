"""``sightline predict``: the class of each text of a table, or of a few texts."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sightline._io.atomic_write import write_whole
from sightline.api.compute_resources import prepare
from sightline.api.data_source import table_of
from sightline.cli import flags
from sightline.cli.data_flags import STDIN, read_stdin
from sightline.cli.output import emit, print_message, writing
from sightline.cli.output_checks import Output, check_places, model_inputs
from sightline.cli.own_files import PREDICTIONS
from sightline.cli.stdout_guard import each_aside, printed_aside
from sightline.core.errors import SpecError, setting
from sightline.report.text.prediction_files import (
    Form,
    PlacedPrediction,
    prediction_json,
    prediction_lines,
)

STDOUT = "-"
Texts = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|TEXT...",
        show_default=False,
        help="A table (.csv, .tsv or .jsonl, plain or .gz, or .parquet) with a column of texts "
        "and no need of labels; or the texts themselves; - reads a text a line from stdin.",
    ),
]
OutputFormat = Annotated[
    Form | None,
    flags.output_flag(
        "--format",
        show_default="csv, or what --out ends in",
        help="How predictions are written: csv or jsonl.",
    ),
]
Out = Annotated[
    Path | None,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default="stdout",
        help="The file to write, .csv or .jsonl, whole or not at all; only predictions are replaced.",
    ),
]


def predict(
    model: flags.TrainedModel,
    texts: Texts,
    text: flags.Text = "text",
    query: flags.Query = "",
    id: flags.Id = "",
    max_tokens: flags.MaxTokensOrModels = None,
    out: Out = None,
    form: OutputFormat = None,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    as_json: flags.Json = False,
) -> None:
    """Predict the class of each row of a table, or of each text, with the probability of every
    class.

    A row without words is left out and counted. One that cannot be read is an error that names its
    line, and nothing is written.
    """
    out = None if out == Path(STDOUT) else out
    table = table_of(texts)
    place = None if table is None else Path(table.path)
    check_places(
        (*model_inputs("MODEL", model), ("FILE", place)),
        None if out is None else Output("--out", out, like=PREDICTIONS),
    )
    written = form_of(form, out, as_json=as_json)
    where = prepare(device, threads)
    from sightline.api.model_argument import longest_text  # noqa: PLC0415  (torch)
    from sightline.api.predict import (  # noqa: PLC0415  (torch)
        note_truncated,
        predict_each,
        read_texts,
    )
    from sightline.api.unlabelled_texts import TextColumns  # noqa: PLC0415  (torch)

    given, file = (_stdin_lines(), "stdin") if [*texts] == [STDIN] else (texts, "TEXT")

    def on_note(note: str) -> None:
        print_message(f"note: {note}")

    # Errors in any text are raised before the first prediction, and before anything is written.
    examples = read_texts(
        table,
        given,
        file,
        TextColumns(text, query, id),
        longest_text(model, max_tokens),
        on_note,
    )
    with printed_aside():
        each = predict_each(model, examples, where)
    found = (
        PlacedPrediction(example.index, one, example.id if id else None)
        for example, one in note_truncated(each_aside(each), on_note)
    )
    if not as_json:
        return write(prediction_lines(found, written), out)
    listed = list(found)
    if out is not None:
        write(prediction_lines(listed, written), out)
    return emit([prediction_json(one) for one in listed])


def form_of(asked: Form | None, out: Path | None, *, as_json: bool) -> Form:
    """Give the requested form, or else the one that the name of the file says."""
    if asked is not None:
        if as_json and out is None:
            raise SpecError(
                f"says how predictions are written, and {setting('as_json')} prints a list of "
                f"them; leave one of the two out, or name a file with {setting('out')}",
                field="form",
            )
        return asked
    ending = "" if out is None else out.suffix.lower()
    if ending not in ("", ".csv", ".jsonl"):
        raise SpecError(
            f"expected a name that ends in .csv or .jsonl, got {out}; to write it all the same, "
            f"name its form with {setting('form')}",
            field="out",
        )
    return "jsonl" if ending == ".jsonl" else "csv"


def _stdin_lines() -> list[str]:
    """Read the lines of stdin; only a line feed ends one, since a text may hold other breaks."""
    return [line.removesuffix("\n") for line in io.StringIO(read_stdin())]


def write(lines: Iterator[str], out: Path | None) -> None:
    """Write line by line, to stdout, or to a file that is complete or absent."""
    if out is None:
        sys.stdout.writelines(lines)
        return

    def fill(aside: Path) -> None:
        with aside.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)

    with writing(out):
        write_whole(out, fill)
    print_message(f"predictions: {out}")
