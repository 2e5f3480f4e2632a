"""What states know: k-means of eight ranks against scikit-learn, and importance of inputs against a
pass a state.

States of the ranks are drawn: 1,750 texts, 256 directions whose variance falls as 1/j, about those
of SST in a BiLSTM. Ours is asked twice: literally (all directions, steps until nothing moves), and
as one of the 39 shuffles of a baseline is (32 principal axes, which are found once for all of them
and are not in the time; 25 steps). scikit-learn takes its own seeding, which tries several
candidates a centre, and one start. What must agree is the summed squared distance to the centres,
in all directions.

Importance of inputs for states is that of an untrained BiLSTM of the papers' size and texts of 60
words, in the float64 that audits take: of all states in one sweep, against one backward pass a
state for all texts at once, whose graph is kept. Of as many texts as a batch has, both are bound by
products of matrices, of which the sweep takes half: five times is not asked there.

Everything is seconds of one processor, in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import numpy as np
import torch
from compare import WORDS, compare, model_and_texts, print_line, processor_seconds, quick
from scipy.stats import kendalltau

from sightline.audits.measure_pass import measure
from sightline.core.seeds import Seeds
from sightline.measures.rank_information import RankInformation
from sightline.measures.state_importance import asked_in_turn
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.pca import Axes
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.numerics.rank_probe_scores import clusters_of

RANKS, WIDTH = 8, 256
SAME, MOST_SECONDS = 1e-12, 60
Way = Callable[[], np.ndarray]
"""Gives the cluster of each text (rows) at each rank."""


def main() -> None:
    """Compare what is asked of the states of one text, of a few and of a batch; τ; all of ranks;
    and clusters.
    """
    torch.set_num_threads(1)
    for texts, wanted in ((1, 5), (8, 5), (32, 0)):
        influences("bilstm+additive", texts, wanted)
    for texts in (1, 8):
        influences("transformer+dot", texts)
    rank_correlations(200 if quick() else 2000)
    whole(220 if quick() else 1700)
    clusters()


def influences(spec: str, texts: int, wanted: float = 0.0, length: int = 60) -> None:
    """Time both ways to the importance of inputs for states, and compare them."""
    model, examples = model_and_texts(texts, spec)
    generator = np.random.default_rng(1)
    long = [replace(one, tokens=tuple(generator.choice(WORDS, size=length))) for one in examples]
    model = model.double()
    trace = model.trace(model.collate(long))
    compare(
        f"importance of inputs for states, {spec}, {length} words, {texts} texts at once",
        "one backward pass a state",
        lambda: model.influence(trace),
        lambda: asked_in_turn(model, trace, partial(torch.linalg.vector_norm, dim=2)).sqrt(),
        lambda ours, theirs: torch.allclose(
            ours, theirs, rtol=1e-9, atol=1e-9 * theirs.max().item()
        ),
        "within 1e-9 of the largest",
        texts,
        wanted=wanted,
        clock=processor_seconds,
    )


def clusters() -> None:
    """Compare both ways of asking with scikit-learn, for the smallest and the largest number of
    clusters.
    """
    if find_spec("sklearn") is None:
        print(
            (
                "scikit-learn is not installed, so nothing is compared with it: pip install "
                "scikit-learn"
            ),
            file=sys.stderr,
        )
        return
    texts = 400 if quick() else 1750
    falling = np.sqrt(1 / np.arange(1, WIDTH + 1))
    states = np.random.default_rng(0).standard_normal((texts, RANKS, WIDTH)) * falling
    features = Axes.of(states, 32)(states)
    for count, wanted in ((50, 3), (200, 5)):
        theirs = one_by_one(states, count)
        against(states, literally(states, count), theirs, f"{count} clusters, literally")
        against(
            states, often(features, count), theirs, f"{count} clusters, as in a baseline", wanted
        )


def rank_correlations(texts: int) -> None:
    """Compare τ-b of all texts at once with scipy text by text: words as many as in SST, a tenth of
    them tied.
    """
    generator = np.random.default_rng(0)
    lengths = generator.integers(6, 31, texts)
    mask = np.arange(lengths.max()) < lengths[:, None]
    first, second = (
        np.where(mask, generator.integers(0, 40, mask.shape) / 8, 0.0) for _ in range(2)
    )
    compare(
        f"τ-b of {texts} texts",
        "scipy.stats.kendalltau, text by text",
        lambda: kendall_tau_b(first, second, mask),
        lambda: np.array(
            [
                kendalltau(x[real], y[real]).statistic
                for x, y, real in zip(first, second, mask, strict=True)
            ]
        ),
        lambda ours, theirs: bool(np.nanmax(np.abs(ours - theirs)) <= SAME),
        f"equal to {SAME:g}",
        texts,
        wanted=10,
        clock=processor_seconds,
    )


def whole(texts: int) -> None:
    """Time what an audit asks of ranks, about a model as large as those of SST, whose states know
    the label.
    """
    model, examples = model_and_texts(texts)
    took = processor_seconds(
        lambda: measure(
            model, examples, (RankInformation(),), {}, Seeds(0), 64, lambda done, total: None
        )
    )
    print_line(
        f"information of ranks, {texts} texts",
        "the time that it may take",
        [MOST_SECONDS / took],
        took <= MOST_SECONDS,
        f"at most {MOST_SECONDS} seconds of one processor",
        seconds=round(took, 1),
    )


def against(
    states: np.ndarray, ours: Way, theirs: Way, description: str, wanted: float = 0.0
) -> None:
    """Time both, and compare how far the states are from their centres."""
    compare(
        f"clusters of {RANKS} ranks, {description}",
        "scikit-learn (Lloyd, k-means++, one start), rank by rank",
        ours,
        theirs,
        lambda first, second: bool(inertia(states, first) <= 1.04 * inertia(states, second)),
        "at most 1.04 times the summed squared distance",
        len(states),
        wanted=wanted,
        clock=processor_seconds,
        distance=round(inertia(states, ours()) / inertia(states, theirs()), 3),
    )


def literally(states: np.ndarray, count: int) -> Way:
    """Cluster all ranks at once, in all directions, until nothing moves."""

    def way() -> np.ndarray:
        points = torch.as_tensor(states).transpose(0, 1).contiguous()
        mask = torch.ones(points.shape[:2], dtype=torch.bool)
        return kmeans(points, mask, Clustering(count), np.random.default_rng(0)).labels.T.numpy()

    return way


def often(features: np.ndarray, count: int) -> Way:
    """Cluster all ranks as the shuffles of a baseline do."""
    return lambda: clusters_of(features, count, np.random.default_rng(0))


def one_by_one(states: np.ndarray, clusters: int) -> Way:
    """Cluster each rank with scikit-learn."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 (only needed here)

    def way() -> np.ndarray:
        found = [
            KMeans(clusters, n_init=1, random_state=0).fit(states[:, rank]).labels_
            for rank in range(RANKS)
        ]
        return np.stack(found, axis=1)

    return way


def inertia(states: np.ndarray, labels: np.ndarray) -> float:
    """Add up the squared distances of all states to the mean of their cluster."""
    total = 0.0
    for rank in range(RANKS):
        for cluster in np.unique(labels[:, rank]):
            mine = states[labels[:, rank] == cluster, rank]
            total += float(((mine - mine.mean(0)) ** 2).sum())
    return total


if __name__ == "__main__":
    main()
