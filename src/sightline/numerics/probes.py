"""How well a state tells a label of texts it has not seen: a lower bound of their mutual
information, in nats.

``s_ir = max(ln q_r(y_i | state), −20) − ln p(y_i)``, with q and p learned from the other folds; its
mean over texts V_r is at most the mutual information on average (but for some (C − 1) / 2n by which
p is off), and about 0 or below where nothing is known. It is not cut off at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import log_softmax

from sightline.config.measure_registry import MEASURES

Array = np.ndarray
STRENGTHS: tuple[float, ...] = tuple(MEASURES["information"].settings["strengths"])
"""What the loss of a probe's texts may weigh against half its squared weights; chosen on texts held
out inside."""
LOWEST = -20.0
"""The least log-probability that counts: one text that a probe is sure about and wrong must not
decide."""
_PRIOR = 0.5
_PULL = 4.0
"""How many texts the frequencies of the labels weigh in the table of a cluster."""


def stratified(
    labels: Int[Array, " N"], generator: np.random.Generator, folds: int = 5
) -> Int[Array, " N"]:
    """Number the fold of each text at random, such that each label is spread evenly over the
    folds.
    """
    mixed = generator.permutation(len(labels))
    order = mixed[np.argsort(labels[mixed], kind="stable")]
    out = np.empty(len(labels), dtype=np.int64)
    out[order] = np.arange(len(labels)) % folds
    return out


def logistic_scores(
    features: Float[Array, "N K Q"],
    labels: Int[Array, " N"],
    folds: Int[Array, " N"],
    generator: np.random.Generator,
    strengths: Sequence[float] = STRENGTHS,
) -> Float[Array, "N K"]:
    """Score a multinomial logistic regression of each rank, with the penalty that does best on a
    fifth of its texts.

    The folds and the held-out fifths are those of all ranks, so that ranks are compared on the same
    texts. Of a single penalty there is nothing to choose.
    """
    out = np.empty(features.shape[:2])
    classes = int(labels.max()) + 1
    for fold in np.unique(folds):
        learned, asked = folds != fold, folds == fold
        inside = stratified(labels[learned], generator) > 0
        for rank in range(features.shape[1]):
            probe = _chosen(features[learned, rank], labels[learned], inside, classes, strengths)
            said = probe(features[asked, rank])
            out[asked, rank] = _gained(said, labels[asked], _shares(labels[learned], classes))
    return out


def table_scores(
    clusters: Int[Array, "N K"], labels: Int[Array, " N"], folds: Int[Array, " N"]
) -> Float[Array, "N K"]:
    """Score the labels counted in each cluster, ``(count + 4 p(y)) / (n_c + 4)``.

    Clusters are made of states alone, so texts whose labels are held out may be among what is
    clustered.
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


def better(families: Mapping[str, Float[Array, "N K"]]) -> str:
    """Name the one family of probes, for all ranks, whose mean score is largest."""
    return max(families, key=lambda name: float(families[name].mean()))


def _shares(labels: Int[Array, " N"], classes: int) -> Float[Array, " C"]:
    """Give the share of each label, none of them 0."""
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
    """Minimise half the squared weights plus ``strength`` times the summed loss; ``start`` only
    saves steps.
    """
    wide = _widened(features)
    across, texts = np.ascontiguousarray(wide.T), np.arange(len(labels))
    first = np.zeros((classes, len(across))) if start is None else start.weights.T
    held = np.append(np.full(len(across) - 1, 1 / (strength * len(labels))), 0.0)

    def loss(flat: Float[Array, " P"]) -> tuple[float, Float[Array, " P"]]:
        """Give the mean loss and its slope, of one exponential: this is where the time goes."""
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
    """Fit with each penalty on the texts inside, and once more on all texts with the one that does
    best outside.
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
