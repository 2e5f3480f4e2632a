"""Why the information of states follows attention where they mean nothing, and what tells meaning from that.

An output that is the weighted sum of states shares more with the state that weighs more, whatever it means.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sightline.maths.clustering import Clustering, kmeans
from sightline.maths.information import plug_in, table
from sightline.maths.principal import principal
from sightline.maths.probes import logistic_scores, stratified
from sightline.maths.rank_curves import contrast, exchange_p, interval
from sightline.maths.rank_rules import by_weight
from sightline.maths.weighted_tau import weighted_tau
from tests.reference.information import coupled

RANKS = 8


@dataclass(frozen=True)
class Texts:
    """States, weights that know nothing of them, and gold labels; a decoder reads the weighted sum."""

    states: np.ndarray
    attention: np.ndarray
    labels: np.ndarray
    decoder: np.ndarray

    def ranked(self) -> np.ndarray:
        places = by_weight(self.attention, np.ones(self.attention.shape, bool))[:, :RANKS]
        return self.states[np.arange(len(places))[:, None], places]

    def output(self) -> np.ndarray:
        """Bin the answers, five alike."""
        answers = np.einsum("nt,ntd,d->n", self.attention, self.states, self.decoder)
        return np.digitize(answers, np.quantile(answers, [0.2, 0.4, 0.6, 0.8]))


def texts(seed: int, told: float = 0.0) -> Texts:
    """Draw 1,000 texts of 12 states; the label may be written into what is decoded, less with each rank.

    The coordinate that is decoded holds half of the variance, as in trained models; clusters see little of others.
    """
    rng = np.random.default_rng(seed)
    states, logits = rng.standard_normal((1000, 12, 64)), rng.standard_normal((1000, 12))
    attention = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = rng.integers(0, 2, 1000)
    ranks = np.argsort(np.argsort(-attention, axis=1), axis=1)
    states[:, :, 0] += told * 0.75**ranks * (2 * labels[:, None] - 1)
    states[:, :, 0] *= np.sqrt(63)
    return Texts(states, attention, labels, np.eye(64)[0])


def published(some: Texts, width: int = 32) -> float:
    """Correlate the counted information of each rank about the output with the mean weights."""
    points = torch.as_tensor(principal(some.ranked(), width)).transpose(0, 1).contiguous()
    found = kmeans(points, torch.ones(points.shape[:2], dtype=torch.bool), Clustering(50), np.random.default_rng(0))
    curve = np.array([plug_in(table(rank.numpy(), some.output())) for rank in found.labels])
    return float(weighted_tau(curve, -np.sort(-some.attention, axis=1)[:, :RANKS].mean(0)))


@pytest.mark.parametrize(("shared", "expected"), [(0.0, (0.5363, 0.1351, 0.0556)), (0.5, (0.8443, 0.4738, 0.3688))])
def test_coupling_of_three_states_is_known(shared: float, expected: tuple[float, ...]) -> None:
    assert coupled([0.5, 0.3, 0.2], shared) == pytest.approx(expected, abs=5e-5)
    assert len({round(one, 12) for one in coupled([0.25] * 4, shared)}) == 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=8, unique=True), st.floats(0, 0.95))
def test_coupling_alone_orders_states_as_any_attention_does(parts: list[int], shared: float) -> None:
    weights = np.array(sorted(parts, reverse=True)) / sum(parts)
    assert weighted_tau(np.array(coupled(weights.tolist(), shared)), weights) == pytest.approx(1, abs=1e-9)


def test_states_that_mean_nothing_score_high_and_tell_nothing_of_the_label() -> None:
    some, rng = texts(0), np.random.default_rng(0)
    own = published(some)
    assert own >= 0.8
    # Attention shuffled within texts, and the output made anew: as high.
    again = [published(replace(some, attention=rng.permuted(some.attention, axis=1))) for _ in range(9)]
    assert (1 + sum(one >= own for one in again)) / 10 > 0.05
    scores = label_scores(some)
    low, high = interval(scores, contrast, rng)
    assert low < 0 < high
    assert exchange_p(scores, contrast, rng) > 0.05


def test_a_label_that_is_written_into_states_by_rank_is_found() -> None:
    some, rng = texts(0, told=1.2), np.random.default_rng(0)
    scores = label_scores(some)
    curve = scores.mean(0)
    assert 0.35 <= curve[0] <= 0.45
    assert (np.diff(curve) < 0.01).all()
    assert abs(curve[-1]) < 0.03
    assert contrast(curve) == pytest.approx(0.315, abs=0.05)
    low, _ = interval(scores, contrast, rng)
    assert low > 0.2
    assert exchange_p(scores, contrast, rng) == 0.001


def label_scores(some: Texts) -> np.ndarray:
    rng = np.random.default_rng(1)
    return logistic_scores(principal(some.ranked(), 32), some.labels, stratified(some.labels, rng), rng)
