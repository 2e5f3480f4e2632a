"""``sightline compare``: audits side by side, and the differences of their scores on
shared texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli import flags
from sightline.cli.output import emit, print_lines, print_message, writing
from sightline.cli.output_checks import Output, check_places
from sightline.cli.report_files import check_endings

Audits = Annotated[
    list[str],
    typer.Argument(
        metavar="AUDIT...",
        show_default=False,
        help="Two or more, the first to compare with: a folder that sightline audit --save wrote, "
        "or a run of a store as STORE:KEY.",
    ),
]
StoreFolder = Annotated[
    Path | None,
    flags.run_flag(
        "--store",
        metavar="DIR",
        show_default="none",
        help=flags.STORE,
    ),
]


def compare(
    audits: Audits,
    store: StoreFolder = None,
    out: flags.Page = Path("compare.html"),
    no_texts: flags.NoTexts = False,
    no_ids: flags.NoIds = False,
    as_json: flags.Json = False,
) -> None:
    """Compare saved audits: verdicts side by side, and differences of scores on the same texts,
    with intervals.

    With --store, audits are runs of that store, named by their keys or the beginnings of keys
    (sightline results lists them).
    """
    from sightline.api.compare import compare_named, named_audits  # noqa: PLC0415  (numpy and the report)
    from sightline.report.html.comparison_page import write_comparison  # noqa: PLC0415  (jinja2)
    from sightline.report.text.comparison_text import comparison_lines  # noqa: PLC0415  (numpy)

    named = named_audits(audits, store)
    check_places(
        [("--store", store), *(("AUDIT", one.folder) for one in named)], Output("--out", out)
    )
    check_endings(out)
    found = compare_named(named, texts=not no_texts, ids=not no_ids)
    with writing(out):
        write_comparison(found, out, texts=not no_texts)
    if not as_json:
        return print_lines([*comparison_lines(found), "", f"report: {out}"])
    emit(found.to_json())
    return print_message(f"report: {out}")
