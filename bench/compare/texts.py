"""Texts of the lengths of a corpus: its own where its data are there, else words drawn for texts as long."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from sightline.data.dataset import Dataset
from sightline.data.loading import fit_vocabulary, load
from sightline.data.vocabulary import Vocabulary
from sightline.example import Example
from sightline.spec.texts import parse_data

DATA = Path(os.environ.get("SIGHTLINE_DATA", ""))
FILES = {"SST": DATA / "sst", "IMDB": DATA / "imdb" / "aclImdb_v1_labelled.tar.gz"}
LENGTHS = {"SST": (6, 31), "IMDB": (60, 301)}
"""From and up to how many words texts have that stand in."""
WORDS = tuple(f"word{i}" for i in range(2000))


def corpus(name: str) -> tuple[Dataset, Vocabulary] | None:
    """Read a corpus as the papers did, where it is."""
    if not DATA.name or not FILES[name].exists():
        return None
    spec = replace(parse_data(f"{name.lower()}:{FILES[name]}"), recipe="paper")
    dataset = load(spec, 0)
    return dataset, fit_vocabulary(dataset, spec)


def like(name: str, texts: int) -> tuple[str, list[Example], Vocabulary]:
    """Take texts evenly over the test split of a corpus, or draw some as long; and say which it was."""
    found = corpus(name)
    if found is not None:
        test = [text for text in found[0].test if len(text.tokens) > 1]
        return f"{texts} texts of {name}", test[:: max(1, len(test) // texts)][:texts], found[1]
    generator = np.random.default_rng(0)
    tokens = [tuple(generator.choice(WORDS, size=n)) for n in generator.integers(*LENGTHS[name], size=texts)]
    drawn = [Example(f"t{i}", i, " ".join(t), t, None, i % 2) for i, t in enumerate(tokens)]
    return f"{texts} drawn texts as long as those of {name}", drawn, Vocabulary.fit(drawn)
