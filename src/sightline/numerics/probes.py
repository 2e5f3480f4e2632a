"""Cross-validated probes: how well a state predicts a label. The score is a lower bound on mutual
information, in nats.

``s_ir = max(ln q_r(y_i | state), −20) − ln p(y_i)``, with q and p learned from the other folds. Its
mean over texts V_r is at most the mutual information on average, up to about (C − 1) / 2n from the
error of p. Without information it is about 0 or below; it is not clipped at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import log_softmax

from sightline.config.measure_registry import MEASURES
from sightline.numerics.text_clusters import numbered

Array = np.ndarray
STRENGTHS: tuple[float, ...] = tuple(MEASURES["information"].settings["strengths"])
"""Candidate weights of the loss against half the squared probe weights; selected on an inner
held-out set."""
LOWEST = -20.0
"""The lowest log-probability that counts, so that one confident error of a probe does not decide
the score."""
_PRIOR = 0.5
_PULL = 4.0
"""The number of pseudo-texts with the overall label frequencies added to each cluster."""


def stratified(
    labels: Int[Array, " N"],
    generator: np.random.Generator,
    folds: int = 5,
    clusters: Int[Array, " N"] | None = None,
) -> Int[Array, " N"]:
    """Assign each text a random fold, with each label spread evenly over the folds. Texts of one
    cluster share a fold, so that no probe learns from a copy of a text that it is scored on.
    """
    mixed = generator.permutation(len(labels))
    order = mixed[np.argsort(labels[mixed], kind="stable")]
    out = np.empty(len(labels), dtype=np.int64)
    dealt = np.arange(len(labels)) if clusters is None else numbered(clusters[order])
    out[order] = dealt % folds
    return out


def logistic_scores(
    features: Float[Array, "N K Q"],
    labels: Int[Array, " N"],
    folds: Int[Array, " N"],
    generator: np.random.Generator,
    strengths: Sequence[float] = STRENGTHS,
    clusters: Int[Array, " N"] | None = None,
) -> Float[Array, "N K"]:
    """Score a multinomial logistic regression for each rank, with the penalty selected on a fifth
    of its training texts (or clusters).

    All ranks share the folds and held-out fifths, so they are compared on the same texts. A single
    penalty needs no selection.
    """
    out = np.empty(features.shape[:2])
    classes = int(labels.max()) + 1
    for fold in np.unique(folds):
        learned, asked = folds != fold, folds == fold
        among = None if clusters is None else clusters[learned]
        inside = stratified(labels[learned], generator, clusters=among) > 0
        for rank in range(features.shape[1]):
            probe = _chosen(features[learned, rank], labels[learned], inside, classes, strengths)
            said = probe(features[asked, rank])
            out[asked, rank] = _gained(said, labels[asked], _shares(labels[learned], classes))
    return out


def table_scores(
    clusters: Int[Array, "N K"], labels: Int[Array, " N"], folds: Int[Array, " N"]
) -> Float[Array, "N K"]:
    """Score the labels counted in each cluster, ``(count + 4 p(y)) / (n_c + 4)``.

    Clustering uses states only, so it may include texts whose labels are held out.
    """
    out = np.empty(clusters.shape)
    classes = int(labels.max()) + 1
    for fold in np.unique(folds):
        learned, asked = folds != fold, folds == fold
        shares = _shares(labels[learned], classes)
        for rank, named in enumerate(clusters.T):
            counts = np.zeros((int(clusters.max()) + 1, classes))
            np.add.at(counts, (named[learned], labels[learned]), 1)
            said = (counts + _PULL * shares) / (counts.sum(1, keepdims=True) + _PULL)
            out[asked, rank] = _gained(np.log(said[named[asked]]), labels[asked], shares)
    return out


def better_family(families: Mapping[str, Float[Array, "N K"]]) -> str:
    """Name the family of probes with the largest mean score over all ranks."""
    return max(families, key=lambda name: float(families[name].mean()))


def _shares(labels: Int[Array, " N"], classes: int) -> Float[Array, " C"]:
    """Give the share of each label; no share is 0."""
    counts = np.bincount(labels, minlength=classes) + _PRIOR
    return np.asarray(counts / counts.sum())


def _gained(
    said: Float[Array, "M C"], labels: Int[Array, " M"], shares: Float[Array, " C"]
) -> Float[Array, " M"]:
    return np.asarray(
        np.maximum(said[np.arange(len(labels)), labels], LOWEST) - np.log(shares)[labels]
    )


class Logistic:
    """A multinomial logistic regression; its intercepts are not penalised."""

    def __init__(self, weights: Float[Array, "Q1 C"]) -> None:
        self.weights = weights

    def __call__(self, features: Float[Array, "M Q"]) -> Float[Array, "M C"]:
        """Give the log-probability of each label."""
        return np.asarray(log_softmax(_widened(features) @ self.weights, axis=1))


def fit(
    features: Float[Array, "M Q"],
    labels: Int[Array, " M"],
    classes: int,
    strength: float,
    start: Logistic | None = None,
) -> Logistic:
    """Minimise half the squared weights plus ``strength`` times the summed loss; ``start`` is only
    a warm start.
    """
    wide = _widened(features)
    across, texts = np.ascontiguousarray(wide.T), np.arange(len(labels))
    first = np.zeros((classes, len(across))) if start is None else start.weights.T
    held = np.append(np.full(len(across) - 1, 1 / (strength * len(labels))), 0.0)

    def loss(flat: Float[Array, " P"]) -> tuple[float, Float[Array, " P"]]:
        """Give the mean loss and its gradient from one exponential, since this takes most of the
        time.
        """
        weights = flat.reshape(first.shape)
        said = weights @ across
        said -= said.max(0)
        own = said[labels, texts].sum()
        np.exp(said, out=said)
        total = said.sum(0)
        said /= total
        said[labels, texts] -= 1.0
        value = (np.log(total).sum() - own) / len(labels) + 0.5 * (held * weights * weights).sum()
        return float(value), (said @ wide / len(labels) + held * weights).ravel()

    from scipy.optimize import minimize  # noqa: PLC0415  (half a second, where it is used)

    found = minimize(
        loss,
        first.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500, "gtol": 1e-7, "ftol": 1e-13},
    )
    return Logistic(found.x.reshape(first.shape).T)


def _chosen(
    features: Float[Array, "M Q"],
    labels: Int[Array, " M"],
    inside: Bool[Array, " M"],
    classes: int,
    strengths: Sequence[float],
) -> Logistic:
    """Fit each penalty on the inner training texts, then refit on all texts with the penalty that
    does best on the held-out ones.
    """
    if len(strengths) == 1:
        return fit(features, labels, classes, strengths[0])
    tried: list[tuple[float, float]] = []
    probe: Logistic | None = None
    for strength in strengths:
        probe = fit(features[inside], labels[inside], classes, strength, probe)
        said = probe(features[~inside])
        tried.append(
            (float(np.maximum(said[np.arange(len(said)), labels[~inside]], LOWEST).sum()), strength)
        )
    return fit(features, labels, classes, max(tried, key=lambda one: one[0])[1], probe)


def _widened(features: Float[Array, "M Q"]) -> Float[Array, "M Q1"]:
    return np.hstack([features, np.ones((len(features), 1))])
