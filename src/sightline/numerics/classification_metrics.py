"""Accuracy, F1 and AUC from weighted confusion counts, so that a bootstrap is one matrix product."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.numerics.count_tables import Counts

Array = np.ndarray


def confusion(labels: Int[Array, " N"], predicted: Int[Array, "N R"], classes: int) -> Counts:
    """Count (label, prediction) pairs; the R predictions of a text share its weight."""
    texts, draws = predicted.shape
    row = np.repeat(np.arange(texts), draws)
    place = (row * classes + labels[row]) * classes + predicted.ravel()
    place, times = np.unique(place, return_counts=True)
    return Counts(place // classes**2, place % classes**2, times / draws, texts, (classes, classes))


def accuracy(counts: Float[Array, "*R C C"]) -> Float[Array, "*R"]:
    """Share of the weight on the diagonal."""
    return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1)))


def f1_by_class(counts: Float[Array, "*R C C"]) -> Float[Array, "*R C"]:
    """``2 TP / (2 TP + FP + FN)`` of each class; 0 for a class that is neither present nor
    predicted.
    """
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    either = _either(counts)
    return np.asarray(np.divide(2 * hits, either, out=np.zeros(hits.shape), where=either > 0))


def macro_f1(counts: Float[Array, "*R C C"]) -> Float[Array, "*R"]:
    """Mean F1 over the classes that are present or predicted."""
    return np.asarray(
        f1_by_class(counts).sum(axis=-1) / np.maximum((_either(counts) > 0).sum(axis=-1), 1)
    )


def positive_f1(counts: Float[Array, "*R 2 2"]) -> Float[Array, "*R"]:
    """F1 of the second of two classes, the positive one."""
    return np.asarray(f1_by_class(counts)[..., 1])


def _either(counts: Float[Array, "*R C C"]) -> Float[Array, "*R C"]:
    return np.asarray(counts.sum(axis=-1) + counts.sum(axis=-2))


def area_under_roc(labels: Int[Array, " N"], probability: Float[Array, "N C"]) -> float:
    """Probability that a text of a class scores higher for it than a text of another class, mean
    over classes.

    Ties count half (Mann–Whitney). NaN if only one class is present.
    """
    present = [c for c in range(probability.shape[1]) if 0 < (labels == c).sum() < len(labels)]
    each = []
    for c in present:
        ranks, own = _ranks(probability[:, c]), labels == c
        each.append((ranks[own].mean() - (own.sum() + 1) / 2) / (~own).sum())
    return float(np.mean(each)) if each else float("nan")


def _ranks(values: Float[Array, " N"]) -> Float[Array, " N"]:
    """Rank values from 1, with mean ranks for ties; all NaN if any value is."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (times.cumsum() - (times - 1) / 2)[place]
    return np.where(np.isnan(values).any(), np.nan, ranks)
