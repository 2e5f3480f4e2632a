"""Matches texts that have several labels with the labels of a model, and makes one dataset for each
label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sightline.adapters.label_alignment import LabelMap, as_read, match_labels, texts_by_label
from sightline.core.error_excerpts import list_names
from sightline.core.errors import DataError, setting
from sightline.core.example import Example
from sightline.data.dataset import SEVERAL, Dataset, classes_of, describe, read_set


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
    the model lacks is an error; a label without texts is a note.

    A text with one label has a set of one.
    """
    written = [read_set(one) if dataset.several else (one,) for one in dataset.label_names]
    known = sorted({label for one in written for label in one})
    if not known:
        raise DataError(
            f"{dataset.name}: no text has a label; does {setting('label')} name the right column?"
        )
    try:
        matching = match_labels(
            dataset.name, known, names, as_read(label_map or {}), texts_by_label(dataset)
        )
    except DataError as error:
        # Settings stay marked, so that each interface spells them its own way.
        raise DataError(_advised(error.spelled(setting), dataset)) from None
    sets = tuple(frozenset(matching.classes[label] for label in one) for one in written)
    without = [name for name in names if name not in frozenset().union(*sets)]
    notes = [f"no text has the label {list_names(without)} of the model"] if without else []
    notes += [f"labels read as {matching.how}"] if matching.how else []
    card = {**dataset.card, "notes": [*dataset.card.get("notes", ()), *notes]}
    return LabelledSets(replace(dataset, card=card), tuple(names), sets)


def _advised(message: str, dataset: Dataset) -> str:
    """Add how several labels of a text are written, if none were read; else, how none is."""
    if dataset.several:
        return f"{message}; a text without a label has an empty cell or list"
    return f"{message}; if a text has several labels, {setting('labels_sep', ';')} reads them"
