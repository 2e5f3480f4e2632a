"""Baseline for rank information: attention shuffled within each text and the output recomputed.

The output is the attention-weighted sum of states, so the state with the most weight carries most
information about it, whatever attention means. Exceeding this baseline is not yet evidence:
attention that follows the size of states exceeds it too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.mutual_information import plug_in, table
from sightline.numerics.probes import logistic_scores, stratified, table_scores
from sightline.numerics.rank_curves import contrast, rarity, slope
from sightline.numerics.rank_probe_scores import Family, clusters_of, table_size
from sightline.numerics.weighted_tau import weighted_tau

Array = np.ndarray
_SET = MEASURES["information"].settings
STRENGTH: float = _SET["strength"]
"""The penalty of probes on real and on shuffled attention, the same for both."""
PROMISING: float = _SET["promising"]
"""Probes run only if clusters find the contrast at least this rare."""
CLUSTERS, AXES = int(_SET["clusters"]), int(_SET["axes"])
Curve = Float[Array, " K"]


@dataclass(frozen=True)
class RankedStates:
    """States by rank, on principal axes, the bin of the output, and the cluster of each text, for a
    model or one shuffle of its attention.
    """

    features: Float[Array, "N K Q"]
    labels: Int[Array, " N"]
    clusters: Int[Array, " N"]


@dataclass(frozen=True)
class Coupling:
    """The p-values of contrast, slope and τ of a model among shuffles, and the estimator used."""

    contrast: float
    slope: float
    tau: float
    draws: int
    by: str


def coupling(
    own: RankedStates,
    shuffles: int,
    draw: Callable[[int], RankedStates],
    weights: Curve,
    family: Family,
    seed: int,
) -> Coupling:
    """Screen with clusters; where they find the contrast rare, run probes of the model's own
    family.
    """
    screened = _compared(
        own,
        shuffles,
        draw,
        weights,
        lambda one: _counted(one, seed),
        f"counted in {CLUSTERS} clusters",
    )
    if not screened.contrast <= PROMISING:
        return screened
    return _compared(
        own,
        shuffles,
        draw,
        weights,
        lambda one: _probed(one, family, seed),
        f"held-out scores, {family}",
    )


def _compared(
    own: RankedStates,
    shuffles: int,
    draw: Callable[[int], RankedStates],
    weights: Curve,
    curve_of: Callable[[RankedStates], Curve],
    by: str,
) -> Coupling:
    first, others = curve_of(own), np.stack([curve_of(draw(number)) for number in range(shuffles)])
    d, b, tau = (
        rarity(float(summary(first)), summary(others))
        for summary in (
            contrast,
            lambda one: slope(one, weights),
            lambda one: weighted_tau(one, weights),
        )
    )
    return Coupling(d, b, tau, shuffles, by)


def _counted(one: RankedStates, seed: int) -> Curve:
    found = clusters_of(one.features[..., :AXES], CLUSTERS, np.random.default_rng(seed))
    return np.array([plug_in(table(rank, one.labels)) for rank in found.T])


def _probed(one: RankedStates, family: Family, seed: int) -> Curve:
    generator = np.random.default_rng(seed)
    labels = np.unique(one.labels, return_inverse=True)[1]
    folds = stratified(labels, generator, clusters=one.clusters)
    if family == "table":
        found = clusters_of(one.features, table_size(len(labels)), generator)
        return np.asarray(table_scores(found, labels, folds).mean(0))
    scores = logistic_scores(one.features, labels, folds, generator, (STRENGTH,), one.clusters)
    return np.asarray(scores.mean(0))
