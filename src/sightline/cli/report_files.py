"""Pages and cards as a command writes them: how their names may end."""

from __future__ import annotations

from pathlib import Path

from sightline.core.errors import SpecError
from sightline.report.card_text import CARDS

PAGES = (".html", ".htm")
"""How the name of a page may end: a browser opens it by that."""


def check_endings(out: Path, card: Path | None = None) -> None:
    """Refuse a page that is called something else, and a card that nobody can print, before
    anything is done.
    """
    if out.suffix.lower() not in PAGES:
        raise SpecError(
            f"{out}: expected a name that ends in .html; a page is written as HTML", field="out"
        )
    if card is not None and card.suffix.lower() not in CARDS:
        raise SpecError(f"{card}: expected a name that ends in {' or '.join(CARDS)}", field="card")
