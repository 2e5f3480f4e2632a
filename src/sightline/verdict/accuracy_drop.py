"""The accuracy and macro-F1 that a model loses without its learned attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Estimate
from sightline.numerics.classification_metrics import accuracy, confusion, macro_f1
from sightline.numerics.count_tables import stack_counts
from sightline.stats import bootstrap
from sightline.stats.intervals import LEVEL

Array = np.ndarray
Decisions = Int[Array, " N"] | Int[Array, "N R"]


@dataclass(frozen=True)
class Drop:
    """One comparison by one metric: the measure that holds the other predictions, and their name in
    it.
    """

    measure: str
    comparison: str
    metric: str


Metric = Callable[[Float[Array, "R L L"]], Float[Array, " R"]]
"""Computes a metric of tables of labels and decisions."""
METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "F1": macro_f1,
}
WORDS: Mapping[str, str] = {
    "uniform": "with uniform weights put in",
    "constant": "with the same weights for every text",
    "permuted": "with the weights permuted",
    "retrained": "against a model retrained with uniform attention",
}
_MEASURES: Mapping[str, str] = {
    "uniform": "need",
    "constant": "need",
    "permuted": "need",
    "retrained": "retrained",
}
DROPS: Mapping[str, Drop] = {
    f"need.{comparison}.{metric}_drop": Drop(measure, comparison, metric)
    for comparison, measure in _MEASURES.items()
    for metric in METRICS
}
"""Every drop by the name of its estimate."""


def estimate_drop(
    metric: Metric,
    labels: Int[Array, " N"],
    learned: Decisions,
    other: Decisions,
    classes: int,
    seed: int,
    clusters: Int[Array, " N"],
    level: float = LEVEL,
) -> Estimate:
    """Estimate how much a metric drops between two columns of predictions, paired by text."""
    both = stack_counts(
        [confusion(labels, _columns(decisions), classes) for decisions in (learned, other)]
    )
    return bootstrap.statistic(
        both,
        lambda counts: metric(counts[:, 0]) - metric(counts[:, 1]),
        seed,
        clusters=clusters,
        level=level,
    )


def accuracy_losses(
    labels: Int[Array, " N"], learned: Decisions, other: Decisions
) -> Float[Array, " N"]:
    """Give the contribution of each text to the drop in accuracy."""
    hits = [(_columns(decisions) == labels[:, None]).mean(axis=1) for decisions in (learned, other)]
    return np.asarray(hits[0] - hits[1])


def _columns(decisions: Decisions) -> Int[Array, "N R"]:
    return (decisions if decisions.ndim == 2 else decisions[:, None]).astype(np.int64)
