"""``sightline compare``: audits side by side, and what lies between their effects on the texts that they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli import flags
from sightline.cli.output import emit, note_unsealed, say, tell, writing
from sightline.cli.pages import check_endings
from sightline.cli.places import Output, check_places
from sightline.errors import SpecError

if TYPE_CHECKING:
    from sightline.experiments.named import Named

Audits = Annotated[
    list[str],
    typer.Argument(
        metavar="AUDIT...",
        show_default=False,
        help="Two or more, the first to compare with: a folder that sightline audit --save wrote, or a run of a store "
        "as STORE:KEY.",
    ),
]
KeptIn = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        show_default="none",
        help=flags.STORE,
        rich_help_panel="Run",
    ),
]


def compare(
    audits: Audits,
    store: KeptIn = None,
    out: flags.Page = Path("compare.html"),
    no_texts: flags.NoTexts = False,
    as_json: flags.Json = False,
) -> None:
    """Compare saved audits: verdicts side by side, and differences of effects on the same texts, with intervals.

    With --store, audits are runs of it, by their keys or how these begin (sightline results lists them).
    """
    from sightline.experiments.named import named_audits  # noqa: PLC0415  (numpy and the report, for this command alone)

    named = named_audits(audits, store)
    check_places([("--store", store), *(("AUDIT", one.folder) for one in named)], Output("--out", out))
    check_endings(out)
    _refuse_repeats(named)
    _compare(named, out, texts=not no_texts, as_json=as_json)


def _refuse_repeats(named: Sequence[Named]) -> None:
    if len(named) < 2:
        raise SpecError(f"expected two audits or more to compare, got {len(named)}: {', '.join(map(str, named))}")
    seen: dict[Path, Named] = {}
    for one in named:
        if (other := seen.setdefault(one.folder.resolve(), one)) is not one:
            raise SpecError(f"{one}: is the same audit as {other}; name another")


def _compare(named: Sequence[Named], out: Path, *, texts: bool, as_json: bool) -> None:
    from sightline.audits import compare as compared  # noqa: PLC0415  (jinja2)
    from sightline.report.page.compare import write_comparison  # noqa: PLC0415  (jinja2)
    from sightline.report.sheets.compare import comparison_lines  # noqa: PLC0415  (numpy)

    found = compared(*(one.read() for one in named), places=[str(one) for one in named])
    for one in named:
        note_unsealed(one.folder)
    with writing(out):
        write_comparison(found, out, texts)
    if not as_json:
        return say([*comparison_lines(found), "", f"report: {out}"])
    emit(found.to_json())
    return tell(f"report: {out}")
