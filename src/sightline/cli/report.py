"""``sightline report``: draw a saved audit again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli import flags
from sightline.cli.output import emit, note_unsealed, say, writing
from sightline.cli.pages import check_endings, write_card
from sightline.cli.places import Output, check_places
from sightline.cli.seeds import report_seeds
from sightline.report.sentences import headline

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="AUDIT_DIR",
        show_default=False,
        help="A folder that sightline audit --save wrote, or a run of a store as STORE:KEY.",
    ),
]


def report(
    folder: Folder,
    out: flags.Page = Path("report.html"),
    card: flags.Card = None,
    no_texts: flags.NoTexts = False,
    no_ids: flags.NoIds = False,
    as_json: flags.Json = False,
) -> None:
    """Draw a saved audit again: the same numbers, the same page, without the model or the data."""
    from sightline.experiments.named import place_of, read_place  # noqa: PLC0415  (numpy)

    folder = place_of(folder)
    from sightline.experiments.several import seeds_in  # noqa: PLC0415  (numpy)
    from sightline.report.page.render import write_page  # noqa: PLC0415  (jinja2)

    seeds = seeds_in(folder)
    check_places((("AUDIT_DIR", folder),), Output("--out", out), None if card is None else Output("--card", card))
    check_endings(out, card)
    if seeds:
        return report_seeds(folder, out, card, as_json, texts=not no_texts, ids=not no_ids)
    found = read_place(folder)
    note_unsealed(folder)
    with writing(out):
        write_page(found, out, texts=not no_texts, ids=not no_ids)
    write_card(found, card)
    if as_json:
        return emit({"report": str(out), "verdict": found.verdict.level})
    return say([f"Verdict: {headline(found.verdict)}", f"report: {out}"])
