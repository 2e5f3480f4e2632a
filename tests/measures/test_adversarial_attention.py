"""The counterfactuals of a text against its corners, and on models whose attention is known to
matter, or not to.
"""

import numpy as np
import pytest
from scipy.special import expit

from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.adversarial_attention import NO_NATS, AdversarialAttention, _held
from sightline.measures.batch_words import words_of
from sightline.measures.decision_bounds import DecisionBounds
from sightline.models.attention import GivenWeights, Uniform
from sightline.numerics.max_divergence import bound_gap
from sightline.numerics.rank_agreement import top_count
from tests.planted.by_hand import WORLDS
from tests.reference import attentions as literal
from tests.texts import evened, examples, untrained

TEXTS = examples((7, 4, 6, 2, 5))


def take(model: object, texts: list = TEXTS, **settings: object) -> Measurement:
    ones = (AdversarialAttention(**settings), DecisionBounds())
    outcome = measure(model, texts, ones, {}, Seeds(0), 8, lambda done, total: None)[
        "counterfactual"
    ]
    assert isinstance(outcome, Measurement), outcome
    return outcome


def test_one_logit_is_answered_by_the_corners_of_each_text() -> None:
    model, settings = untrained("mlp(hidden=6)+additive"), {"epsilon": 0.03, "share": 0.4}
    model.decoder.affine.weight.data *= 6
    values = take(model, **settings).values
    farthest = values["farthest"].rows()
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, weights = trace.token_logits[0].double().numpy(), trace.attention[0].double().numpy()
        weights /= weights.sum()
        own = weights @ z
        corners = literal.corners(z, *bound_gap(own, expit(own), expit(-own), 0.03))
        assert values["jsd_low"][row] == values["jsd_high"][row]
        assert values["jsd_low"][row] == pytest.approx(literal.farthest(corners, weights), abs=1e-5)
        assert literal.divergence(farthest[row], weights) == pytest.approx(
            values["jsd_low"][row], abs=1e-5
        )
        top = np.argsort(-weights)[: top_count(np.array(len(weights)), 0.4)]
        held = np.isin(np.arange(len(weights)), top)
        assert values["answer.top"][row] == pytest.approx(literal.least(corners, held), abs=1e-4)
        gaps, side = (z, -z)[int(own[0] <= 0)], np.zeros(1)
        deciding = literal.corners(gaps, side, side + np.inf)
        assert values["decision.top"][row] == pytest.approx(literal.least(deciding, held), abs=1e-4)
        assert values["decision.jsd_low"][row] == pytest.approx(
            literal.farthest(deciding, weights), abs=1e-5
        )
        if np.isfinite(values["nats"][row]):
            assert literal.flips(gaps, weights, values["nats"][row] + 1e-4)
            assert not literal.flips(gaps, weights, values["nats"][row] - 1e-4)
        else:
            assert not literal.flips(gaps, weights, 20.0)


def test_the_chance_level_is_the_mean_over_random_words_of_the_least_weight_on_them() -> None:
    texts, epsilon, share, draws = examples((2, 3, 3, 4, 3, 4)), 0.03, 0.4, 8
    model = untrained("mlp(hidden=6)+additive", seed=7)
    model.decoder.affine.weight.data *= 6
    model = evened(model, texts)  # words speak for either class
    values = take(model, texts, epsilon=epsilon, share=share, draws=draws).values
    apart = {"answer": np.zeros(2), "decision": np.zeros(2)}
    for row, text in enumerate(texts):
        trace = model.trace(model.collate([text]))
        z, weights = trace.token_logits[0].double().numpy(), trace.attention[0].double().numpy()
        own = weights / weights.sum() @ z
        gaps, side = (z, -z)[int(own[0] <= 0)], np.zeros(1)
        corners = {
            "answer": literal.corners(z, *bound_gap(own, expit(own), expit(-own), epsilon)),
            "decision": literal.corners(gaps, side, side + np.inf),
        }
        top, *random = _held(words_of(trace), share, draws, Seeds(0))[:, 0]
        for name, some in corners.items():
            least = [literal.least(some, held) for held in random]
            assert values[f"{name}.random"][row] == pytest.approx(np.mean(least), abs=1e-4)
            of_top = abs(np.mean(least) - literal.least(some, top))
            apart[name] = np.maximum(apart[name], [of_top, np.ptp(least)])
    assert np.min([*apart.values()]) > 0.05  # from the top words, and of draws from each other


def test_a_word_that_holds_all_evidence_must_keep_what_the_answer_takes() -> None:
    """Nothing but the needle, with a logit of ±6, can hold the answer: L/6 of the weight, L the
    nearer end.
    """
    model, texts = WORLDS["attention decisive"].made(0)
    values = take(model, texts[:20]).values
    own = np.abs([6 * model.trace(model.collate([text])).attention[0].max() for text in texts[:20]])
    low = bound_gap(own, expit(own), expit(-own), 0.01)[0]
    assert values["answer.top"] == pytest.approx(low / 6)
    assert values["answer.random"].mean() < 0.2  # a random word is the needle once in sixteen
    assert values["decision.top"] == pytest.approx(
        0
    )  # what leans neither way decides with the least push


def test_where_every_word_speaks_for_the_class_nothing_must_stay() -> None:
    model, texts = WORLDS["attention irrelevant"].made(0)
    outcome = take(model, texts[:20])
    assert outcome.values["answer.top"] == pytest.approx(0, abs=0.2)
    assert np.median(outcome.values["answer.top"]) == 0
    assert outcome.undefined["nats"] == {NO_NATS[1]: 20}


def test_more_classes_are_between_two_sides() -> None:
    values = take(untrained("mlp(hidden=6)+additive", classes=3), corners=0).values
    assert (values["jsd_low"] <= values["jsd_high"] + 1e-12).all()
    assert (values["jsd_high"] > 0).all()
    full = take(untrained("mlp(hidden=6)+additive", classes=3)).values
    assert (full["decision.jsd_low"] == full["decision.jsd_high"]).all()
    assert (values["decision.jsd_high"] >= full["decision.jsd_low"] - 1e-9).all()
    assert (values["decision.jsd_low"] <= full["decision.jsd_low"] + 1e-9).all()
    assert (
        full["answer.top"] >= full["decision.top"] - 1e-7
    ).all()  # the answer asks for more than the decision


def test_what_is_undefined_is_counted_with_its_reason() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    texts = examples((1, 4, 5))
    flat = take(model, texts)
    assert flat.undefined["answer.top"] == {"one word": 1, "constant attention": 2}
    assert flat.undefined["jsd_low"] == {"one word": 1}
    sparse = untrained("mlp(hidden=6)+additive")
    sparse.source = GivenWeights({text.index: np.eye(len(text.tokens))[0] for text in texts})
    assert take(sparse, texts).undefined["nats"][NO_NATS[0]] == 2


def test_random_words_are_as_many_as_the_top_ones_and_ties_are_broken_at_random() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights({0: np.array([0.4, 0.4, 0.1, 0.05, 0.05])})
    words = words_of(model.trace(model.collate(examples((5,)))))
    sets = [_held(words, 0.2, 3, Seeds(seed))[:, 0] for seed in range(20)]
    assert {int(one.sum()) for some in sets for one in some} == {1}
    assert {int(some[0].argmax()) for some in sets} == {0, 1}
    assert {int(one.argmax()) for some in sets for one in some[1:]} == {0, 1, 2, 3, 4}
