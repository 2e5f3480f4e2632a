"""Agreement: pieces put together rightly, and the two ways in which it is undefined."""

import numpy as np
import pytest
import torch

from sightline.auditing import measure
from sightline.measures.agreement import Agreement
from sightline.measures.outputs import Outputs
from sightline.models.attention import Given, Uniform
from sightline.results import Measurement
from sightline.seeds import Seeds
from sightline.types import Companions
from tests.reference import formulas
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 12, 2, 20))


def agreement(model: object, texts: list = TEXTS, **settings: int) -> Measurement:
    outcome = measure(model, texts, (Agreement(**settings),), Companions(), Seeds(0), 8, lambda done, total: None)[
        "agreement"
    ]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@pytest.mark.parametrize("reference", ["gradient", "gradient_through", "deletion", "free_gradient", "free_deletion"])
def test_captured_and_tau_are_those_of_the_stored_maps(reference: str) -> None:
    model = untrained("bilstm(hidden=6)+additive")
    values = agreement(model).values
    shown = measure(model, TEXTS, (Outputs(),), Companions(), Seeds(0), 8, lambda done, total: None)["outputs"]
    rows = zip(shown.values["attention"].rows(), values[reference].rows(), strict=True)
    for row, (weights, importance) in enumerate(rows):
        count = max(1, len(weights) // 10)
        best = np.argsort(-weights)[:count]
        share = importance[best].sum() / np.sort(importance)[::-1][:count].sum()
        assert values[f"captured.{reference}"][row] == pytest.approx(share, abs=1e-9)
        assert values[f"tau.{reference}"][row] == pytest.approx(formulas.tau_b(weights, importance), abs=1e-9)
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
    """Of an MLP whose token logits have equal slopes, the gradient *is* the attention: coupling is 1, chance is not."""
    model = untrained("mlp(hidden=6)+additive")
    with torch.no_grad():
        model.embedding.weight[1:] = model.embedding.weight[4]
        model.scorer.outer.weight.zero_()
    generator = np.random.default_rng(0)
    model.source = Given({e.index: generator.random(len(e.tokens)) for e in TEXTS})
    values = agreement(model).values
    assert values["coupling.gradient"] == pytest.approx(1.0, abs=1e-6)
    assert values["captured.gradient"] == pytest.approx(1.0, abs=1e-6)
    assert values["chance.gradient"].mean() < 0.8


def test_constant_attention_has_no_top_words() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    outcome = agreement(model)
    assert np.isnan(outcome.values["captured.gradient"]).all()
    assert np.isnan(outcome.values["chance.gradient"]).all()
    assert outcome.undefined["tau.gradient"] == {"constant attention": len(TEXTS)}


def test_a_constant_model_has_exactly_zero_importance_and_counted_undefined_tau() -> None:
    model = untrained("bilstm(hidden=6)+additive")
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
    one, other = (agreement(model, tokens_at_once=size).values["deletion"].flat for size in (2**15, 30))
    assert one == pytest.approx(other, abs=1e-6)


def test_the_free_reference_is_the_mean_of_both_text_by_text() -> None:
    values = agreement(untrained("bilstm(hidden=6)+additive")).values
    for kind in ("captured", "chance", "draws"):
        pair = values[f"{kind}.free_gradient"], values[f"{kind}.free_deletion"]
        assert values[f"{kind}.free"] == pytest.approx((pair[0] + pair[1]) / 2, nan_ok=True)
    assert values["captured.free"].max() > values["chance.free"].max()
