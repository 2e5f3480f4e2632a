"""Importance of states and of inputs beside attention: literal numbers, what holding the weights
does, and zeros.
"""

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from sightline.audits.measure_pass import measure
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.state_agreement import (
    REFERENCES,
    StateAgreement,
    _importances,
    shuffled_orders,
)
from sightline.models.attention import GivenWeights
from sightline.models.classifier import AttentionClassifier
from tests.adapters.offering import Offering
from tests.gradients import gradient_importance
from tests.reference import restated as slow
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 12, 2, 1))
SPECS = ("bilstm(hidden=4)+additive", "mlp(hidden=5)+additive+sparsemax", "mlp(hidden=5)+dot")


def take(model: AttentionClassifier, batch_size: int = 4) -> Measurement:
    found = measure(
        model, TEXTS, (StateAgreement(),), {}, Seeds(0), batch_size, lambda done, total: None
    )
    assert isinstance(found["state_agreement"], Measurement), found
    return found["state_agreement"]


@pytest.mark.parametrize("spec", SPECS)
def test_each_importance_of_states_is_the_literal_one(spec: str) -> None:
    model = untrained(spec, embedding=3).double()
    found = take(model)
    for row, text in enumerate(TEXTS[:4]):
        trace = model.trace(model.collate([text]))
        states = model.states(trace)[0]
        slopes = [slow.slope_length(model, states, place) for place in range(len(text.tokens))]
        lost = [slow.lost_without(model, states, place) for place in range(len(text.tokens))]
        assert found.values["state_gradient"].rows()[row] == pytest.approx(
            slopes, rel=1e-4, abs=1e-8
        )
        assert found.values["state_deletion"].rows()[row] == pytest.approx(lost, abs=1e-9)
        inputs = gradient_importance(model, trace, held=False, reduction="norm")[0]
        weights = trace.attention[0].numpy()
        for name, literal in (
            ("gradient_through", inputs),
            ("state_gradient", slopes),
            ("state_deletion", lost),
        ):
            shares = np.array(literal) / sum(literal)
            even = -sum(share * np.log(share) for share in shares if share > 0) / np.log(
                len(text.tokens)
            )
            assert found.values[f"entropy.{name}"][row] == pytest.approx(even, rel=1e-4)
        for name, literal in (
            ("gradient_through", inputs),
            ("state_gradient", slopes),
            ("state_deletion", lost),
        ):
            expected = kendalltau(weights.round(12), np.round(literal, 12)).statistic
            assert found.values[f"tau.{name}"][row] == pytest.approx(expected, nan_ok=True)


def test_with_weights_held_a_state_matters_as_its_weight_does_and_through_them_it_need_not() -> (
    None
):
    model = untrained("bilstm(hidden=4)+additive").double()
    trace = model.trace(model.collate(TEXTS))
    states = model.states(trace).requires_grad_()
    weights = trace.attention
    logits = model._decode(trace.batch, states, weights, None)
    (held,) = torch.autograd.grad(logits.sum(), states)
    ratio = held.norm(dim=-1)[trace.batch.mask] / weights[trace.batch.mask]
    assert ratio.numpy() == pytest.approx(float(ratio[0]))
    assert np.nanmin(take(model).values["tau.state_gradient"]) < 0.95


@pytest.mark.parametrize("spec", SPECS)
def test_coupling_is_what_words_with_the_scores_of_others_show(spec: str) -> None:
    model = untrained(spec, embedding=3).double()
    text = TEXTS[0]
    trace = model.trace(model.collate([text]))
    maps = AttributionMaps(
        MeasureContext(model, texts=(text,), audited=(text,)), trace, Seeds(0), gradient="norm"
    )
    (order,) = shuffled_orders(maps, 1)
    states, place = model.states(trace)[0], order[0].tolist()
    assert sorted(place) == [*range(7)]
    assert place != [*range(7)]
    scores = [model.scorer(state[None, None], None).item() for state in states]
    moved = [scores[other] - scores[own] for own, other in enumerate(place)]
    (_, _), (weights, found) = _importances(maps, [None, order])
    assert weights[0] == pytest.approx(trace.attention[0, place].numpy())
    lost = [slow.lost_without(model, states, word, moved) for word in range(7)]
    assert found["state_deletion"][0] == pytest.approx(lost, abs=1e-9)
    deleted = maps.deleted({"used": torch.from_numpy(weights)})["used"]
    assert found["deletion"] == pytest.approx(deleted)
    taken = StateAgreement(shuffles=1).on_batch(maps.subject, trace, Seeds(0))
    for name in REFERENCES:
        expected = kendalltau(weights[0].round(12), found[name][0].round(12)).statistic
        assert taken[f"coupling_tau.{name}"][0] == pytest.approx(expected)


def test_words_without_weight_are_counted_by_pairs_and_left_out_within() -> None:
    model = untrained("mlp(hidden=5)+additive+sparsemax")
    with torch.no_grad():
        model.scorer.outer.weight.mul_(30)
    values = take(model).values
    weights = [model.trace(model.collate([text])).attention[0].numpy() for text in TEXTS]
    for row, one in enumerate(weights[:3]):
        zeros, words = int((one == 0).sum()), len(one)
        assert zeros > (1 if row == 0 else 0)
        assert values["support"][row] == words - zeros
        assert values["both_zero"][row] == pytest.approx(
            zeros * (zeros - 1) / (words * (words - 1))
        )
        lost = values["state_deletion"].rows()[row]
        assert lost[one == 0] == pytest.approx(0, abs=1e-9)
        expected = (
            kendalltau(one[one > 0], lost[one > 0].round(7)).statistic
            if (one > 0).sum() > 1
            else np.nan
        )
        assert values["within_tau.state_deletion"][row] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("spec", SPECS)
def test_batches_do_not_matter_and_what_has_no_order_is_counted(spec: str) -> None:
    together, alone = take(untrained(spec), 5), take(untrained(spec), 1)
    for name, values in together.values.items():
        one = alone.values[name]
        pair = (
            (values.flat, one.flat)
            if name in ("state_gradient", "state_deletion")
            else (values, one)
        )
        np.testing.assert_allclose(*map(np.asarray, pair), atol=2e-5, err_msg=name)
    assert together.undefined["tau.state_gradient"]["one word"] == 1
    even = untrained(spec)
    even.source = GivenWeights({text.index: np.ones(len(text.tokens)) for text in TEXTS})
    assert take(even).undefined["tau.deletion"] == {"one word": 1, "constant attention": 4}
    assert (
        take(even).undefined["entropy.deletion"]
        == take(even).undefined["both_zero"]
        == {"one word": 1}
    )


def test_a_model_that_keeps_its_states_to_itself_is_not_asked() -> None:
    model = Offering(untrained(SPECS[0]), "decode", "embedding_grad")
    found = measure(model, TEXTS, (StateAgreement(),), {}, Seeds(0), 4, lambda done, total: None)[
        "state_agreement"
    ]
    assert "from_states" in found.reason
