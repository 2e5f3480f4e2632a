"""Count which words of the published corpora have a vector in the file that the protocol's models
start from, and name the file by its bytes.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from published import FOLDER

from sightline.data.load_dataset import fit_vocabulary, load
from sightline.data.word_vectors import read_vectors, vectors_digest
from sightline.studies.papers.paper_table import FROM_RANDOM
from sightline.studies.papers.protocol import PRIMARY, SECONDARY
from sightline.studies.study_corpora import data_of, vectors_of
from sightline.training.embedding_init import share_without


def known_vectors() -> dict[str, Any]:
    """Count, corpus by corpus, as the card of each run does."""
    file = vectors_of(FOLDER, None)
    assert file is not None, f"{FOLDER}: expected a folder of vectors"
    corpora, used = {}, set[str]()
    for name in (*PRIMARY, *SECONDARY):
        data = data_of(FOLDER, name)
        if data.kind in FROM_RANDOM:
            continue
        corpus = load(data, 0)
        words = fit_vocabulary(corpus, data).words
        found = read_vectors(file, words).words
        used |= {*found}
        corpora[name] = {
            "words": len(words),
            "found": len(found),
            "tokens_without": share_without(corpus.train, {*found}),
        }
    rows = read_vectors(file, used).rows
    return {
        "file": file.name,
        "sha256": sha256(file.read_bytes()).hexdigest(),
        "digest": vectors_digest(file),
        "dimension": rows.shape[1],
        "used": len(rows),
        "sd": float(rows.std()),
        "corpora": corpora,
        "gates": [],
    }
