"""What a model loses under other weights: log-odds, against constant weights, and whether weights
are used at all.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.attention_need import AttentionNeed
from sightline.models.alterations import RandomShown
from sightline.models.attention import GivenWeights, Uniform
from sightline.numerics.relative_positions import CELLS, recut
from tests.reference import asked
from tests.texts import evened, examples, sharpened, untrained

TEXTS = examples((7, 4, 6, 2, 5))


def take(model: object, texts: list[Example] = TEXTS, batch_size: int = 2) -> Measurement:
    outcome = measure(
        model, texts, (AttentionNeed(),), {}, Seeds(0), batch_size, lambda done, total: None
    )["need"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 12), st.integers(0, 99))
def test_constant_weights_are_the_literal_ones(lengths: list[int], length: int, seed: int) -> None:
    generator, cells = np.random.default_rng(seed), 12
    texts = [generator.dirichlet(np.ones(n)) for n in lengths]
    ours = recut(np.mean([recut(weights, cells) for weights in texts], axis=0), length)
    assert ours == pytest.approx(asked.constant_weights(texts, length, cells), abs=1e-9)
    assert ours.sum() == pytest.approx(1)


@given(st.integers(1, 10), st.integers(0, 9))
def test_texts_of_few_words_give_back_what_they_have(length: int, seed: int) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(length))
    assert recut(recut(weights, CELLS), length) == pytest.approx(weights)


@pytest.mark.parametrize("classes", [2, 3])
def test_log_odds_lost_are_those_of_the_mixtures(classes: int) -> None:
    model = untrained("mlp(hidden=6)+additive", classes)
    values = take(model).values
    traces = [model.trace(model.collate([text])) for text in TEXTS]
    weights = [trace.attention[0].double().numpy() for trace in traces]
    for row, trace in enumerate(traces):
        z, n = trace.token_logits[0].double().numpy(), len(TEXTS[row].tokens)
        own = weights[row] @ z
        chosen = int(own.argmax()) if classes > 2 else int(own[0] > 0)
        constant = asked.constant_weights(weights, n, CELLS) @ z
        for name, other in (("uniform", z.mean(0)), ("constant", constant)):
            lost = asked.odds_of_logits(own, chosen) - asked.odds_of_logits(other, chosen)
            assert values[f"{name}_odds"][row] == pytest.approx(lost, abs=1e-4)
            assert values[name][row] == (int(other.argmax()) if classes > 2 else int(other[0] > 0))
        assert values["moved"][row] >= np.abs(own - z.mean(0)).max() - 1e-5


@pytest.mark.parametrize("classes", [2, 3])
def test_permuted_weights_decide_as_the_mixtures_of_the_drawn_orders(classes: int) -> None:
    model = evened(sharpened(untrained("mlp(hidden=6)+additive", classes)), TEXTS)
    values = take(model).values
    draws = values["permuted"].shape[1]
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, weights = trace.token_logits[0].numpy(), trace.attention[0].numpy()
        places = np.tile(np.arange(len(text.tokens)), (draws, 1))
        orders = Seeds(0).generator("need", text.index).permuted(places, axis=1)
        mixed = [weights[order] @ z for order in orders]
        own = weights @ z
        chosen = int(own.argmax()) if classes > 2 else int(own[0] > 0)
        assert values["learned"][row] == chosen
        assert values["permuted"][row].tolist() == [
            int(one.argmax()) if classes > 2 else int(one[0] > 0) for one in mixed
        ]
        lost = asked.odds_of_logits(own, chosen) - np.mean(
            [asked.odds_of_logits(one, chosen) for one in mixed]
        )
        assert values["permuted_odds"][row] == pytest.approx(lost, abs=1e-8)
    shares = (values["permuted"] == values["learned"][:, None]).mean(axis=1)
    assert shares.min() < shares.max()  # some decisions depend on the order


def test_weights_that_are_shown_and_not_used_move_nothing() -> None:
    shown = RandomShown(
        untrained("bilstm(hidden=6)+additive"), Dataset("", (), (), (), ("a", "b"), {}), 0
    )
    assert (take(shown).values["moved"] == 0).all()


@pytest.mark.parametrize("source", ["learned", "uniform"])
def test_weights_that_are_used_move_something(source: str) -> None:
    """Uniform ones too, although no permutation changes them: all the weight is put on one word as
    well.
    """
    model = untrained("mlp(hidden=6)+additive")
    if source == "uniform":
        model.source = Uniform()
    assert (take(model).values["moved"] > 1e-3).all()


def test_constant_attention_is_found_to_be_constant() -> None:
    """Half of the weight on the last word of every text: constant weights lose nothing, uniform
    ones do.
    """
    model = untrained("mlp(hidden=6)+additive")
    texts = examples((6, 6, 6, 6))
    model.source = GivenWeights({t.index: np.array([0.1] * 5 + [0.5]) for t in texts})
    values = take(model, texts).values
    assert values["constant_odds"] == pytest.approx(np.zeros(4), abs=1e-5)
    assert np.abs(values["uniform_odds"]).min() > 1e-3


def test_reasons() -> None:
    model = untrained("mlp(hidden=6)+additive+query", 4)
    sizes = (3, 1, 4)
    texts = [replace(t, query=t.tokens[:1], candidates=(0, 2)) for t in examples(sizes)]
    texts[2] = replace(texts[2], candidates=(2,), label=2)
    outcome = take(model, texts)
    certain = {"a single candidate": 1}
    names = ("uniform_odds", "permuted_odds", "constant_odds")
    assert outcome.undefined == {**dict.fromkeys(names, certain), "moved": {"one word": 1}}
    assert torch.isfinite(torch.tensor(outcome.values["uniform_odds"])).tolist() == [
        True,
        True,
        False,
    ]
