"""Need, reach, permutation and erasure against literal twins."""

import numpy as np
import pytest
import torch
from scipy.stats import binom

from sightline.adapters.validate_model import OURS
from sightline.audits.measure_pass import measure
from sightline.core.protocols import Measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attention_need import AttentionNeed, RetrainedUniform
from sightline.measures.decision_bounds import DecisionBounds
from sightline.measures.permutation import IMMOVABLE, Permutation, _drawn, median_error
from sightline.measures.predictions import Predictions
from sightline.measures.removal import Removal
from sightline.measures.removal_curves import removed_count
from sightline.models.attention import GivenWeights, Uniform
from sightline.numerics.divergences import entropy
from tests.reference import formulas, moving, ties
from tests.texts import examples, sharpened, untrained

TEXTS = examples((7, 4, 6, 2, 5))


def take(one: Measure, model: object, companions: dict | None = None) -> Measurement:
    outcome = measure(
        model, TEXTS, (one,), companions or {}, Seeds(0), 8, lambda done, total: None
    )[one.code]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@pytest.mark.parametrize("classes", [2, 3])
def test_erasure_is_the_text_run_again_without_the_attended_words(classes: int) -> None:
    model = sharpened(untrained("bilstm(hidden=6)+additive", classes))
    ours = take(Removal(), model)
    for row, text in enumerate(TEXTS):
        weights = model.trace(model.collate([text])).attention[0].tolist()
        keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
        order = ties.falling(moving.seen(weights, text.index), keys)
        assert weights[order[0]] > weights[order[-1]]  # a reader sees which words stand out
        literal = formulas.comprehensiveness(model, text, order, Removal().shares)
        assert ours.values["area"][row] == pytest.approx(literal, abs=1e-6)


def test_erasure_floor_covers_every_order_of_two_words() -> None:
    model = untrained("mlp(hidden=6)+additive")
    baseline = take(Removal(draws=40), model).values["floor"][3]
    literal = [
        formulas.comprehensiveness(model, TEXTS[3], order, Removal().shares)
        for order in ([0, 1], [1, 0])
    ]
    assert sorted(set(baseline.round(5))) == pytest.approx(sorted(literal), abs=1e-5)


def test_tied_words_are_removed_in_random_order() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    areas = set()
    for seed in range(12):
        outcome = measure(
            model, TEXTS[3:4], (Removal(),), {}, Seeds(seed), 8, lambda done, total: None
        )
        areas.add(round(float(outcome["erasure"].values["area"][0]), 6))
    assert len(areas) == 2


def test_how_many_words_a_share_is() -> None:
    lengths = np.array([1, 2, 10, 30, 100])
    assert removed_count(lengths, 0.01).tolist() == [0, 1, 1, 1, 1]
    assert removed_count(lengths, 0.5).tolist() == [0, 1, 5, 15, 50]
    assert removed_count(lengths, 0.05).tolist() == [0, 1, 1, 2, 5]


def test_permutation_stays_within_the_extremes_and_near_the_moments() -> None:
    model = untrained("mlp(hidden=6)+additive")
    values = take(Permutation(permutations=4000, draws=1), model).values
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, alpha = trace.token_logits[0].double().numpy(), trace.attention[0].double().numpy()
        every = formulas.all_permuted_logits(z, alpha)
        own = formulas.probabilities(alpha @ z)
        far = [formulas.total_variation(own, formulas.probabilities(s)) for s in every]
        assert values["largest"][row] == pytest.approx(max(far), abs=1e-6)
        assert values["median"][row] <= values["largest"][row] + 1e-9
        # The median of 4000 draws lies within the middle tenth of all T! values, or on one of its
        # ends.
        low, high = np.quantile(far, 0.45, method="lower"), np.quantile(far, 0.55, method="higher")
        assert low - 1e-6 <= values["median"][row] <= high + 1e-6
        assert values["logit_mean"][row] == pytest.approx(every.mean(), abs=1e-5)
        assert values["logit_variance"][row] == pytest.approx(every.var(), abs=1e-5)
        assert (values["gap_low"][row], values["gap_high"][row]) == pytest.approx(
            (every.min(), every.max()), abs=1e-5
        )
        assert values["ratio"][row] == pytest.approx(values["median"][row] / values["largest"][row])


def test_the_drawn_attention_has_the_entropy_of_the_real_one() -> None:
    attention = np.array([[0.7, 0.2, 0.1, 0.0], [0.5, 0.5, 0.0, 0.0]])
    mask = np.array([[True, True, True, False], [True, True, True, True]])
    drawn = _drawn(attention, mask, np.array([3, 4]), 6, Seeds(0))
    assert entropy(drawn) == pytest.approx(np.broadcast_to(entropy(attention), (6, 2)), abs=1e-6)
    assert (drawn[:, ~mask] == 0).all()


def test_median_error_is_near_the_textbook_value() -> None:
    """For normal draws the median's standard error is about 1.2533 σ/√n."""
    sample = np.random.default_rng(0).normal(size=(4000, 100))
    assert median_error(sample).mean() == pytest.approx(1.2533 / 10, rel=0.1)
    assert np.median(sample, axis=1).std() == pytest.approx(1.2533 / 10, rel=0.05)


@pytest.mark.parametrize("count", [1, 2, 9, 40, 100, 1000])
def test_median_error_lies_between_the_ranks_that_hold_the_median_with_95_percent(
    count: int,
) -> None:
    """From the k-th smallest to the k-th largest, the median lies between with P(k ≤ B ≤ n − k)."""
    held = [k for k in range(1, count // 2 + 1) if 1 - 2 * binom.cdf(k - 1, count, 0.5) >= 0.95]
    between = count + 1 - 2 * max(held, default=1)
    assert median_error(np.arange(count)[None] + 0.0) == pytest.approx([between / (2 * 1.96)])


def test_equal_token_logits_leave_nothing_to_permute() -> None:
    model = untrained("mlp(hidden=6)+additive")
    with torch.no_grad():
        model.embedding.weight[1:] = model.embedding.weight[4]
    generator = np.random.default_rng(0)
    model.source = GivenWeights({e.index: generator.random(len(e.tokens)) for e in TEXTS})
    outcome = take(Permutation(), model)
    assert (outcome.values["largest"] < IMMOVABLE).all()
    assert outcome.undefined["ratio"] == {"no permutation moves the output": len(TEXTS)}
    assert (take(DecisionBounds(), model).values["proof"] == 1).all()


def test_flat_attention_has_no_permutation() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    assert take(Permutation(), model).undefined["ratio"] == {"flat attention": len(TEXTS)}


def test_reach_is_the_best_single_word_of_one_logit() -> None:
    model = untrained("bilstm(hidden=6)+additive")
    values = take(DecisionBounds(epsilon=0.2), model).values
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z = trace.token_logits[0].double().numpy()
        own = formulas.probabilities(trace.logits[0].double().numpy())
        far = max(formulas.total_variation(own, formulas.probabilities(zt)) for zt in z)
        assert values["low"][row] == values["high"][row] == pytest.approx(far, abs=1e-6)
        assert values["inert"][row] == (far <= 0.2)


def test_need_decodes_under_uniform_and_permuted_weights() -> None:
    model = untrained("mlp(hidden=6)+additive")
    values = take(AttentionNeed(permutations=30), model).values
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, alpha = trace.token_logits[0].double().numpy(), trace.attention[0].double().numpy()
        assert values["learned"][row] == (alpha @ z > 0)
        assert values["uniform"][row] == (z.mean() > 0)
        possible = {int(s > 0) for s in formulas.all_permuted_logits(z, alpha)[:, 0]}
        assert set(values["permuted"][row].tolist()) <= possible


def test_the_retrained_companion_is_the_one_asked() -> None:
    model = untrained("mlp(hidden=6)+additive")
    other = untrained("mlp(hidden=6)+additive", seed=8)
    torch.nn.init.zeros_(other.decoder.affine.weight)
    torch.nn.init.ones_(other.decoder.affine.bias)
    values = take(RetrainedUniform(), model, {"uniform": other}).values
    assert (values["retrained"] == 1).all()
    assert values["learned"].tolist() == take(Predictions(), model).values["predicted"].tolist()


def test_need_reports_the_decode_identity() -> None:
    model = untrained("mlp(hidden=6)+additive")
    assert take(AttentionNeed(), model).values["identity_error"].max() == 0

    class Broken:
        name, link, labels, origin, offers = (
            model.name,
            model.link,
            None,
            "elsewhere",
            model.offers - OURS,
        )
        collate, embed, trace = model.collate, model.embed, model.trace

        def decode(self, trace: object, attention: torch.Tensor) -> torch.Tensor:
            return model.decode(trace, attention) + 0.25

    assert take(AttentionNeed(), Broken()).values["identity_error"] == pytest.approx(0.25, abs=1e-6)


def test_the_floor_of_permutation_is_that_of_the_drawn_attention() -> None:
    """One word of four decides, and attention sits on it: most permutations lose it. Drawn weights
    mostly miss it.
    """
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights({0: np.array([0.94, 0.02, 0.02, 0.02])})
    with torch.no_grad():
        model.embedding.weight[1:] = model.embedding.weight[4]
        text = examples((4,))[0]
        model.embedding.weight[model.collate([text]).ids[0, 0]] += 3
    outcome = measure(
        model, [text], (Permutation(draws=40),), {}, Seeds(0), 8, lambda done, total: None
    )
    values = outcome["permutation"].values
    assert values["ratio"][0] > 0.95
    missed = values["ratio_floor"][0] < 0.5
    assert 0.5 < missed.mean() < 1  # a drawn peak falls on the deciding word about once in four
