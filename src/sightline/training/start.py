"""Where a training starts: embeddings from a file of word vectors, for the words that it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from sightline.data.vectors import read_vectors, vectors_digest
from sightline.errors import DataError, SpecError
from sightline.models.classifier import AttentionClassifier


def start_from_vectors(model: AttentionClassifier) -> dict[str, Any]:
    """Put the vectors of the model's spec in place, and say how many words had one; the others keep their random start.

    The vectors are trained on like any other embedding. A model that reads queries has two tables: both start so.
    """
    spec = model.spec
    if spec.vectors_digest and spec.vectors_digest != vectors_digest(spec.vectors):
        raise DataError("has changed since the run was named by its bytes; read the study again", spec.vectors)
    found = read_vectors(spec.vectors, model.vocabulary.words)
    if not found.words:
        raise DataError(
            "has a vector for none of the training words; is it of this language, in lower case?", spec.vectors
        )
    if found.rows.shape[1] != spec.embedding:
        raise SpecError(f"{spec.vectors}: expected vectors of {spec.embedding} numbers, got {found.rows.shape[1]}")
    with torch.no_grad():
        rows = torch.from_numpy(found.rows).to(model.embedding.weight)
        for table in model.embeddings:
            table.weight[model.vocabulary.ids(found.words)] = rows
    return {
        "file": Path(spec.vectors).name,
        "dimension": spec.embedding,
        "words_found": len(found.words),
        "of": len(model.vocabulary.words),
    }
