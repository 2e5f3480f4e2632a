"""Matches texts that have several labels with the labels of a model, and makes one dataset for each
label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sightline.adapters.label_alignment import (
    NUMBERS,
    LabelMap,
    as_read,
    how_read,
    map_advice,
    match_labels,
    texts_by_label,
)
from sightline.config.label_map import NO_TEXT_HAS
from sightline.core.error_excerpts import list_names
from sightline.core.errors import DataError, setting
from sightline.core.example import Example
from sightline.data.assembly.data_warnings import ONE_LABEL
from sightline.data.dataset import SEVERAL, Dataset, classes_of, describe, read_set, written_set
from sightline.data.readers.table_columns import ZERO_ONE


@dataclass(frozen=True)
class LabelledSets:
    """Texts, and the model's labels in each set of labels of the data."""

    dataset: Dataset
    names: tuple[str, ...]
    sets: tuple[frozenset[str], ...]
    """The model's labels for each label number of the dataset."""

    @property
    def counts(self) -> dict[str, int]:
        """Count the test texts of each label."""
        numbers = Counter(example.label for example in self.dataset.test)
        return {
            name: sum(n for number, n in numbers.items() if name in self.sets[number])
            for name in self.names
        }

    def of(self, label: str) -> Dataset:
        """Give a dataset of two classes, with one label as the positive class."""
        numbers = [int(label in one) for one in self.sets]
        classes = classes_of(label)
        splits = {
            split: tuple(_renumbered(example, numbers) for example in examples)
            for split, examples in self.dataset.splits.items()
        }
        card = {name: value for name, value in self.dataset.card.items() if name != SEVERAL}
        card["splits"] = {
            split: describe(splits[split], classes) if splits.get(split) else _without_labels(about)
            for split, about in card.get("splits", {}).items()
        }
        train, validation, test = splits.values()
        return replace(
            self.dataset,
            train=train,
            validation=validation,
            test=test,
            label_names=classes,
            card=card,
            first_rows={},
        )


def _without_labels(about: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a split without its texts: its sets of labels do not apply to a single label."""
    return {**about, "labels": {}}


def _renumbered(example: Example, numbers: Sequence[int]) -> Example:
    return replace(example, label=numbers[example.label])


def labelled_sets(
    dataset: Dataset, names: Sequence[str], label_map: LabelMap | None = None
) -> LabelledSets:
    """Match the labels of texts with the labels of a model, by the rules for classes. A label that
    the model lacks is an error; a label without texts is a note. Zeros and ones alone are never
    read as indices of labels: 1 may say that a text has the label.

    A text with one label has a set of one.
    """
    mapped = as_read(label_map or {})
    dataset = _with_numbers(dataset, {*names, *mapped})
    written = [read_set(one) if dataset.several else (one,) for one in dataset.label_names]
    known = sorted({label for one in written for label in one})
    if not known:
        raise DataError(
            f"{dataset.name}: no text has a label; does {setting('label')} name the right column?"
        )
    try:
        matching = match_labels(dataset.name, known, names, mapped, texts_by_label(dataset))
    except DataError as error:
        # Settings stay marked, so that each interface spells them its own way.
        raise DataError(_advised(error.spelled(setting), dataset, names)) from None
    alone = {*known} <= {*ZERO_ONE} and all(len(one) < 2 for one in written)
    if alone and matching.how == NUMBERS:
        raise _no_indices(dataset, names)
    sets = tuple(frozenset(matching.classes[label] for label in one) for one in written)
    without = [name for name in names if name not in frozenset().union(*sets)]
    several = "s" * (len(without) > 1)
    notes = [f"{NO_TEXT_HAS}{several} {list_names(without)} of the model"] if without else []
    notes += [how_read(matching)] if matching.how else []
    card = {**dataset.card, "notes": [*dataset.card.get("notes", ()), *notes]}
    return LabelledSets(replace(dataset, card=card), tuple(names), sets)


def _with_numbers(dataset: Dataset, known: AbstractSet[str]) -> Dataset:
    """Read zeros and ones in a column as names of labels, if these are ``known`` and the name of
    the column is not: a model may have labels that are called 0 and 1.
    """
    numbers = [str(len(read_set(name))) for name in dataset.label_names] if dataset.several else []
    one_label = _note_of_one_label(dataset)
    if not one_label or not known.isdisjoint(dataset.labels) or not known >= {*numbers}:
        return dataset
    written = {name: written_set({n}) for name, n in zip(dataset.label_names, numbers, strict=True)}
    notes = [note for note in dataset.card["notes"] if note != one_label]
    return replace(
        dataset,
        label_names=(*written.values(),),
        card={**dataset.card, "notes": notes},
        first_rows={written[name]: row for name, row in dataset.first_rows.items()},
    )


def _note_of_one_label(dataset: Dataset) -> str:
    """Give the note on a column of zeros and ones that was read as one label; empty without one."""
    return next((note for note in dataset.card.get("notes", ()) if ONE_LABEL in note), "")


def _as_numbers(names: Sequence[str]) -> str:
    """Say how zeros and ones are read as the first labels of a model."""
    pairs = dict(zip("01", names, strict=False))
    return (
        f"where they number the labels of the model, say so with {map_advice([*pairs], (), pairs)}"
    )


def _no_indices(dataset: Dataset, names: Sequence[str]) -> DataError:
    """Make the error for zeros and ones alone, which would name the first two labels."""
    column = (dataset.card.get("columns") or {}).get("label") or "label"
    if dataset.several:
        change = "write its name, or 0 or 1 in every cell of a column of that name"
    else:
        change = f"{setting('label', column)} {setting('labels_sep', ';')} reads it"
    return DataError(
        f"{dataset.name}: expected the names of labels in {column!r}, got 0 and 1 alone, and the "
        f"model has the labels {list_names(names)}; where 1 says that a text has a label, "
        f"{change}; {_as_numbers(names)}"
    )


def _advised(message: str, dataset: Dataset, names: Sequence[str]) -> str:
    """Add how labels were read that may be meant otherwise, or how several, or none, are written."""
    if one_label := _note_of_one_label(dataset):
        return f"{message}; {one_label}; {_as_numbers(names)}"
    if dataset.several:
        return f"{message}; a text without a label has an empty cell or list"
    return f"{message}; if a text has several labels, {setting('labels_sep', ';')} reads them"
