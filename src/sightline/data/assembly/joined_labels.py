"""Detect classes that look like several labels in one cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sightline.config.specs import GIVEN, DataSpec
from sightline.config.user_tables import WITH_LABELS
from sightline.core.errors import setting
from sightline.data.assembly.corpus import Corpus

SEPARATORS = (";", "|", ",")
LOOK_JOINED = "classes look like several labels joined by"
"""The note in the data card for such classes."""
_DECIMAL = re.compile(r"[0-9]+,[0-9]+")


@dataclass(frozen=True)
class JoinedLabels:
    """``classes`` class names consist of ``parts`` distinct parts; ``texts`` of ``of`` texts have
    several parts.
    """

    separator: str
    classes: int
    parts: int
    texts: int
    of: int

    def note(self) -> str:
        """Write the note, with how to read several labels."""
        return (
            f"the {self.classes:,} {LOOK_JOINED} {self.separator!r}: they are made of "
            f"{self.parts:,} parts, and {self.texts:,} of {self.of:,} texts have several; where a "
            f"text may have several labels, read them with --labels-sep '{self.separator}' and "
            "train a model with +labelwise, such as cnn+labelwise"
        )

    def advice(self) -> str:
        """Explain in an error how to read several labels."""
        return (
            f"the {self.classes:,} {LOOK_JOINED} {self.separator!r}: "
            f"{setting('labels_sep', self.separator)} reads them, for a model with +labelwise"
        )


def find_joined_labels(corpus: Corpus, spec: DataSpec) -> JoinedLabels | None:
    """Find classes of a user's texts that look like several labels. None if each text has a single
    label, or if it has a query, which has one answer.
    """
    if spec.labels_sep or spec.query or spec.kind not in (*WITH_LABELS, GIVEN):
        return None
    return joined_labels(Counter(corpus.label_names[text.label] for text in corpus.texts))


def joined_labels(counts: Mapping[str, int]) -> JoinedLabels | None:
    """Find classes made of fewer parts than there are classes, from the texts of each class.

    >>> joined_labels({"a": 3, "b": 4, "a;b": 5})
    JoinedLabels(separator=';', classes=3, parts=2, texts=5, of=12)

    Three patterns are excluded: paths in a tree (``news|world``), pairs of properties (``good,
    fresh``), and numbers (``1,5``).

    >>> joined_labels({"news": 1, "news|world": 1, "news|sport": 1})
    >>> joined_labels({"1": 1, "1,5": 1, "2": 1, "2,5": 1, "5": 1})
    """
    classes = list(counts)
    for separator in SEPARATORS:
        parts = [_parts(name, separator) for name in classes]
        several = [name for name, own in zip(classes, parts, strict=True) if len(own) > 1]
        known = {part for own in parts for part in own}
        vary = len({len(own) for own in parts}) > 1
        if several and vary and len(known) < len(classes) and not _are_numbers(several):
            texts = sum(counts[name] for name in several)
            return JoinedLabels(separator, len(classes), len(known), texts, sum(counts.values()))
    return None


def _parts(name: str, separator: str) -> Sequence[str]:
    return [part for one in name.split(separator) if (part := one.strip())]


def _are_numbers(names: Sequence[str]) -> bool:
    """Tell whether the separator is a decimal or thousands mark in all names."""
    return all(_DECIMAL.fullmatch(name.strip()) for name in names)
