"""Held-out scores of all ranks about one target, by the family of probes that says more of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.probes import better, logistic_scores, stratified, table_scores

Array = np.ndarray
Family = Literal["logistic", "table"]
_SET = MEASURES["information"].settings
STEPS: int = _SET["steps"]
"""Of Lloyd's, where clusters are made often: nothing is told from them that the last few moves
change."""
MANY, FEW, FEW_TEXTS = int(_SET["many"]), int(_SET["few"]), int(_SET["few_texts"])
"""Clusters of the table, and how many there are of fewer texts."""


def clusters_of(
    features: Float[Array, "N K Q"], clusters: int, generator: np.random.Generator
) -> Int[Array, "N K"]:
    """Cluster the states of each rank, in half the precision: only who is nearest is asked."""
    points = torch.from_numpy(np.ascontiguousarray(features.transpose(1, 0, 2), dtype=np.float32))
    settings = Clustering(min(clusters, len(features)), STEPS)
    found = kmeans(points, torch.ones(points.shape[:2], dtype=torch.bool), settings, generator)
    return np.asarray(found.labels.numpy().T)


@dataclass(frozen=True)
class Target:
    """What the states of all ranks are asked about, and how they are asked: always on texts that
    had no part in it.
    """

    labels: Int[Array, " N"]
    folds: Int[Array, " N"]
    tables: Int[Array, "N K"]
    seed: int

    @classmethod
    def of(
        cls, labels: Int[Array, " N"], tables: Int[Array, "N K"], generator: np.random.Generator
    ) -> Target:
        """Number the classes that occur, and part the texts into folds."""
        known = np.unique(labels, return_inverse=True)[1]
        return cls(known, stratified(known, generator), tables, int(generator.integers(2**32)))

    def scores(self, features: Float[Array, "N K Q"]) -> tuple[Float[Array, "N K"], Family]:
        """Score the ranks by the family that does better over all of them, and name it."""
        families: dict[str, Float[Array, "N K"]] = {
            "logistic": logistic_scores(
                features, self.labels, self.folds, np.random.default_rng(self.seed)
            ),
            "table": table_scores(self.tables, self.labels, self.folds),
        }
        name: Family = "table" if better(families) == "table" else "logistic"
        return families[name], name

    def surprise(self) -> Float[Array, " N"]:
        """Give ``−ln p`` of each text's class: the most that a state could tell; on average the
        entropy.
        """
        shares = np.bincount(self.labels) / len(self.labels)
        return np.asarray(-np.log(shares[self.labels]))


def table_size(texts: int) -> int:
    """Say how many clusters a table has."""
    return FEW if texts < FEW_TEXTS else MANY
