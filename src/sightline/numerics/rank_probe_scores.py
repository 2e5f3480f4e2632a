"""Held-out scores of all ranks for one target, from the better family of probes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.probes import better_family, logistic_scores, stratified, table_scores

Array = np.ndarray
Family = Literal["logistic", "table"]
_SET = MEASURES["information"].settings
STEPS: int = _SET["steps"]
"""Steps of Lloyd's algorithm in repeated clusterings: the last few moves do not change the results."""
MANY, FEW, FEW_TEXTS = int(_SET["many"]), int(_SET["few"]), int(_SET["few_texts"])
"""The number of clusters of the table, and the smaller number for fewer texts."""


def clusters_of(
    features: Float[Array, "N K Q"], clusters: int, generator: np.random.Generator
) -> Int[Array, "N K"]:
    """Cluster the states of each rank in single precision, enough to find the nearest centre."""
    points = torch.from_numpy(np.ascontiguousarray(features.transpose(1, 0, 2), dtype=np.float32))
    settings = Clustering(min(clusters, len(features)), STEPS)
    found = kmeans(points, torch.ones(points.shape[:2], dtype=torch.bool), settings, generator)
    return np.asarray(found.labels.numpy().T)


@dataclass(frozen=True)
class Target:
    """A target of probes on the states of all ranks, always scored on held-out texts."""

    labels: Int[Array, " N"]
    folds: Int[Array, " N"]
    tables: Int[Array, "N K"]
    seed: int
    clusters: Int[Array, " N"]

    @classmethod
    def of(
        cls,
        labels: Int[Array, " N"],
        tables: Int[Array, "N K"],
        generator: np.random.Generator,
        clusters: Int[Array, " N"],
    ) -> Target:
        """Number the classes that occur, and divide the texts into folds, whole clusters each."""
        known = np.unique(labels, return_inverse=True)[1]
        folds = stratified(known, generator, clusters=clusters)
        return cls(known, folds, tables, int(generator.integers(2**32)), clusters)

    def scores(self, features: Float[Array, "N K Q"]) -> tuple[Float[Array, "N K"], Family]:
        """Score the ranks by the family that does better over all of them, and name it."""
        families: dict[str, Float[Array, "N K"]] = {
            "logistic": logistic_scores(
                features,
                self.labels,
                self.folds,
                np.random.default_rng(self.seed),
                clusters=self.clusters,
            ),
            "table": table_scores(self.tables, self.labels, self.folds),
        }
        name: Family = "table" if better_family(families) == "table" else "logistic"
        return families[name], name

    def surprise(self) -> Float[Array, " N"]:
        """Give ``−ln p`` of each text's class: the most information possible, with the entropy as
        its mean.
        """
        shares = np.bincount(self.labels) / len(self.labels)
        return np.asarray(-np.log(shares[self.labels]))


def table_size(texts: int) -> int:
    """Give the number of clusters of a table."""
    return FEW if texts < FEW_TEXTS else MANY
