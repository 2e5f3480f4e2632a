"""``sightline predict``: the class of each text of a table, or of a few texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.api.machine import prepare
from sightline.api.model_source import model_place
from sightline.cli import flags
from sightline.cli.aside import each_aside, printed_aside
from sightline.cli.output import emit, tell, writing
from sightline.cli.places import Output, check_places
from sightline.cli.source import STDIN, read_stdin
from sightline.errors import SpecError
from sightline.files import write_whole
from sightline.report.sheets.predictions import Form, about, written
from sightline.spec.tables import TABLES, table_kind
from sightline.spec.texts import parse_data
from sightline.spec.values import DataSpec

if TYPE_CHECKING:
    from sightline.example import Example

Texts = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|TEXT...",
        show_default=False,
        help="A table (.csv, .tsv or .jsonl, plain or .gz, or .parquet) with a column of texts and no need of labels; "
        "or the texts themselves; - reads a text a line from stdin.",
    ),
]
As = Annotated[
    Form | None,
    typer.Option(
        "--format",
        show_default="csv, or what --out ends in",
        help="How predictions are written: csv or jsonl.",
        rich_help_panel="Output",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        show_default="stdout",
        help="The file to write, whole or not at all.",
        rich_help_panel="Output",
    ),
]


def predict(
    model: flags.TrainedModel,
    texts: Texts,
    text: flags.Text = "text",
    query: flags.Query = "",
    max_tokens: flags.MaxTokens = 512,
    out: Out = None,
    form: As = None,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    as_json: flags.Json = False,
) -> None:
    """Predict the class of each row of a table, or of each text, with the probability of every class.

    A row that cannot be read is an error that names its line, and then nothing is written.
    """
    table = table_of(texts)
    place = None if table is None else Path(table.path)
    check_places((("MODEL", model_place(model)), ("FILE", place)), None if out is None else Output("--out", out))
    where = prepare(device, threads)
    from sightline.api.models import known_model  # noqa: PLC0415  (torch)
    from sightline.api.predict import predictions  # noqa: PLC0415  (torch)

    examples = read(texts, table, text, query, max_tokens)
    with printed_aside():
        known = known_model(model, where).model
    found = each_aside(predictions(known, examples))
    numbered = ((example.index, one) for example, one in zip(examples, found, strict=True))
    if as_json:
        return emit([about(line, one) for line, one in numbered])
    return write(written(numbered, form or ending(out)), out)


def table_of(texts: Sequence[str]) -> DataSpec | None:
    """Tell a table, by its ending or by csv: before it, from texts, which are what they are."""
    tables = [one for one in texts if one.partition(":")[0] in TABLES or table_kind(one) is not None]
    if tables and len(texts) > 1:
        raise SpecError(f"expected one table, or texts alone, got {tables[0]} among {len(texts)}", field="FILE")
    return parse_data(tables[0]) if tables else None


def read(texts: Sequence[str], table: DataSpec | None, text: str, query: str, max_tokens: int) -> list[Example]:
    """Read every text before the first is predicted: what is wrong with one is said before anything is written."""
    from sightline.api.texts import in_table, unlabelled  # noqa: PLC0415  (as late as it is needed)

    if table is not None:
        found, empty = in_table(table.path, table.kind, text, query, max_tokens)
        if empty:
            tell(f"note: {table.path}: {empty} empty rows, which get no prediction")
        return found
    if query:
        raise SpecError("names a column, and these texts have none; write them to a table", field="query")
    given, file = (read_stdin().splitlines(), "stdin") if list(texts) == [STDIN] else (texts, "TEXT")
    return [unlabelled(one, None, max_tokens, i, file) for i, one in enumerate(given, 1)]


def ending(out: Path | None) -> Form:
    """Take the form from the name of the file, where it has one that is known."""
    return "jsonl" if out is not None and out.suffix.lower() == ".jsonl" else "csv"


def write(lines: Iterator[str], out: Path | None) -> None:
    """Write line by line, to stdout or to a file, which is there as a whole or not at all."""
    if out is None:
        sys.stdout.writelines(lines)
        return

    def fill(aside: Path) -> None:
        with aside.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)

    with writing(out):
        write_whole(out, fill)
    tell(f"predictions: {out}")
