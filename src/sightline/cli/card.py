"""``sightline card``: a saved audit as a few lines to paste, also for a model card on the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sightline._io.atomic_write import kind_of
from sightline.cli import flags
from sightline.cli.output import emit, print_lines, write_text
from sightline.cli.output_checks import Output, check_places
from sightline.core.errors import SpecError, StoreError
from sightline.report.card_text import CARDS

Hub = Annotated[
    bool,
    flags.output_flag(
        "--hub",
        metavar=flags.SWITCH,
        help="As a section of a Hugging Face model card, behind a metadata block (model-index) "
        "with the scores.",
    ),
]
File = Annotated[
    Path | None,
    flags.output_flag(
        "--out",
        metavar="FILE",
        show_default="printed",
        help="A new file to write, .md or .html; one that is there is never replaced.",
    ),
]


def card(
    saved: flags.SavedAudit, hub: Hub = False, out: File = None, as_json: flags.Json = False
) -> None:
    """Print the card of a saved audit: verdict, caveats, numbers, methods, how to repeat it."""
    from sightline.api.find_audits import place_of  # noqa: PLC0415  (numpy)
    from sightline.api.seed_audits import Audits, load_audits  # noqa: PLC0415  (as late as it is needed)

    saved = place_of(saved)
    ending = ".md" if out is None else out.suffix.lower()
    if out is not None:
        _check_new(saved, out, [".md"] if hub else [*CARDS])
    audits, folders = load_audits(saved)
    if hub and not isinstance(audits, Audits):
        message = "expected one saved audit, got those of several labels"
        raise SpecError(f"{message}; name the folder of one, such as {folders[0]}", field="hub")
    text = audits.hub_card() if isinstance(audits, Audits) and hub else audits.card(ending)
    if out is not None:
        write_text(out, text)
    if as_json:
        return emit({"card": text, "out": None if out is None else str(out)})
    return print_lines([text.rstrip("\n")] if out is None else [f"card: {out}"])


def _check_new(saved: Path, out: Path, endings: list[str]) -> None:
    """Refuse an existing file: it may be a model's README that somebody wrote."""
    check_places((("AUDIT_DIR", saved),), Output("--out", out))
    if out.suffix.lower() not in endings:
        raise SpecError(f"{out}: expected a name that ends in {' or '.join(endings)}", field="out")
    if kind_of(out) != "nothing":
        raise StoreError(f"--out {out}: exists and is not replaced; name a new file")
