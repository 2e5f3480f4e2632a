"""``sightline list``: every name that a flag can take, one line each."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sightline.api.list_choices import Kind, Row, list_choices
from sightline.cli import flags
from sightline.cli.output import emit, print_lines
from sightline.report.column_layout import aligned

What = Annotated[
    Kind | None,
    typer.Argument(
        metavar="KIND",
        show_default="all",
        help="What to list, one of these: models, controls, data, measures, findings, presets, "
        "fields, columns, figures.",
    ),
]


def listing(kind: What = None, as_json: flags.Json = False) -> None:
    """List the available parts, control models, data, measures, findings, presets, fields, columns
    and figures.
    """
    listed = list_choices(kind)
    if as_json:
        return emit(listed)
    return print_lines(
        [line for name, rows in listed.items() for line in (f"{name}:", *_lines(rows), "")][:-1]
    )


def _lines(rows: list[Row]) -> list[str]:
    return aligned(
        [[*filter(None, [row.get("kind")]), _name(row), _describe(row)] for row in rows], "  "
    )


def _name(row: Row) -> str:
    return str(row.get("spec") or row.get("code") or row["name"])


def _describe(row: Row) -> str:
    """Describe a row in one line."""
    text = str(row["about"])
    more = [row.get("paper"), row.get("needs") and f"needs {', '.join(row['needs'])}"]
    if options := row.get("options"):
        more.append(", ".join(f"{key}={json.dumps(value)}" for key, value in options.items()))
    if row.get("role") == "informational":
        more.append("informational: the verdict does not rest on it")
    return f"{text} ({'; '.join(filter(None, more))})" if any(more) else text
