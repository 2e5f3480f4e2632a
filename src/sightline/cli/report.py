"""``sightline report``: draw a saved audit again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli import flags
from sightline.cli.audits import write_audits, written
from sightline.cli.groups import Report, grouped
from sightline.cli.output import emit, note_unsealed, say
from sightline.cli.pages import check_endings
from sightline.cli.places import check_places

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="AUDIT_DIR",
        show_default=False,
        help="A folder that sightline audit --save wrote, or a run of a store as STORE:KEY.",
    ),
]


@grouped
def report(folder: Folder, page: Report, as_json: flags.Json = False) -> None:
    """Draw a saved audit again: the same numbers, the same page, without the model or the data."""
    from sightline.api.multi_seed import load_audits  # noqa: PLC0415  (as late as it is needed)
    from sightline.api.saved import place_of  # noqa: PLC0415  (numpy)

    folder = place_of(folder)
    check_places((("AUDIT_DIR", folder),), *written(page))
    check_endings(page.out, page.card)
    audits, folders = load_audits(folder)
    for one in folders:
        note_unsealed(one)
    write_audits(audits, page)
    if as_json:
        told = {"report": str(page.out), "verdict": audits.first.verdict.text}
        return emit(told | ({"headline": audits.headline} if audits.together else {}))
    verdict = "" if audits.together else "Verdict: "
    return say([f"{verdict}{audits.headline}", f"report: {page.out}"])
