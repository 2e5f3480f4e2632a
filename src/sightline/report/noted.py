"""What is to be known of the texts before their numbers are read, in plain sentences: which were left out, markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sightline.data.corpora.noticed import MARKUP
from sightline.report.numerals import count, texts
from sightline.report.sentences import opened, quoted
from sightline.results import Results

TITLE = "About the texts"
MOST = 6
"""Labels that are named one by one."""


def noted(audit: Results) -> list[str]:
    """Say which texts no number is about, because no training text had their label, and where markup counts as words.

    What else was dropped or cut is in the data card.
    """
    card = audit.cards.get("data")
    if not isinstance(card, Mapping):
        return []
    marked = [f"{opened(note)}." for note in card.get("notes", ()) if MARKUP in note]
    return [*_unseen(card.get("labels_not_in_training") or {}), *marked]


def _unseen(labels: Mapping[str, int]) -> Iterator[str]:
    """Name the labels that training lacks, the most common first."""
    if not labels:
        return
    named = [f"{quoted(name)} ({count(n)})" for name, n in sorted(labels.items(), key=lambda one: -one[1])]
    more = [f"{count(len(named) - MOST)} more"] if len(named) > MOST else []
    n = sum(labels.values())
    left = "was left out, because its label is that" if n == 1 else "were left out, because their labels are those"
    yield f"{texts(n)} {left} of no training text: {', '.join([*named[:MOST], *more])}."
