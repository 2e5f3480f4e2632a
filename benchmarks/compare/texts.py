"""Texts of the lengths of a corpus: its own where its data are there, else words drawn for texts as
long.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import fit_vocabulary, load
from sightline.data.vocabulary import Vocabulary

DATA = Path(os.environ.get("SIGHTLINE_DATA", ""))
FILES = {"SST": DATA / "sst", "IMDB": DATA / "imdb" / "aclImdb_v1_labelled.tar.gz"}
LENGTHS = {"SST": (6, 31), "IMDB": (60, 301)}
"""From and up to how many words texts have that stand in."""
WORDS = tuple(f"word{i}" for i in range(2000))
FITTED = 640
"""Texts that a model is fitted on before it is audited."""


def like(corpus: str, texts: int) -> tuple[str, list[Example], Vocabulary]:
    """Take texts evenly over the test split of a corpus, or draw some as long; and say which it
    was.
    """
    label, dataset, vocabulary = audited(corpus, texts)
    return label, [*dataset.test], vocabulary


def audited(corpus: str, texts: int) -> tuple[str, Dataset, Vocabulary]:
    """Give some test texts of more than one word, and few to fit a model on."""
    if DATA.name and FILES[corpus].exists():
        spec = replace(parse_data(f"{corpus.lower()}:{FILES[corpus]}"), recipe="paper")
        found = load(spec, 0)
        sentence, vocabulary = f"{corpus}", fit_vocabulary(found, spec)
    else:
        found = drawn(corpus, texts)
        sentence, vocabulary = f"drawn, as long as those of {corpus}", Vocabulary.fit(found.train)
    test = some([text for text in found.test if len(text.tokens) > 1], texts)
    few = replace(
        found,
        train=some(found.train, FITTED),
        validation=some(found.validation, FITTED // 4),
        test=test,
    )
    return f"{len(test)} texts: {sentence}", few, vocabulary


def some(texts: list[Example] | tuple[Example, ...], number: int) -> tuple[Example, ...]:
    """Take so many texts, evenly over a split, whose labels may stand in order."""
    return tuple(texts[:: max(1, len(texts) // number)][:number])


def drawn(corpus: str, texts: int) -> Dataset:
    """Draw texts whose words say nothing of their labels."""
    generator = np.random.default_rng(0)
    lengths = generator.integers(*LENGTHS[corpus], size=FITTED + FITTED // 4 + texts)
    tokens = [tuple(generator.choice(WORDS, size=n)) for n in lengths]
    made = tuple(Example(f"t{i}", i, " ".join(t), t, None, i % 2) for i, t in enumerate(tokens))
    return Dataset(
        corpus, made[:FITTED], made[FITTED : FITTED + FITTED // 4], made[-texts:], ("a", "b"), {}
    )
