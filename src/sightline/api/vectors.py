"""Word vectors from the training texts at hand, for those who have no pretrained ones."""

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
    """A vector for each word of the training texts, and how many texts these were."""

    words: tuple[str, ...]
    rows: Float[ndarray, "V D"]
    texts: int

    def near(self, word: str) -> dict[str, float]:
        """Give the nearest words, with their cosines."""
        return dict(nearest(self.words, self.rows, word))

    def write(self, file: Path) -> None:
        """Write them in GloVe's form."""
        write_vectors(file, self.words, self.rows)


def make_vectors(source: DataSpec, dimension: int = 300, window: int = 5, seed: int = 0) -> Vectors:
    """Count which words stand near each other, and reduce the counts to vectors: the same texts
    give the same ones.
    """
    dataset = load_dataset.load(source, seed)
    vocabulary = load_dataset.fit_vocabulary(dataset, source)
    rows = ppmi_vectors(dataset.train, vocabulary, dimension, window)
    return Vectors(tuple(vocabulary.words), rows, len(dataset.train))
