"""``sightline export``: the numbers of an audit as plain tables, for spreadsheets and other
programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.api import folders
from sightline.api.find_audits import load_results, place_of
from sightline.cli import flags
from sightline.cli.output import emit, print_lines, writing
from sightline.cli.output_checks import Folder, Output, check_places, note_replaced
from sightline.core.errors import SpecError
from sightline.report.export.export_files import check_kind
from sightline.report.export.export_files import export as write_export

EXPORT = Folder("an export", folders.EXPORT)

Csv = Annotated[
    Path | None,
    typer.Option(
        "--csv", metavar="DIR", show_default="not written", help="Write CSV into this folder."
    ),
]
Parquet = Annotated[
    Path | None,
    typer.Option(
        "--parquet",
        metavar="DIR",
        show_default="not written",
        help=f"Write Parquet; {flags.needs('parquet')}.",
    ),
]


def export(
    saved: flags.SavedAudit,
    csv: Csv = None,
    parquet: Parquet = None,
    no_texts: flags.NoTexts = False,
    no_ids: flags.NoIds = False,
    as_json: flags.Json = False,
) -> None:
    """Write every number of an audit by text and by word as plain tables, with a description of
    each column.
    """
    wanted = {
        kind: place for kind, place in (("csv", csv), ("parquet", parquet)) if place is not None
    }
    if not wanted:
        raise SpecError(
            "expected --csv DIR or --parquet DIR, got neither; say where the tables are to "
            "be written"
        )
    saved = place_of(saved)
    written = [Output(f"--{kind}", place, EXPORT) for kind, place in wanted.items()]
    check_places((("AUDIT_DIR", saved),), *written)
    for kind in wanted:
        check_kind(kind)
    note_replaced(*written)
    found = load_results(saved)
    for kind, place in wanted.items():
        with writing(place):
            write_export(found, place, kind, texts=not no_texts, ids=not no_ids)
    rows = {"texts": len(found.texts), "words": sum(len(text.tokens) for text in found.texts)}
    if as_json:
        return emit({"rows": rows, **{kind: str(place) for kind, place in wanted.items()}})
    sentence = ", ".join(f"{count:,} {name}" for name, count in rows.items())
    return print_lines([f"{kind}: {place} ({sentence})" for kind, place in wanted.items()])
