"""Pages and cards as a command writes them: how their names may end, and the card itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sightline.cli.output import write_text
from sightline.errors import SpecError
from sightline.report.card import card as card_of
from sightline.report.sheets.cards import CARDS
from sightline.results import Results

if TYPE_CHECKING:
    from sightline.findings.seeds import AcrossSeeds

PAGES = (".html", ".htm")
"""How the name of a page may end: a browser opens it by that."""


def check_endings(out: Path, card: Path | None = None) -> None:
    """Refuse a page that is called something else, and a card that nobody can print, before anything is done."""
    if out.suffix.lower() not in PAGES:
        raise SpecError(f"{out}: expected a name that ends in .html; a page is written as HTML", field="out")
    if card is not None and card.suffix.lower() not in CARDS:
        raise SpecError(f"{card}: expected a name that ends in {' or '.join(CARDS)}", field="card")


def write_card(found: Results, card: Path | None, seeds: AcrossSeeds | None = None) -> None:
    """Write the card of an audit where it is asked for, with what all its ``seeds`` say where there are several."""
    if card is not None:
        write_text(card, CARDS[card.suffix.lower()](card_of(found, seeds)))
