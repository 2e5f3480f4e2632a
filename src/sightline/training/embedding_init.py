"""Where a training starts: embeddings from a file of word vectors, for the words that it has; and
what stays random.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import torch

from sightline.core.errors import DataError, SpecError
from sightline.data.dataset import Split
from sightline.data.word_vectors import read_vectors, vectors_digest
from sightline.models.classifier import AttentionClassifier


def start(model: AttentionClassifier, train: Split) -> dict[str, Any]:
    """Put the vectors of the model's spec in place, if it names any, and say which words had one.

    They are trained on like any other embedding, unless the model freezes its embeddings: then a
    word without a vector stays where it started, and the record has the share of such words of the
    training texts.
    """
    words = _from_file(model) if model.spec.vectors else ()
    without = share_without(train, {*words})
    description = {"vectors": _describe(model, len(words), without)} if model.spec.vectors else {}
    if any(table.weight.requires_grad for table in model.embeddings):
        return description
    return description | {"frozen_as_drawn": without}


def share_without(train: Split, known: set[str]) -> float:
    """Give the share of the tokens of training texts that have no vector."""
    counts = Counter(
        word for example in train for word in (*example.tokens, *(example.query or ()))
    )
    return sum(n for word, n in counts.items() if word not in known) / max(counts.total(), 1)


def _from_file(model: AttentionClassifier) -> tuple[str, ...]:
    """Start from a file, and give the words that it has; a model that reads queries has two tables:
    both start so.
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
                table.weight.zero_()  # the marks of unknown words and of both ends, too
            table.weight[model.vocabulary.ids(found.words)] = rows
    return found.words


def _describe(model: AttentionClassifier, found: int, without: float) -> dict[str, Any]:
    """Say which file it was, by its bytes too, and how many of the words and tokens lack a
    vector.
    """
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
