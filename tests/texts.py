"""Small texts, models and traces for the tests."""

from dataclasses import replace

import numpy as np
import torch

from sightline.config.part_syntax import Part
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import AttentionClassifier, build
from sightline.models.external_attention import BorrowedAttention
from sightline.models.lend_attention import borrow_attention
from sightline.training.loop import fit

WORDS = tuple(
    f"{first}{second}"
    for first in ("ba", "do", "ki", "lu", "me")
    for second in ("ra", "sen", "tif", "gol", "nu")
)


def example(text: str, index: int = 0, label: int = 0) -> Example:
    """Read one text as the loaders do."""
    tokens, offsets = tokenise(text)
    return Example(f"t{index}", index, text, tokens, offsets, label)


def examples(
    lengths: tuple[int, ...] = (7, 1, 4, 12, 2), seed: int = 0, classes: int = 2
) -> list[Example]:
    """Draw texts of given lengths, no word twice in a text: repeated words of an MLP tie up to
    rounding.
    """
    generator = np.random.default_rng(seed)
    return [
        example(" ".join(generator.permutation(WORDS)[:length]), index, index % classes)
        for index, length in enumerate(lengths)
    ]


def untrained(
    spec: str, classes: int = 2, seed: int = 3, **settings: object
) -> AttentionClassifier:
    """Build a small model with lively weights: large embeddings, so that words differ."""
    settings = {"embedding": 8, "embedding_std": 1.0, **settings}
    names, parts = tuple(f"class {c}" for c in range(classes)), parse_model(spec, **settings)
    built = build(parts, Vocabulary.fit(examples((len(WORDS),))), names, seed)
    if isinstance(
        built.source, BorrowedAttention
    ):  # from a model that knows some of the words, by other numbers
        others = Vocabulary(tuple(sorted(WORDS, reverse=True)[:20]))
        borrow_attention(
            built, build(replace(parts, source=Part("learned")), others, names, seed + 1)
        )
    return built


def sharpened(model: AttentionClassifier, by: float = 200.0) -> AttentionClassifier:
    """Multiply what words are scored, so that a reader sees which ones stand out: untrained
    attention is nearly flat.
    """
    last = model.scorer.vector if hasattr(model.scorer, "vector") else model.scorer.outer
    with torch.no_grad():
        last.weight *= by
    return model


def trained(
    data: str, model: str, seed: int = 0, **settings: object
) -> tuple[AttentionClassifier, Dataset]:
    """Train on a planted corpus."""
    dataset = load(parse_data(data), seed)
    built = build(parse_model(model), Vocabulary.fit(dataset.train), dataset.label_names, seed)
    fit(
        built,
        dataset.train,
        dataset.validation,
        FitSpec(**{"epochs": 20, "patience": 4, **settings}),
        seed,
    )
    return built, dataset


def evened(model: AttentionClassifier, texts: list[Example]) -> AttentionClassifier:
    """Move the bias so that several classes are decided; numbers in float64."""
    double = model.double()
    with torch.no_grad():
        double.decoder.affine.bias -= double.trace(double.collate(texts)).logits.mean(dim=0)
    return double
