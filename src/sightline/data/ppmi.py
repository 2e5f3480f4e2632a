"""Learn word vectors from the training texts: positive pointwise mutual information, reduced by
SVD.

Levy, Goldberg & Dagan 2015: with #(w, c) the count of word c within a window around w, and α =
0.75,

    PPMI(w, c) = max(0, log( P(w, c) / (P(w) P_α(c)) )),    P_α(c) ∝ #(c)^α,    vectors = U √Σ
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from sightline.core.errors import SpecError
from sightline.core.example import Example
from sightline.data.vocabulary import SPECIALS, Vocabulary

SMOOTHING = 0.75
SCALE = 0.1
"""The root mean square of a component, equal to the random embeddings of words without a vector."""


def ppmi_vectors(
    train: Sequence[Example], vocabulary: Vocabulary, dimension: int, window: int
) -> np.ndarray:
    """Make one vector for each word of a vocabulary, in its order.

    The same texts give the same vectors: the start of the iteration is fixed, and so is the sign of
    each axis (its largest component is positive).
    """
    n = len(vocabulary.words)
    if not 0 < dimension < n:
        raise SpecError(
            f"expected 1 to {n - 1}, as there are {n} words, got {dimension}; lower it",
            field="dimension",
        )
    ppmi = weigh(count_pairs(train, vocabulary, window))
    if ppmi.nnz == 0:
        raise SpecError(
            "expected longer texts: no two words are together more often than chance", field="data"
        )
    left, values, _ = svds(ppmi, k=dimension, v0=np.ones(n), solver="arpack")
    order = np.argsort(-values)
    vectors = left[:, order] * np.sqrt(np.maximum(values[order], 0))
    largest = np.abs(vectors).argmax(axis=0)
    vectors *= np.where(vectors[largest, np.arange(dimension)] < 0, -1, 1)
    scaled: np.ndarray = vectors * (SCALE / np.sqrt((vectors**2).mean()))
    return scaled


def count_pairs(train: Sequence[Example], vocabulary: Vocabulary, window: int) -> sparse.csr_matrix:
    """Count how often each word occurs within ``window`` words of each other word of the same text."""
    n = len(vocabulary.words)
    ids = (
        np.array([number for one in train for number in vocabulary.ids(one.tokens)], dtype=np.int64)
        - SPECIALS
    )
    texts = np.repeat(np.arange(len(train)), [len(one.tokens) for one in train])
    total = sparse.csr_matrix((n, n), dtype=np.float64)
    longest = max((len(one.tokens) for one in train), default=0)
    for distance in range(1, min(window + 1, longest)):  # no text is longer
        first, second = ids[:-distance], ids[distance:]
        together = (texts[:-distance] == texts[distance:]) & (first >= 0) & (second >= 0)
        pairs = (np.ones(int(together.sum())), (first[together], second[together]))
        total = total + sparse.csr_matrix(pairs, shape=(n, n))
    return sparse.csr_matrix(total + total.T)


def weigh(pairs: sparse.csr_matrix) -> sparse.csr_matrix:
    """Turn counts into positive pointwise mutual information, with smoothed contexts."""
    words = np.asarray(pairs.sum(axis=1)).reshape(-1)
    contexts = words**SMOOTHING
    cells = pairs.tocoo()
    share = cells.data * contexts.sum() / (words[cells.row] * contexts[cells.col])
    positive = share > 1
    weights = (np.log(share[positive]), (cells.row[positive], cells.col[positive]))
    return sparse.csr_matrix(weights, shape=pairs.shape)


def nearest(
    words: Sequence[str], vectors: np.ndarray, word: str, count: int = 5
) -> list[tuple[str, float]]:
    """List the words with the most similar vectors, with the cosine."""
    if word not in words:
        return []
    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.maximum(lengths, 1e-12)[:, None]
    place = list(words).index(word)
    cosines = unit @ unit[place]
    order = [other for other in np.argsort(-cosines, kind="stable").tolist() if other != place][
        :count
    ]
    return [(words[other], float(cosines[other])) for other in order]
