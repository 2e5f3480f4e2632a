"""Agreement: pieces put together rightly, and the two ways in which it is undefined."""

from math import erfc, sqrt

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.agreement import Agreement
from sightline.measures.predictions import Predictions
from sightline.models.attention import GivenWeights, Uniform
from sightline.numerics.ties import VISIBLE
from tests.reference import asked, formulas
from tests.texts import examples, sharpened, untrained

TEXTS = examples((7, 4, 12, 2, 20))


def agreement(model: object, texts: list = TEXTS, **settings: int) -> Measurement:
    outcome = measure(
        model, texts, (Agreement(**settings),), {}, Seeds(0), 8, lambda done, total: None
    )["agreement"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@pytest.mark.parametrize(
    "reference", ["gradient", "gradient_through", "deletion", "free_gradient", "free_deletion"]
)
def test_captured_and_tau_are_those_of_the_stored_maps(reference: str) -> None:
    model = sharpened(untrained("bilstm(hidden=6)+additive"))
    values = agreement(model).values
    shown = measure(model, TEXTS, (Predictions(),), {}, Seeds(0), 8, lambda done, total: None)[
        "outputs"
    ]
    rows = zip(shown.values["attention"].rows(), values[reference].rows(), strict=True)
    for row, (weights, importance) in enumerate(rows):
        count = max(1, len(weights) // 10)
        best = np.argsort(-weights)[:count]
        below = np.sort(weights)[::-1][count]
        assert (
            weights[best].min() - below > VISIBLE * weights.max()
        )  # so there is no tie at the line
        share = importance[best].sum() / np.sort(importance)[::-1][:count].sum()
        assert values[f"captured.{reference}"][row] == pytest.approx(share, abs=1e-9)
        assert values[f"tau.{reference}"][row] == pytest.approx(
            formulas.tau_b(weights, importance), abs=1e-9
        )
        assert values[f"chance.{reference}"][row] == pytest.approx(
            importance.mean() * count / np.sort(importance)[::-1][:count].sum(), abs=1e-9
        )


def test_the_drawn_floor_has_the_exact_mean() -> None:
    values = agreement(untrained("mlp(hidden=6)+additive"), draws=4000).values
    drawn, exact = values["draws.gradient"].mean(1), values["chance.gradient"]
    error = values["draws.gradient"].std(1) / np.sqrt(4000)
    assert (np.abs(drawn - exact) < 4.5 * error + 1e-12).all()


def test_free_references_do_not_change_with_attention() -> None:
    model = untrained("mlp(hidden=6)+additive")
    first = agreement(model).values
    model.scorer.outer.weight.data *= -3
    second = agreement(model).values
    for name in ("free_gradient", "free_deletion"):
        assert second[name].flat == pytest.approx(first[name].flat, abs=1e-6)
    assert np.abs(second["gradient"].flat - first["gradient"].flat).max() > 1e-2


def test_coupling_is_what_shuffled_weights_show_when_they_are_used() -> None:
    """Of an MLP whose token logits have equal slopes, the gradient *is* the attention: coupling is
    1, chance is not.
    """
    model = untrained("mlp(hidden=6)+additive")
    with torch.no_grad():
        model.embedding.weight[1:] = model.embedding.weight[4]
        model.scorer.outer.weight.zero_()
    generator = np.random.default_rng(0)
    model.source = GivenWeights(
        {e.index: generator.permutation(1.3 ** np.arange(len(e.tokens))) for e in TEXTS}
    )
    values = agreement(model).values
    assert values["coupling.gradient"] == pytest.approx(1.0, abs=1e-6)
    assert values["captured.gradient"] == pytest.approx(1.0, abs=1e-6)
    assert values["chance.gradient"].mean() < 0.8


def test_coupling_is_the_agreement_of_models_that_are_given_the_shuffled_weights() -> None:
    """Each shuffle with the maps that it makes, which are neither those of another shuffle nor of
    the model.
    """
    model, texts, shuffles = sharpened(untrained("bilstm(hidden=6)+additive")).double(), TEXTS, 3
    attention = [model.trace(model.collate([text])).attention[0].numpy() for text in texts]
    values = agreement(model, texts, shuffles=shuffles).values
    drawn = [
        Seeds(0)
        .generator("coupling", text.index)
        .permuted(np.tile(np.arange(len(text.tokens)), (shuffles, 1)), axis=1)
        for text in texts
    ]
    single = []
    for shuffle in range(shuffles):
        orders = [orders[shuffle] for orders in drawn]
        pairs = zip(texts, attention, orders, strict=True)
        model.source = GivenWeights({text.index: row[order] for text, row, order in pairs})
        single.append(agreement(model, texts).values)
    for name in ("gradient", "deletion"):
        for ours, theirs in (("coupling", "captured"), ("coupling_tau", "tau")):
            apart = np.array([found[f"{theirs}.{name}"] for found in single])
            assert apart.std(axis=0).max() > 0.1
            assert values[f"{ours}.{name}"] == pytest.approx(apart.mean(axis=0), abs=1e-9)


def test_gradient_and_deletion_are_compared_with_each_other_in_both_directions() -> None:
    values = agreement(untrained("bilstm(hidden=6)+additive", seed=11).double()).values
    pairs = zip(values["gradient"].rows(), values["deletion"].rows(), strict=True)
    one_way = []
    for row, pair in enumerate(pairs):
        count = max(1, len(pair[0]) // 10)
        shares, chances = [], []
        for own, other in (pair, pair[::-1]):
            falling = np.sort(own)[::-1]
            # No group of equal shades reaches over the line: it is at most two steps wide.
            assert falling[count - 1] - falling[count] > 2 * VISIBLE * own.max()
            most = np.sort(other)[::-1][:count].sum()
            shares.append(other[np.argsort(-own)[:count]].sum() / most)
            chances.append(other.mean() * count / most)
        assert values["captured.references"][row] == pytest.approx(np.mean(shares), abs=1e-9)
        assert values["chance.references"][row] == pytest.approx(np.mean(chances), abs=1e-9)
        tau = formulas.tau_b(*pair)
        assert values["tau.references"][row] == pytest.approx(tau, abs=1e-9)
        one_way.append(abs(shares[0] - shares[1]))
    assert max(one_way) > 0.1


def test_tau_is_significant_up_to_five_percent_of_random_orders_in_either_direction() -> None:
    """Orders of n words without ties: p is that of z = (|S| − 1) / √(n (n − 1) (2n + 5) / 18), where
    S is τ times the pairs.
    """
    model, texts = untrained("mlp(hidden=6)+additive").double(), examples((4, 5, 5, 5, 12, 12, 2))
    model.source = Uniform()
    ranks = [
        np.argsort(np.argsort(row))
        for row in agreement(model, texts).values["free_deletion"].rows()
    ]
    ranks[2] = np.where(ranks[2] == 4, 3, np.where(ranks[2] == 3, 4, ranks[2]))  # two exchanged
    ranks[3] = 4 - ranks[3]  # reversed
    ranks[5] = np.random.default_rng(0).permutation(12)
    model.source = GivenWeights({t.index: 1.5**row for t, row in zip(texts, ranks, strict=True)})
    values = agreement(model, texts).values
    found, tau = values["significant.free_deletion"], values["tau.free_deletion"]
    assert tau[:5] == pytest.approx([1, 1, 0.8, -1, 1])
    for row, text in enumerate(texts):
        n = len(text.tokens)
        off = max(abs(tau[row]) * n * (n - 1) / 2 - 1, 0) / sqrt(n * (n - 1) * (2 * n + 5) / 18)
        assert found[row] == (erfc(off / sqrt(2)) <= 0.05)
    assert found.tolist() == [0, 1, 0, 1, 1, 0, 0]
    model.source = Uniform()
    assert np.isnan(agreement(model, texts).values["significant.free_deletion"]).all()


def test_constant_attention_has_no_top_words() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    outcome = agreement(model)
    assert np.isnan(outcome.values["captured.gradient"]).all()
    assert np.isnan(outcome.values["chance.gradient"]).all()
    assert outcome.undefined["tau.gradient"] == {"constant attention": len(TEXTS)}


def test_a_constant_model_has_exactly_zero_importance_and_counted_undefined_tau() -> None:
    model = sharpened(untrained("bilstm(hidden=6)+additive"))
    torch.nn.init.zeros_(model.decoder.affine.weight)
    outcome = agreement(model)
    for name in ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion"):
        assert (outcome.values[name].flat == 0).all()
        assert outcome.undefined[f"tau.{name}"] == {"constant or zero reference": len(TEXTS)}
        assert outcome.undefined[f"captured.{name}"] == {"constant or zero reference": len(TEXTS)}


def test_disagreement_is_one_minus_the_mean_share() -> None:
    values = agreement(untrained("mlp(hidden=6)+additive")).values
    expected = 1 - (values["captured.gradient"] + values["captured.deletion"]) / 2
    assert values["disagreement"] == pytest.approx(expected)


def test_fewer_tokens_at_once_change_nothing() -> None:
    model = untrained("bilstm(hidden=6)+additive")
    one, other = (
        agreement(model, tokens_at_once=size).values["deletion"].flat for size in (2**15, 30)
    )
    assert one == pytest.approx(other, abs=1e-6)


def test_the_free_reference_is_the_mean_of_both_text_by_text() -> None:
    values = agreement(sharpened(untrained("bilstm(hidden=6)+additive"))).values
    for kind in ("captured", "chance", "draws", "mass", "mass_chance"):
        pair = values[f"{kind}.free_gradient"], values[f"{kind}.free_deletion"]
        assert np.nanmax(np.abs(pair[0] - pair[1])) > 0.01
        assert values[f"{kind}.free"] == pytest.approx((pair[0] + pair[1]) / 2, nan_ok=True)
    assert values["captured.free"].max() > values["chance.free"].max()


@pytest.mark.parametrize("reference", ["gradient", "deletion", "free_gradient"])
def test_mass_is_that_of_the_stored_maps_and_its_chance_that_of_every_permutation(
    reference: str,
) -> None:
    texts = examples((6, 4, 2))
    model = untrained("bilstm(hidden=6)+additive")
    values = agreement(model, texts).values
    for row, text in enumerate(texts):
        weights = model.trace(model.collate([text])).attention[0].double().numpy()
        importance = values[reference].rows()[row]
        assert values[f"mass.{reference}"][row] == pytest.approx(
            asked.mass(weights, importance), abs=1e-6
        )
        mean = asked.mass_over_permutations(weights, importance)
        assert values[f"mass_chance.{reference}"][row] == pytest.approx(mean, abs=1e-6)


def test_a_nearly_flat_map_has_no_order_and_one_that_is_seen_passes_by_its_order_and_not_by_its_mass() -> (
    None
):
    """Weights in the order of the model's own deletion effects, all but alike: nobody sees which
    are the largest.
    """
    model = untrained("mlp(hidden=6)+additive")
    texts = examples((20, 20, 20, 20))
    model.source = Uniform()
    effects = agreement(model, texts).values["free_deletion"].rows()
    found = {}
    for above in (0.01, 0.045, 1.0):
        rows = {t.index: 1 + above * row / row.max() for t, row in zip(texts, effects, strict=True)}
        model.source = GivenWeights(rows)
        found[above] = agreement(model, texts)
    for above in (0.01, 0.045):
        for kind in ("captured", "chance"):
            assert np.isnan(found[above].values[f"{kind}.free_deletion"]).all()
        assert found[above].undefined["captured.free_deletion"] == {"constant attention": 4}
    values = found[0.01].values
    assert values["mass.free_deletion"] == pytest.approx(
        values["mass_chance.free_deletion"], abs=0.01
    )
    seen = found[1.0].values
    assert seen["captured.free_deletion"].min() > 0.9
    assert seen["mass.free_deletion"].max() < 0.6 < seen["captured.free_deletion"].min()


def test_even_weights_have_a_mass_and_it_is_that_of_chance() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    outcome = agreement(model, [*TEXTS, *examples((1,))])
    assert outcome.undefined["mass.deletion"] == {"one word": 1}
    assert outcome.values["mass.deletion"] == pytest.approx(
        outcome.values["mass_chance.deletion"], nan_ok=True
    )
    torch.nn.init.zeros_(model.decoder.affine.weight)
    assert agreement(model).undefined["mass.deletion"] == {"zero reference": len(TEXTS)}


def test_what_tests_decide_by_does_not_depend_on_what_is_reported_alone() -> None:
    model = sharpened(untrained("bilstm(hidden=6)+additive"))
    whole, few = agreement(model), agreement(model, reported_too=False)
    left_out = whole.values.keys() - few.values.keys()
    assert {*few.missing} == left_out
    assert {name for name in left_out if "gradient_through" not in name} == {
        f"{kind}.{name}"
        for kind in ("coupling", "coupling_tau")
        for name in ("gradient", "deletion")
    }
    assert few.settings == whole.settings
    for name, value in few.values.items():
        flat, wanted = (getattr(one, "flat", one) for one in (value, whole.values[name]))
        assert np.allclose(flat, wanted, equal_nan=True), name
