"""Texts as a model sees them: without words beyond its length, or without a token for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sightline.adapters.trace_checks import name_model_in_errors
from sightline.adapters.validate_outputs import call_user_code
from sightline.core.error_excerpts import show_id
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, SupportsTruncatedCount, SupportsTruncation
from sightline.data.dataset import Dataset, describe


@dataclass(frozen=True)
class VisibleWords:
    """One text as a model sees it.

    ``seen`` has only the words that the model sees, and ``there`` marks them among all words.
    ``beyond`` counts the words after the model's length; the other missing words have no token of
    their own.
    """

    seen: Example
    there: tuple[bool, ...]
    beyond: int


def visible_text(model: Auditable, example: Example) -> Example:
    """Give a text with only the words that a model sees, even if there are none."""
    if not isinstance(model, SupportsTruncation):
        return example
    with name_model_in_errors(model):
        return call_user_code("its tokenizer", model.seen, example)


def counted_visible_text(model: Auditable, example: Example) -> Example:
    """Give a text with only the words that a model sees, and count the others in it."""
    found = visible_text(model, example)
    missing = len(example.tokens) - len(found.tokens)
    if not missing:
        return found
    if isinstance(model, SupportsTruncatedCount):
        unseen = missing - model.beyond(example)
    else:  # a length limit takes no word from before one that is seen
        last = found.offsets[-1] if found.tokens else example.offsets[-1]
        unseen = sum(place <= last for place in example.offsets) - len(found.tokens)
    return replace(found, cut=example.cut + missing, unseen=example.unseen + unseen)


def visible_words(model: Auditable, example: Example) -> VisibleWords:
    """Find the words of a text that a model sees; a text of which it sees none is an error."""
    seen = _some(model, example)
    if seen is example:
        return VisibleWords(example, (True,) * len(example.tokens), 0)
    beyond = (seen.cut - seen.unseen) - (example.cut - example.unseen)
    return VisibleWords(seen, words_left(example, seen), beyond)


def words_left(example: Example, seen: Example) -> tuple[bool, ...]:
    """Mark the words of a text that are left where a model sees fewer."""
    known = set(seen.offsets)
    return tuple(place in known for place in example.offsets)


def visible_texts(model: Auditable, examples: Iterable[Example]) -> tuple[Example, ...]:
    """Give texts with only the words that a model sees, and drop texts without any."""
    return tuple(
        text for text in (visible_text(model, example) for example in examples) if text.tokens
    )


def visible_dataset(dataset: Dataset, model: Auditable) -> Dataset:
    """Leave out the words that a model does not see; the card counts them and their test texts."""
    if not isinstance(model, SupportsTruncation):
        return dataset
    train, validation, test = (
        tuple(_some(model, text) for text in split) for split in dataset.splits.values()
    )
    lost = [
        (after.cut - after.unseen) - (before.cut - before.unseen)
        for before, after in zip(dataset.test, test, strict=True)
    ]
    if test == dataset.test:
        return replace(dataset, train=train, validation=validation)
    card = dict(dataset.card)
    newly = sum(n > 0 and not text.cut for n, text in zip(lost, dataset.test, strict=True))
    card["truncated"] = card.get("truncated", 0) + newly
    card["words_cut"] = card.get("words_cut", 0) + sum(lost)
    card["splits"] = {**card.get("splits", {}), "test": describe(test, dataset.label_names)}
    return replace(dataset, train=train, validation=validation, test=test, card=card)


def _some(model: Auditable, example: Example) -> Example:
    found = counted_visible_text(model, example)
    if not found.tokens:
        raise DataError(
            f"text {show_id(example.id)}: expected a word that the model sees, got none; leave the text out"
        )
    return found
