"""``sightline table``: a paper's table or figure, as numbers, for saved audits."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sightline.cli import flags
from sightline.cli.output import emit, writing
from sightline.cli.output_checks import check_places
from sightline.cli.table_output import check_ending, print_table, table_at, write_table

Name = Annotated[
    str,
    typer.Argument(
        metavar="PAPER:ID",
        show_default=False,
        help="Which table or figure, such as jain2019:J-2: see sightline study list.",
    ),
]
Audits = Annotated[
    list[str],
    typer.Argument(
        metavar="AUDIT...",
        show_default=False,
        help="A folder that sightline audit --save wrote, or a run of a store as STORE:KEY; audits "
        "of models trained under several seeds are averaged, if nothing else differs.",
    ),
]
File = Annotated[
    Path | None,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default="not written",
        help="Also write the table: .md, .csv (every number in full) or .tex.",
    ),
]


Average = Annotated[
    bool,
    typer.Option(
        "--average",
        metavar=flags.SWITCH,
        help="All audits are of one model that was trained elsewhere under several seeds: average "
        "their numbers.",
        rich_help_panel="Settings",
    ),
]


def table(
    paper_table: Name,
    own: Audits,
    average: Average = False,
    out: File = None,
    as_json: flags.Json = False,
) -> None:
    """Make a table or figure of a paper from saved audits of your own models: what the paper reads
    of its models, and what it prints for the same data.
    """
    from sightline.api.table import named_audits  # noqa: PLC0415  (numpy)
    from sightline.api.table import table as table_of  # noqa: PLC0415  (torch)

    named = named_audits(own)
    read = [("AUDIT", one.folder) for one in named]
    check_places(read, table_at("--out", out))
    check_ending("--out", out)
    made = table_of(paper_table, *(one.folder for one in named), average=average)
    if out is not None:
        with writing(out):
            write_table(made, out)
    return emit(asdict(made)) if as_json else print_table(made)
