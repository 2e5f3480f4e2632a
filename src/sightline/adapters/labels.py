"""The labels of data, numbered as a model numbers its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sightline.data.dataset import Dataset
from sightline.errors import DataError
from sightline.example import Example


def numbered_for(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """Number labels and candidates as the model does; a label that it does not know is an error."""
    if tuple(names) == dataset.label_names:
        return dataset
    if unknown := sorted(set(dataset.label_names) - set(names)):
        raise DataError(f"{dataset.name}: the model knows the labels {', '.join(names)}, not {unknown[0]!r}")
    numbers = [tuple(names).index(name) for name in dataset.label_names]
    train, validation, test = (
        tuple(_renumbered(example, numbers) for example in split) for split in dataset.splits.values()
    )
    return replace(dataset, label_names=tuple(names), train=train, validation=validation, test=test)


def _renumbered(example: Example, numbers: Sequence[int]) -> Example:
    candidates = example.candidates and tuple(numbers[candidate] for candidate in example.candidates)
    return replace(example, label=numbers[example.label], candidates=candidates)
