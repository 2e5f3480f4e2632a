"""The searches as a measure, on models that are opened and models that can only decode; and what
stands in for exactness.

A built-in model behind an `Offering` without token logits is the same model asked another way: what
is found of it must be what is found of the open one, and never more than what is known of that
exactly.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.needs import OTHER_ATTENTION, needed
from sightline.core.protocols import Measure
from sightline.core.results import Measurement, NotRun
from sightline.core.seeds import Seeds
from sightline.measures.attention_search import AttentionSearch
from sightline.measures.decision_bounds import DecisionBounds
from sightline.measures.decode_attention import NOT_AFFINE
from sightline.measures.default_measures import default_measures
from sightline.measures.permutation import Permutation
from sightline.measures.permutation_outputs import EXACT
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.adversarial_descent import Descent
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.simplex_search import ClimbSettings
from sightline.numerics.tolerance import Tolerance
from tests.adapters.offering import Offering
from tests.measures.queries import asked
from tests.numerics.searching import divergence
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 1, 5))
QUICK = AttentionSearch(
    starts=3,
    points=3,
    descent=Descent(steps=20),
    climb=ClimbSettings(pairs=6, descent=Descent(20, 0.1, 20.0, mutual=False)),
)
MODELS = {
    "one logit": untrained("bilstm(hidden=6)+additive").double(),
    "three logits": untrained("mlp(hidden=6)+additive", 3).double(),
    "query": untrained("mlp(hidden=6)+additive+query", 4).double(),
}


def texts_of(name: str) -> list:
    return asked((7, 4, 6, 1, 5)) if name == "query" else TEXTS


def take(one: Measure, model: object, texts: list, batch_size: int = 8) -> Measurement:
    outcome = measure(model, texts, (one,), {}, Seeds(0), batch_size, lambda done, total: None)[
        one.code
    ]
    assert isinstance(outcome, Measurement), outcome
    return outcome


def decoding(name: str) -> Offering:
    return Offering(MODELS[name], "decode", "embedding_grad")


@pytest.mark.parametrize("name", ["one logit", "three logits"])
def test_it_finds_by_decoding_what_it_finds_from_token_logits(name: str) -> None:
    opened, closed = take(QUICK, MODELS[name], TEXTS), take(QUICK, decoding(name), TEXTS)
    assert opened.values.keys() == closed.values.keys()
    for quantity, value in opened.values.items():
        assert value == pytest.approx(closed.values[quantity], abs=1e-6, nan_ok=True), quantity


@pytest.mark.parametrize("name", MODELS)
def test_a_text_is_searched_as_if_it_were_alone(name: str) -> None:
    model = decoding(name) if name == "query" else MODELS[name]
    whole, alone = (
        take(QUICK, model, texts_of(name)),
        take(QUICK, model, texts_of(name)[::-1], batch_size=1),
    )
    for quantity, value in whole.values.items():
        assert value == pytest.approx(alone.values[quantity][::-1], abs=1e-6, nan_ok=True), quantity


def test_what_it_reports_is_in_order_and_counted() -> None:
    found = take(QUICK, MODELS["one logit"], TEXTS)
    several = found.values["words"] > 1
    assert (np.diff(found.values["published"][several], axis=1) >= 0).all()
    assert (np.diff(found.values["ours"][several], axis=1) >= 0).all()
    assert (found.values["released"][several] >= found.values["published"][several, -1]).all()
    assert found.undefined == {
        quantity: {"one word": 1} for quantity in ("published", "released", "ours")
    }
    assert (found.values["decodes_published"] == 3 * 20 + 3).all()
    assert found.settings["select"] == "0.01 of total variation"
    assert found.settings["released"] == "0.05 of total variation"


def test_points_outside_are_counted_and_never_taken() -> None:
    """Driven to a wide tolerance and held against a narrow one, the published search has next to
    nothing to show.
    """
    wide = replace(QUICK, penalise=Tolerance(0.9), select=Tolerance(1e-9), released=Tolerance(1.0))
    lively = untrained("mlp(hidden=6)+additive", embedding_std=8.0).double()
    found = take(wide, lively, TEXTS)
    several = found.values["words"] > 1
    assert (found.values["outside"][several] == 3).all()
    assert (found.values["published"][several] == 0).all()
    assert (found.values["released"][several] > 0.1).all()


def test_the_model_is_left_without_gradients() -> None:
    model = decoding("query")
    take(QUICK, model, texts_of("query"))
    assert all(
        parameter.grad is None and parameter.requires_grad
        for parameter in MODELS["query"].parameters()
    )


def test_it_is_taken_only_by_name_and_needs_other_attention() -> None:
    assert "searched" not in [one.code for one in default_measures()]
    assert [one.code for one in default_measures(chosen=("searched",))] == ["outputs", "searched"]
    closed = measure(
        Offering(MODELS["one logit"]), TEXTS, (QUICK,), {}, Seeds(0), 8, lambda done, total: None
    )
    assert closed["searched"] == NotRun("searched", needed({OTHER_ATTENTION}))


@pytest.mark.parametrize("name", ["one logit", "three logits"])
def test_permutations_are_the_same_decoded(name: str) -> None:
    opened, closed = (
        take(Permutation(), MODELS[name], TEXTS),
        take(Permutation(), decoding(name), TEXTS),
    )
    assert closed.values["median"] == pytest.approx(opened.values["median"], abs=1e-9)
    assert closed.values["median_error"] == pytest.approx(opened.values["median_error"], abs=1e-9)
    assert set(closed.missing) == set(EXACT) == set(opened.values) - set(closed.values)
    assert closed.settings["largest"] == "found"
    assert "largest" not in opened.settings
    if (
        name == "one logit"
    ):  # an order of the words by what each alone says holds the farthest permutation
        for quantity in ("largest", "ratio", "ratio_floor"):
            assert closed.values[quantity] == pytest.approx(
                opened.values[quantity], abs=1e-9, nan_ok=True
            ), quantity
    assert (closed.values["largest"] <= opened.values["largest"] + 1e-9).all()


def test_behind_a_query_the_largest_found_is_one_that_a_permutation_gives() -> None:
    model, texts = MODELS["query"], texts_of("query")
    found = take(Permutation(permutations=40), model, texts)
    assert found.missing == dict.fromkeys(EXACT, NOT_AFFINE)
    for row in (1, 4):
        trace = model.trace(model.collate(texts[row : row + 1]))
        orders = [list(order) for order in permutations(range(len(texts[row].tokens)))]
        every = [far(model, trace, trace.attention[:, order]) for order in orders]
        largest = found.values["largest"][row]
        assert min(abs(one - largest) for one in every) < 1e-9
        assert max(every) * 0.9 <= largest <= max(every) + 1e-9
        assert found.values["ratio"][row] == pytest.approx(found.values["median"][row] / largest)


def far(model: AttentionClassifier, trace: object, weights: torch.Tensor) -> float:
    with torch.no_grad():
        moved, own = (model.decode(trace, one).numpy() for one in (weights, trace.attention))
    return float(total_variation(probabilities(moved), probabilities(own))[0])


@pytest.mark.parametrize("name", ["one logit", "three logits"])
def test_reach_by_decoding_is_a_lower_bound_and_no_proof(name: str) -> None:
    opened, closed = (
        take(DecisionBounds(), MODELS[name], TEXTS),
        take(DecisionBounds(), decoding(name), TEXTS),
    )
    assert closed.values["low"] == pytest.approx(opened.values["low"], abs=1e-9)
    assert closed.values["changed"].tolist() == (opened.values["proof"] == 0).tolist()
    assert set(closed.values) == {"low", "changed"}
    assert set(closed.missing) == set(opened.values) - {"low"}


def test_the_farthest_found_is_a_divergence_of_an_attention_that_keeps_the_answer() -> None:
    """Of a text of two words, every attention can be tried."""
    model, texts = MODELS["three logits"], examples((2,))
    trace = model.trace(model.collate(texts))
    best = 0.0
    for share in np.linspace(0, 1, 2001):
        weights = torch.tensor([[share, 1 - share]])
        if far(model, trace, weights.double()) <= 0.01:
            best = max(best, divergence(weights[0].numpy(), trace.attention[0].numpy()))
    assert take(QUICK, model, texts).values["ours"][0, -1] == pytest.approx(best, abs=2e-3)
