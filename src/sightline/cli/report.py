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
from sightline.errors import SpecError
from sightline.report.sentences import headline
from sightline.saving import load_results

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="AUDIT_DIR",
        show_default=False,
        help="A folder that sightline audit --save wrote, or a run of a store as STORE:KEY.",
    ),
]


FigureName = Annotated[
    str | None,
    typer.Option(
        "--figure",
        metavar="NAME",
        show_default="the page",
        help="Draw this figure alone, as an .svg with its numbers beside it (.csv): see sightline list figures.",
    ),
]


def report(
    folder: Folder,
    out: flags.Page = Path("report.html"),
    figure: FigureName = None,
    card: flags.Card = None,
    no_texts: flags.NoTexts = False,
    no_ids: flags.NoIds = False,
    as_json: flags.Json = False,
) -> None:
    """Draw a saved audit again: the same numbers, the same page, without the model or the data; or one figure of it."""
    from sightline.experiments.named import place_of, read_place  # noqa: PLC0415  (numpy)

    folder = place_of(folder)
    if figure is not None:
        return _draw(folder, figure, out, as_json)
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
        return emit({"report": str(out), "verdict": found.verdict.text})
    return say([f"Verdict: {headline(found.verdict)}", f"report: {out}"])


def _draw(folder: Path, name: str, out: Path, as_json: bool) -> None:
    """Write one figure, and its numbers beside it."""
    from sightline.report.plots.named import FIGURES, numbers_of, write_figure  # noqa: PLC0415  (numpy, for this alone)

    if name not in FIGURES:
        raise SpecError(f"expected one of {', '.join(FIGURES)}, got {name!r}", field="figure")
    if out.suffix != ".svg":
        raise SpecError(f"expected a name that ends in .svg, got {out}; a figure is written as SVG", field="out")
    check_places((("AUDIT_DIR", folder),), Output("--out", out), Output("the numbers beside it,", numbers_of(out)))
    found = load_results(folder)
    note_unsealed(folder)
    with writing(out):
        write_figure(found, name, out)
    if as_json:
        return emit({"figure": str(out), "numbers": str(numbers_of(out))})
    return say([f"figure: {out}", f"numbers: {numbers_of(out)}"])
