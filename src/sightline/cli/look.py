"""``sightline look``: one text as a model reads it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.api.compute_resources import prepare
from sightline.cli import flags
from sightline.cli.data_flags import STDIN, read_stdin
from sightline.cli.output import emit, print_lines
from sightline.cli.stdout_guard import each_aside
from sightline.core.explanation import USUAL

if TYPE_CHECKING:
    from rich.console import Console

    from sightline.core.explanation import Explanation

OneText = Annotated[
    str,
    typer.Argument(
        metavar="TEXT", show_default=False, help="The text to look at; - reads it from stdin."
    ),
]
OneQuery = Annotated[
    str | None,
    flags.data_flag(
        "--query",
        metavar="TEXT",
        show_default="none",
        help="The question or hypothesis that comes with the text, for a model with +query.",
    ),
]
SavedAudit = Annotated[
    Path | None,
    flags.data_flag(
        "--audit",
        metavar="DIR",
        show_default="none",
        help="An audit of this model, as sightline audit --save wrote it, or a run of a store as "
        "STORE:KEY; its verdict is shown with the maps.",
    ),
]
Maps = Annotated[
    list[str] | None,
    flags.output_flag(
        "--map",
        metavar="NAME",
        show_default=f"{', '.join(USUAL)}, and any that --audit says may be shown",
        help="A map over the words to show; may be repeated.",
    ),
]

LabelName = Annotated[
    str,
    flags.data_flag(
        "--label-name",
        metavar="LABEL",
        show_default=False,
        help="The label to look at, of a model with several labels.",
    ),
]


def look(
    model: flags.TrainedModel,
    text: OneText,
    query: OneQuery = None,
    audit: SavedAudit = None,
    maps: Maps = None,
    label_name: LabelName = "",
    max_tokens: flags.MaxTokensOrModels = None,
    device: flags.Device = "auto",
    threads: flags.Threads = None,
    as_json: flags.Json = False,
) -> None:
    """Look at one text as a model reads it: the probability of every class, its words, and maps
    over them.

    A map over one text is not evidence: sightline audit tests whether it may be shown.
    """
    where = prepare(device, threads)
    from sightline.api.find_audits import place_of  # noqa: PLC0415  (numpy)
    from sightline.api.look import look_map_by_map  # noqa: PLC0415  (torch)

    audit = None if audit is None else place_of(audit)
    text_given = read_stdin() if text == STDIN else text
    readings = look_map_by_map(
        model,
        text_given,
        query,
        audit=audit,
        maps=maps or (),
        label_name=label_name,
        max_tokens=max_tokens,
        device=where,
    )
    coloured = on_terminal() and not as_json
    for found in each_aside(readings):
        if coloured and found.maps:
            show_newest(found)
    if as_json:
        return emit(found.to_json())
    return show(found, coloured=coloured)


def on_terminal() -> bool:
    """Tell whether stdout is a terminal."""
    return sys.stdout.isatty()


def show_newest(reading: Explanation) -> None:
    """Print the words in the colours of the newest map, while others are computed."""
    from sightline.report.text.explanation_text import newest  # noqa: PLC0415  (jinja2)

    _console().print(newest(reading))


def show(reading: Explanation, *, coloured: bool) -> None:
    """Print a result in plain lines; if its words were ``coloured``, explain the colours."""
    from sightline.report.text.explanation_text import lines, scales  # noqa: PLC0415  (jinja2)

    if coloured:
        for line in scales(reading):
            _console().print(line)
        _console().print()
    print_lines(lines(reading))


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415  (for this command alone)

    return Console(highlight=False, soft_wrap=True)
