"""Which texts a model was trained on, so that it is never audited on them."""

from __future__ import annotations

import hashlib

from sightline.data.dataset import Dataset
from sightline.errors import DataError
from sightline.example import Example
from sightline.tokeniser import tokenise


def fingerprint(example: Example) -> str:
    """Name a text by its words, so that a model can say whether it has seen it without keeping it.

    All its words, also those cut off: cutting elsewhere must not make it another text. Another query makes it one.
    """
    words = [*tokenise(example.text)[0], *(("\n", *example.query) if example.query else ())]
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest()


def seen_texts(dataset: Dataset) -> list[str]:
    """Name the texts that a training on this dataset reads."""
    return [fingerprint(example) for example in (*dataset.train, *dataset.validation)]


def refuse_seen(dataset: Dataset, seen: frozenset[str], folder: str) -> None:
    """Refuse test texts that the model of a folder was trained on."""
    known = [example for example in dataset.test if fingerprint(example) in seen]
    if known:
        raise DataError(
            f"{dataset.name}: {len(known)} of {len(dataset.test)} test texts were used to train {folder} "
            f"(the first is {known[0].id}); use the seed of the training, or other texts",
            field="seed",
        )
