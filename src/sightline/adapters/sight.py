"""Texts as far as a model sees them: what is beyond its length, or has no piece in its vocabulary, is no word."""

from __future__ import annotations

from dataclasses import replace

from sightline.data.dataset import Dataset, Split, describe
from sightline.errors import DataError
from sightline.types import Auditable, Seeing


def as_seen(dataset: Dataset, model: Auditable) -> Dataset:
    """Leave out the words that a model says it does not see; the card counts them, and the test texts they are of."""
    if not isinstance(model, Seeing):
        return dataset
    train, validation, test = (_seen(split, model) for split in dataset.splits.values())
    lost = [len(before.tokens) - len(after.tokens) for before, after in zip(dataset.test, test, strict=True)]
    if not any(lost):
        return replace(dataset, train=train, validation=validation)
    card = dict(dataset.card)
    card["truncated"] = card.get("truncated", 0) + sum(map(bool, lost))
    card["words_cut"] = card.get("words_cut", 0) + sum(lost)
    card["splits"] = {**card.get("splits", {}), "test": describe(test, dataset.label_names)}
    return replace(dataset, train=train, validation=validation, test=test, card=card)


def _seen(split: Split, model: Seeing) -> Split:
    found = tuple(model.seen(text) for text in split)
    if unseen := next((text.id for text in found if not text.tokens), ""):
        raise DataError(f"text {unseen}: expected a word that the model sees, got none; leave the text out")
    return found
