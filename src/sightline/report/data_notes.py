"""Notes on the texts that a reader needs before the numbers: which were left out, and how the
others were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sightline.config.label_map import NO_TEXT_HAS, READ_AS
from sightline.core.error_excerpts import NOT_SHOWN
from sightline.core.results import Results
from sightline.data.assembly.data_warnings import (
    ALONE,
    AS_MISSING,
    GARBLED,
    LOOK_ALIKE,
    MARKUP,
    ONE_LABEL,
)
from sightline.data.assembly.joined_labels import LOOK_JOINED
from sightline.data.assembly.user_corpus import EMPTY, NO_QUERY, NO_WORDS
from sightline.data.assembly.user_splits import ALSO_TRAINED, EVERY_ROW, UNSEEN_LABELS
from sightline.data.near_duplicates import NEAR
from sightline.report.number_format import count, count_phrase, texts
from sightline.report.sentences import opened, quoted_start
from sightline.report.sequential_note import settled_after
from sightline.verdict.audit_clusters import clusters_of
from sightline.verdict.thresholds import default_thresholds

TITLE = "About the texts"
MOST = 6
"""Labels that are named one by one."""
_WORTH = (
    ALONE, GARBLED, MARKUP, EVERY_ROW, ALSO_TRAINED, READ_AS, NEAR, LOOK_JOINED, LOOK_ALIKE,
    AS_MISSING, ONE_LABEL, NO_TEXT_HAS,
)  # fmt: skip
"""Parts of the notes in a data card that a reader must know before any number."""


def noted(audit: Results) -> list[str]:
    """Say which texts were left out because no training text has their label, which are copies, and
    how the others were read.

    The data card says what else was dropped or cut.
    """
    card = audit.cards.get("data")
    if not isinstance(card, Mapping):
        return []
    read = [f"{opened(note)}." for note in worth_noting(card)]
    unseen = _unseen(card.get(UNSEEN_LABELS) or {})
    return [
        *settled_after(audit),
        *_groups(audit, card),
        *unseen,
        *_without_words(card),
        *_copies(card),
        *read,
    ]


def has_groups(audit: Results) -> bool:
    """Check whether the data say which texts belong together."""
    card = audit.cards.get("data")
    if not isinstance(card, Mapping):
        return False
    # A published corpus has no columns; near copies are counted as groups of other data alone.
    there = "columns" not in card and "groups" in card.get("splits", {}).get("test", {})
    return there or bool(_group_column(card))


def _group_column(card: Mapping[str, Any]) -> str | None:
    columns = card.get("columns")
    return columns.get("group") if isinstance(columns, Mapping) else None


def _groups(audit: Results, card: Mapping[str, Any]) -> Iterator[str]:
    """Say how many groups of texts there are that belong together, such as notes of a patient."""
    clusters, column = clusters_of(audit), _group_column(card)
    if not column or clusters is None:
        return
    about, apart = card.get("splits", {}).get("test", {}), len(np.unique(clusters))
    if about.get("n") == len(audit.texts) and (found := about.get("groups")):
        none = f", and {count(found['without'])} of none" if found["without"] else ""
        yield (
            f"The {texts(len(audit.texts))} are of {count_phrase(found['n'], 'group')} (column "
            f"{quoted_start(column)}){none}."
        )
    least = default_thresholds().least
    few = f" A verdict rests on at least {least}." if apart < least else ""
    yield (
        f"Texts of one group, copies and near copies count as one in every interval: there are "
        f"{count(apart)} to count.{few}"
    )


def _without_words(card: Mapping[str, Any]) -> Iterator[str]:
    """Say how many rows of the user hold nothing to read."""
    dropped = card.get("dropped") or {}
    for why in (EMPTY, NO_WORDS, NO_QUERY):
        if "columns" in card and (n := dropped.get(why, 0)):
            yield f"{count_phrase(n, 'row')} of the data left out: {why}."


def _copies(card: Mapping[str, Any]) -> Iterator[str]:
    """Say how many texts are copies of others, and how many of these have another label."""
    if n := (card.get("duplicates") or {}).get("test", 0):
        yield f"{texts(n)} to test on {'repeats' if n == 1 else 'repeat'} an earlier one word for word."
    if n := card.get("conflicting_labels", 0):
        yield f"{texts(n)} of the data have a copy with another label: no model is right on both."


def worth_noting(card: Mapping[str, Any]) -> list[str]:
    """Give the notes on test rows, on labels that look like several, on markup that counts as
    words, and on near copies.
    """
    return [note for note in card.get("notes", ()) if any(mark in note for mark in _WORTH)]


def _unseen(labels: Mapping[str, int]) -> Iterator[str]:
    """Name the labels that training lacks, the most common first."""
    if not labels:
        return
    named = [
        f"{name if name == NOT_SHOWN else quoted_start(name)} ({count(n)})"
        for name, n in sorted(labels.items(), key=lambda one: -one[1])
    ]
    more = [f"{count(len(named) - MOST)} more"] if len(named) > MOST else []
    n = sum(labels.values())
    left = (
        "was left out, because its label is that"
        if n == 1
        else "were left out, because their labels are those"
    )
    yield f"{texts(n)} {left} of no training text: {', '.join([*named[:MOST], *more])}."
