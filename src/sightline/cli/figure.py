"""``sightline figure``: one figure of an audit, or of the runs of a store, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli import flags, own_files
from sightline.cli.output import emit, note_left_out, print_lines, writing
from sightline.cli.output_checks import Output, check_places, may_be_ours
from sightline.core.errors import SpecError, StoreError, near_it, setting
from sightline.report.redact import redacted

if TYPE_CHECKING:
    from sightline.core.results import Results
    from sightline.report.figures.figure_registry import Figure

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", show_default=False, help="Which figure: see sightline list figures."
    ),
]
Places = Annotated[
    list[str],
    typer.Argument(
        metavar="PLACE...",
        show_default=False,
        help="An audit to draw: a folder that sightline audit --save wrote, or a run of a store as "
        "STORE:KEY; for figures of several, any number of these, or a store for all its runs.",
    ),
]
File = Annotated[
    Path,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default=False,
        help="The figure to write, .svg, .png or .pdf; its numbers are written next to it, .csv; "
        "a .csv that is there without a figure is not replaced.",
    ),
]
TextId = Annotated[
    str | None,
    typer.Option(
        "--text-id",
        metavar="ID",
        show_default="the one in the middle",
        help=("The text to draw, by its id (its number with --no-ids), for figures of one text."),
    ),
]


def figure(
    name: Name,
    places: Places,
    out: File,
    text_id: TextId = None,
    no_ids: flags.NoIds = False,
    as_json: flags.Json = False,
) -> None:
    r"""Draw one figure for a paper from saved audits, and write its numbers next to it.

    It needs matplotlib: pip install 'sightline-audit\[figures]'.
    """
    from sightline.report.figures.figure_registry import FIGURES, numbers_of, write_figure  # noqa: PLC0415  (numpy)
    from sightline.report.figures.matplotlib_output import ENDINGS, check_drawing  # noqa: PLC0415  (numpy)
    from sightline.report.figures.study_means import MEANS  # noqa: PLC0415  (numpy)

    if name == MEANS:
        message = "drawn by a study alone; write it in [show] figures of the study's file"
        raise SpecError(f"NAME: {MEANS} is {message}, and run sightline study FILE --out DIR")
    if name not in FIGURES:
        near = near_it(name, FIGURES)
        raise SpecError(f"NAME: expected one of {', '.join(FIGURES)}, got {name!r}{near}")
    if text_id is not None and not FIGURES[name].of_a_text:
        raise SpecError(f"{name} is not a figure of one text; leave it out", field="text_id")
    found = [Path(one) for one in places]
    check_places([("PLACE", one) for one in found], _picture(out))
    if out.suffix.lower() not in ENDINGS:
        raise SpecError(
            f"expected a name that ends in {', '.join(ENDINGS)}, got {out}", field="out"
        )
    check_drawing()
    folders = _folders(FIGURES[name], places)
    written = _picture(out), Output("the numbers next to it,", numbers_of(out))
    check_places([("PLACE", one) for one in (*found, *folders)], *written)
    _check_numbers(written[1], [out, *map(out.with_suffix, ENDINGS)])
    with writing(out):
        write_figure(_read(folders, ids=not no_ids), name, out, text_id)
    if as_json:
        return emit({"figure": str(out), "numbers": str(numbers_of(out)), "audits": len(folders)})
    return print_lines([f"figure: {out}", f"numbers: {numbers_of(out)}"])


def _picture(path: Path) -> Output:
    return Output("--out", path, like=own_files.FIGURES.get(path.suffix.lower(), b""))


def _check_numbers(numbers: Output, figures: Sequence[Path]) -> None:
    """Refuse to replace a file that nobody named, unless a figure of its name is there too."""
    drawn = (one.is_file() and may_be_ours(_picture(one)) for one in figures)
    if numbers.path.exists() and not any(drawn):
        raise StoreError(
            f"{numbers}: exists, and no figure of this name is there; give {setting('out')} "
            "another name"
        )


def _folders(asked: Figure, places: Sequence[str]) -> list[Path]:
    """Find the folders of the named audits, each once."""
    from sightline.api.find_audits import audits_of, torn_runs_of  # noqa: PLC0415  (numpy)

    found = list(
        {one.folder.resolve(): one.folder for place in places for one in audits_of(place)}.values()
    )
    note_left_out([key for place in places for key in torn_runs_of(place)])
    if not asked.several and len(found) != 1:
        message = f"PLACE: expected one audit, got {len(found)}"
        raise SpecError(
            f"{message}; name one, of several seeds as DIR/seed-N, of a store as STORE:KEY"
        )
    return found


def _read(folders: Sequence[Path], *, ids: bool) -> Iterator[Results]:
    """Read the audits one after another: a store may hold more than fit into memory."""
    from sightline.api.find_audits import load_results  # noqa: PLC0415  (numpy)

    numbers = dict[str, str]()
    for folder in folders:
        yield redacted(load_results(folder), ids=ids, numbers=numbers)
