"""The distance between a model and its companions against a text at a time."""

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import kendalltau

from sightline.audits.measure_pass import measure
from sightline.config.measure_registry import quantity_of
from sightline.core.results import Measurement, NotRun
from sightline.core.seeds import Seeds
from sightline.measures.control_distance import ControlDistance
from sightline.models.attention import GivenWeights
from sightline.numerics.divergences import probabilities
from sightline.verdict.control_estimates import distances, is_distance
from tests.snapshots import same_text
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 1, 5))


@pytest.mark.parametrize("classes", [2, 3])
def test_distances_are_those_of_their_definitions(classes: int) -> None:
    model, base = (
        untrained("bilstm(hidden=6)", classes),
        untrained("bilstm(hidden=6)", classes, seed=8),
    )
    beside = {"base": base, "seed(by=1)": model}
    taken = measure(
        model, TEXTS, (ControlDistance(),), beside, Seeds(0), 2, lambda done, total: None
    )["beside"]
    assert isinstance(taken, Measurement)
    kinds, of_seeds = ("jsd", "tau", "tvd"), ("alike.seeds", "alike_chance.seeds")
    assert set(taken.values) == {
        f"{kind}.{name}" for kind in kinds for name in (*beside, "seeds")
    } | set(of_seeds)
    for row, text in enumerate(TEXTS):
        own, other = (one.trace(one.collate([text])) for one in (model, base))
        apart = jensenshannon(own.attention.numpy()[0], other.attention.numpy()[0]) ** 2
        answers = [probabilities(one.logits.double().numpy())[0] for one in (own, other)]
        assert taken.values["jsd.base"][row] == pytest.approx(apart, abs=1e-6)
        if len(text.tokens) > 1:
            tau = kendalltau(own.attention.numpy()[0], other.attention.numpy()[0]).statistic
            assert taken.values["tau.base"][row] == pytest.approx(tau, abs=1e-9)
        assert taken.values["tvd.base"][row] == pytest.approx(
            np.abs(answers[0] - answers[1]).sum() / 2, abs=1e-6
        )
    assert taken.values["jsd.seed(by=1)"] == pytest.approx(0, abs=1e-9)


def test_without_a_companion_there_is_nothing_to_be_far_from() -> None:
    taken = measure(
        untrained("mlp"), TEXTS, (ControlDistance(),), {}, Seeds(0), 2, lambda done, total: None
    )["beside"]
    assert isinstance(taken, NotRun)
    same_text("notes", taken.reason)


def test_a_distance_is_named_by_its_companion() -> None:
    assert is_distance("beside.tvd.adversary(weight=0.5)")
    assert not is_distance("beside.tvd.adversary(height=0.5)")
    assert is_distance("beside.tau.base")
    same_text("notes", quantity_of("beside", "jsd.base").description)


def test_over_seeds_weights_are_as_alike_as_they_are_and_by_chance_as_any_permutation_is() -> None:
    model, texts = untrained("mlp(hidden=6)"), TEXTS[1:2]
    beside = {f"seed(by={by})": untrained("mlp(hidden=6)", seed=by) for by in (8, 9)} | {
        "base": model
    }
    for one, weights in zip(
        (model, *beside.values()), ([7, 1, 1, 1], [6, 2, 1, 1], [5, 1, 3, 1]), strict=False
    ):
        one.source = GivenWeights({texts[0].index: np.array(weights) / 10})
    taken = measure(
        model, texts, (ControlDistance(draws=400),), beside, Seeds(0), 2, lambda done, total: None
    )["beside"]
    traces = [
        one.trace(one.collate(texts)).attention.numpy()[0] for one in (model, *beside.values())
    ]
    own, others = traces[0], traces[1:3]

    def alike(weights: np.ndarray) -> float:
        return 1 - jensenshannon(own, weights, base=2) ** 2

    assert taken.values["alike.seeds"] == pytest.approx(
        np.mean([alike(one) for one in others]), abs=1e-6
    )
    chance = np.mean([alike(np.array(one)) for weights in others for one in permutations(weights)])
    assert taken.values["alike_chance.seeds"] == pytest.approx(chance, abs=0.02)
    taus = [taken.values[f"tau.seed(by={by})"] for by in (8, 9)]
    assert taken.values["tau.seeds"] == pytest.approx(np.mean(taus, axis=0))
    assert taken.values["tau.base"] == pytest.approx(1)


def test_without_another_seed_it_says_which_companion_is_lacking() -> None:
    model = untrained("mlp(hidden=6)")
    taken = measure(
        model,
        TEXTS,
        (ControlDistance(),),
        {"uniform": model},
        Seeds(0),
        2,
        lambda done, total: None,
    )["beside"]
    assert "alike.seeds" not in taken.values
    assert taken.missing["alike.seeds"] == "needs a control model (seed(by=1))"


def test_weights_without_an_order_have_no_rank_correlation() -> None:
    model, flat = untrained("mlp(hidden=6)"), untrained("mlp(hidden=6)+uniform")
    taken = measure(
        model, TEXTS, (ControlDistance(),), {"uniform": flat}, Seeds(0), 2, lambda done, total: None
    )["beside"]
    assert np.isnan(taken.values["tau.uniform"]).all()
    assert taken.undefined["tau.uniform"] == {"one word": 1, "constant attention": 4}
    assert distances({"beside": taken}) == ("beside.jsd.uniform", "beside.tvd.uniform")
