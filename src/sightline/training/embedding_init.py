"""Initialise embeddings from a file of word vectors; words without a vector stay random."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import torch

from sightline.core.errors import DataError, SpecError
from sightline.data.dataset import Split
from sightline.data.word_vectors import read_vectors, vectors_digest
from sightline.models.classifier import AttentionClassifier


def start(model: AttentionClassifier, train: Split, *, frozen: bool = False) -> dict[str, Any]:
    """Load the vectors that the model's spec names, if any, and record which words had one.

    They are trained like any other embedding, unless the model or its training (``frozen``) freezes
    them from the start. Then a word without a vector keeps its initial value, and the record gives
    the share of such words in the training texts.
    """
    words = _from_file(model) if model.spec.vectors else ()
    without = share_without(train, {*words})
    description = {"vectors": _describe(model, len(words), without)} if model.spec.vectors else {}
    if not frozen and any(table.weight.requires_grad for table in model.embeddings):
        return description
    return description | {"frozen_as_drawn": without}


def share_without(train: Split, known: set[str]) -> float:
    """Give the share of training tokens without a vector."""
    counts = Counter(
        word for example in train for word in (*example.tokens, *(example.query or ()))
    )
    return sum(n for word, n in counts.items() if word not in known) / max(counts.total(), 1)


def _from_file(model: AttentionClassifier) -> tuple[str, ...]:
    """Load vectors from a file, and give the words that have one; a model that reads queries has
    two tables, both loaded.
    """
    spec = model.spec
    if spec.vectors_digest and spec.vectors_digest != vectors_digest(spec.vectors):
        raise DataError(
            "has changed since the run was named by its bytes; read the study again", spec.vectors
        )
    found = read_vectors(spec.vectors, model.vocabulary.words)
    if not found.words:
        raise DataError(
            "has a vector for none of the training words; is it of this language, in lower case?",
            spec.vectors,
        )
    if found.rows.shape[1] != spec.embedding:
        raise SpecError(
            f"{spec.vectors}: expected vectors of {spec.embedding} numbers, got "
            f"{found.rows.shape[1]}"
        )
    with torch.no_grad():
        rows = torch.from_numpy(found.rows).to(model.embedding.weight) * spec.vectors_scale
        for table in model.embeddings:
            if spec.without_vector == "zero":
                table.weight.zero_()  # including the unknown word and both boundary tokens
            table.weight[model.vocabulary.ids(found.words)] = rows
    return found.words


def _describe(model: AttentionClassifier, found: int, without: float) -> dict[str, Any]:
    """Describe the file, with its digest, and the words and tokens without a vector."""
    spec, words = model.spec, len(model.vocabulary.words)
    scale = {} if spec.vectors_scale == 1 else {"scale": spec.vectors_scale}
    return {
        "file": Path(spec.vectors).name,
        "digest": spec.vectors_digest or vectors_digest(spec.vectors),
        "dimension": spec.embedding,
        "words_found": found,
        "of": words,
        "tokens_without": without,
        "without_vector": spec.without_vector,
        **scale,
    }
