"""A dataset of three disjoint splits, and a card that records contents, source and dropped texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from jaxtyping import Bool

from sightline.config.specs import DataSpec
from sightline.core.error_excerpts import list_names, show_id
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.seeds import seed_for

Split = tuple[Example, ...]
SPLITS = ("train", "validation", "test")
SEVERAL = "several_labels"
"""The card's entry for texts with several labels."""
_QUANTILES = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "max": 1.0}


@dataclass(frozen=True)
class Dataset:
    """Labelled texts in three splits; an example in two splits, or a label without a name, is an
    error.
    """

    name: str
    train: Split
    validation: Split
    test: Split
    label_names: tuple[str, ...]
    card: Mapping[str, Any]
    max_tokens: int = DataSpec.max_tokens
    """The most words of a text that were read; a model trained on the texts remembers it."""
    first_rows: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """For each label as it was read, the file and the line of its first text, for errors."""

    def __post_init__(self) -> None:
        if len(set(self.label_names)) < len(self.label_names):
            raise DataError(
                f"{self.name}: expected label names that differ, got {self.label_names}"
            )
        _check_apart(self.name, self.splits)
        for example in (*self.train, *self.validation, *self.test):
            _check_example(example, self.label_names)
            if (example.query is None) == self.has_queries:
                raise DataError(
                    f"text {show_id(example.id)}: expected a query with every text or with none, got both"
                )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(split)} {name}" for name, split in self.splits.items())
        then = "sightline.train(data)" if self.train else "sightline.audit(model, data)"
        labels = list_names(self.label_names)
        return f"<Dataset {self.name!r}: {sizes} texts; labels {labels}; next: {then}>"

    @property
    def several(self) -> bool:
        """Whether a text has several labels: each label name is then a set of labels
        (`written_set`).
        """
        return bool(self.card.get(SEVERAL))

    @property
    def labels(self) -> tuple[str, ...]:
        """The outputs of a model of these texts: their classes, or each of several labels."""
        if not self.several:
            return self.label_names
        return tuple(sorted({label for name in self.label_names for label in read_set(name)}))

    @property
    def label_sets(self) -> Bool[np.ndarray, "S K"] | None:
        """For each label number, which of several labels it stands for; None if a text has one
        class.
        """
        if not self.several:
            return None
        labels, sets = self.labels, [frozenset(read_set(name)) for name in self.label_names]
        rows = [[label in one for label in labels] for one in sets]
        return np.array(rows, dtype=bool).reshape(len(sets), len(labels))

    @property
    def has_queries(self) -> bool:
        """Whether each text has a question or a hypothesis."""
        return any(
            example.query is not None for split in self.splits.values() for example in split[:1]
        )

    @property
    def splits(self) -> dict[str, Split]:
        """The three splits by name, in the order train, validation, test."""
        return {"train": self.train, "validation": self.validation, "test": self.test}


def written_set(labels: Collection[str]) -> str:
    """Write the labels of a text as one name, which `read_set` reads.

    >>> written_set({"b", "a"}), written_set(())
    ('["a", "b"]', '[]')
    """
    return json.dumps(sorted(labels), ensure_ascii=False)


def read_set(name: str) -> tuple[str, ...]:
    """Read the labels of a text from their common name."""
    return tuple(json.loads(name))


def classes_of(label: str) -> tuple[str, str]:
    """Name the two classes of one of several labels: negative first, for one logit."""
    return f"not {label}", label


def has_marks(split: Split) -> bool:
    """Tell whether any text has a rationale."""
    return any(any(example.rationale or ()) for example in split)


def _check_apart(name: str, splits: Mapping[str, Split]) -> None:
    """Refuse an id or an index that occurs twice, in one split or in two."""
    for what in ("id", "index"):
        # Compare numbers first: a million ids in a dictionary take as much memory as their texts.
        keys = map(attrgetter(what), chain(*splits.values()))
        hashes = np.fromiter(map(hash, keys), np.int64)
        if len(np.unique(hashes)) < len(hashes):
            _find_twice(name, what, splits)


def _find_twice(name: str, what: str, splits: Mapping[str, Split]) -> None:
    seen = dict[str | int, str]()
    for split, examples in splits.items():
        for key in map(attrgetter(what), examples):
            if key in seen:
                shown = show_id(key) if isinstance(key, str) else key
                raise DataError(
                    f"{name}: {what} {shown!r} is in {seen[key]} and again in {split}; each "
                    "text needs an id and an index of its own, and a text may be in one "
                    "split only"
                )
            seen[key] = split


def _check_example(example: Example, label_names: Sequence[str]) -> None:
    if not 0 <= example.label < len(label_names):
        raise DataError(
            f"text {show_id(example.id)}: expected a label from 0 to {len(label_names) - 1}, got "
            f"{example.label}"
        )
    if example.candidates is not None and example.label not in example.candidates:
        raise DataError(
            f"text {show_id(example.id)}: expected a label among its candidates {example.candidates}, "
            f"got {example.label}"
        )
    if example.places is not None and len(example.places) != len(example.tokens):
        raise DataError(
            f"text {show_id(example.id)}: expected an offset for each of {len(example.tokens)} tokens, "
            f"got {len(example.places)}"
        )
    if example.rationale is not None and len(example.rationale) != len(example.tokens):
        raise DataError(
            f"text {show_id(example.id)}: expected a mark for each of {len(example.tokens)} tokens, "
            f"got {len(example.rationale)}; a rationale has one true or false a token"
        )


def make_card(
    splits: Mapping[str, Split],
    label_names: Sequence[str],
    *,
    source: str,
    dropped: Mapping[str, int] | None = None,
    truncated: int = 0,
    words_cut: int = 0,
    notes: Sequence[str] = (),
    several: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """Describe a dataset in plain JSON values.

    The card holds ``source``; ``splits.NAME`` with ``n``, ``labels`` (texts by label name) and
    ``tokens`` (quantiles of the lengths); ``dropped`` (texts by reason); ``truncated`` (texts cut
    to the longest length allowed) and ``words_cut`` (the words they lost); ``notes``; and further
    entries of the loader. If texts have ``several`` labels each, ``several_labels`` says so.
    """
    return {
        "source": source,
        "splits": {
            name: describe(split, label_names, several=several) for name, split in splits.items()
        },
        "dropped": dict(dropped or {}),
        "truncated": truncated,
        "words_cut": words_cut,
        "notes": list(notes),
        **({SEVERAL: True} if several else {}),
        **more,
    }


def count_copies(texts: Iterable[tuple[str, Hashable, int]]) -> dict[str, Any]:
    """Count copies for a card, from each text's split, copy key and label.

    Gives ``duplicates`` within a split, ``conflicting_labels`` (texts whose copies have different
    labels), and ``same_words_as_training`` (evaluation texts that are also in training).
    """
    keys: dict[str, list[Hashable]] = {name: [] for name in SPLITS}
    labels: dict[str, list[int]] = {name: [] for name in SPLITS}
    for name, key, label in texts:
        keys[name].append(key)
        labels[name].append(label)
    # One set at a time: a set takes as much memory as the words of its texts.
    duplicates = {name: len(each) - len(set(each)) for name, each in keys.items()}
    conflicting = _conflicting(list(chain(*keys.values())), list(chain(*labels.values())))
    training = set(keys["train"])
    return {
        "duplicates": duplicates,
        "conflicting_labels": conflicting,
        "same_words_as_training": {
            name: sum(key in training for key in keys[name]) for name in SPLITS[1:]
        },
    }


def _conflicting(keys: Sequence[Hashable], labels: Sequence[int]) -> int:
    """Count the texts with a copy that has another label."""
    first: dict[Hashable, int] = {}
    conflicting = {
        key
        for key, label in zip(keys, labels, strict=True)
        if first.setdefault(key, label) != label
    }
    return sum(key in conflicting for key in keys)


def describe(split: Split, label_names: Sequence[str], *, several: bool = False) -> dict[str, Any]:
    """Count the texts of a split, in total and by label, and give the quantiles of their lengths in
    tokens.

    A text with ``several`` labels counts under each of them. Groups are counted where a text has
    one.
    """
    lengths = [len(example.tokens) for example in split]
    # inverted_cdf: a quantile of lengths is then the length of an actual text
    values = (
        np.quantile(lengths, list(_QUANTILES.values()), method="inverted_cdf") if lengths else ()
    )
    return {
        "n": len(split),
        "labels": _counted(split, label_names, several=several),
        "tokens": {name: int(value) for name, value in zip(_QUANTILES, values, strict=False)},
        **({"groups": count_groups(split)} if any(example.group for example in split) else {}),
    }


def count_groups(texts: Sequence[Example]) -> dict[str, int]:
    """Count the groups of texts, and the texts that belong to none: each of these counts alone."""
    names = [example.group for example in texts]
    return {"n": len({*names} - {""}), "without": names.count("")}


def count_independent(texts: Iterable[Example]) -> int:
    """Count texts; those of one group, and copies, count as one. Near copies are of one group once
    `sightline.data.near_duplicates.counted_once` has joined them.
    """
    return len({example.group or example.tokens for example in texts})


def count_independent_of_labels(dataset: Dataset) -> dict[str, int]:
    """Count the test texts of each label in this way; one with several labels counts under each."""
    of_label: dict[str, list[Example]] = {name: [] for name in dataset.labels}
    own = [read_set(name) if dataset.several else (name,) for name in dataset.label_names]
    for example in dataset.test:
        for name in own[example.label]:
            of_label[name].append(example)
    return {name: count_independent(found) for name, found in of_label.items()}


def _counted(split: Split, label_names: Sequence[str], *, several: bool) -> dict[str, int]:
    counts = Counter(example.label for example in split)
    if not several:
        return {name: counts[label] for label, name in enumerate(label_names)}
    sets = [read_set(name) for name in label_names]
    each = dict.fromkeys(sorted({name for one in sets for name in one}), 0)
    for number, names in enumerate(sets):
        for name in names:
            each[name] += counts[number]
    return each


def keep_splits(dataset: Dataset, kept: Collection[str]) -> Dataset:
    """Drop the texts of all other splits; the card still describes them.

    The kept texts are copied to contiguous memory, so that the dropped ones free memory in one
    piece instead of in gaps.
    """
    train, validation, test = (
        tuple(map(_copied, split)) if name in kept else () for name, split in dataset.splits.items()
    )
    return replace(dataset, train=train, validation=validation, test=test)


def _copied(example: Example) -> Example:
    """Copy the large parts of a text: its characters and its list of words."""
    return replace(example, text=example.text[:1] + example.text[1:], tokens=(*example.tokens,))


def sample_test(dataset: Dataset, limit: int | None, seed: int) -> Dataset:
    """Keep a seeded sample of ``limit`` test texts, in order, and note it in the card.

    Texts are ranked by a hash of seed and index, so a larger limit includes the texts of a smaller
    one. Without a limit, or with a limit above the number of test texts, nothing changes.
    """
    if limit is None:
        return dataset
    if limit < 1:
        raise SpecError(f"expected at least 1 text, got {limit}", field="limit")
    if limit >= len(dataset.test):
        return dataset
    ranked = sorted(dataset.test, key=lambda example: seed_for(seed, "limit", example.index))
    kept = {example.index for example in ranked[:limit]}
    test = tuple(example for example in dataset.test if example.index in kept)
    card = dict(dataset.card)
    card["splits"] = {
        **card.get("splits", {}),
        "test": describe(test, dataset.label_names, several=dataset.several),
    }
    card["sample"] = {"n": limit, "of": len(dataset.test), "seed": seed}
    card["notes"] = [
        *card.get("notes", ()),
        f"a sample of {limit} of {len(dataset.test)} test texts, seed {seed}",
    ]
    return replace(dataset, test=test, card=card)
