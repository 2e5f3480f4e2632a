"""The file name endings of pages and cards."""

from __future__ import annotations

from pathlib import Path

from sightline.core.errors import SpecError
from sightline.report.card_text import CARDS

PAGES = (".html", ".htm")
"""Endings that a browser opens as a page."""


def check_endings(out: Path, card: Path | None = None) -> None:
    """Refuse a page or a card whose name has an unknown ending, before any work."""
    if out.suffix.lower() not in PAGES:
        raise SpecError(
            f"{out}: expected a name that ends in .html; a page is written as HTML", field="out"
        )
    if card is not None and card.suffix.lower() not in CARDS:
        raise SpecError(f"{card}: expected a name that ends in {' or '.join(CARDS)}", field="card")
