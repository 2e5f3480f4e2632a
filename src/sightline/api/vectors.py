"""Make word vectors from the training texts, if no pretrained ones are at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jaxtyping import Float
from numpy import ndarray

from sightline.config.specs import DataSpec
from sightline.data import load_dataset
from sightline.data.ppmi import nearest, ppmi_vectors
from sightline.data.word_vectors import write_vectors


@dataclass(frozen=True, eq=False)
class Vectors:
    """A vector for each word of the training texts, and the number of these texts."""

    words: tuple[str, ...]
    rows: Float[ndarray, "V D"]
    texts: int

    def near(self, word: str) -> dict[str, float]:
        """Return the nearest words, with their cosines; words are in lower case, as texts are read."""
        return dict(nearest(self.words, self.rows, word.lower()))

    def write(self, file: Path) -> None:
        """Write them in GloVe's form."""
        write_vectors(file, self.words, self.rows)


def make_vectors(source: DataSpec, dimension: int = 300, window: int = 5, seed: int = 0) -> Vectors:
    """Count neighbouring words, and reduce the counts to vectors; the same texts give the same
    vectors.
    """
    dataset = load_dataset.load(source, seed)
    vocabulary = load_dataset.fit_vocabulary(dataset, source)
    rows = ppmi_vectors(dataset.train, vocabulary, dimension, window)
    return Vectors(tuple(vocabulary.words), rows, len(dataset.train))
