"""Other weights against the references free of attention: those of other word types, and those of a
companion.
"""

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import Measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures import attribution_maps
from sightline.measures.agreement import Agreement
from sightline.measures.batch_words import type_number
from sightline.measures.frozen_attention import FrozenAttention
from sightline.measures.importance import deletion_importance
from sightline.measures.word_type_control import WordTypeControl
from sightline.models.attention import GivenWeights, Uniform
from sightline.numerics.ties import NOISE, NOTHING, TIE, VISIBLE
from tests.reference import asked, formulas, moving, ties
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 2, 5, 1))


def take(
    one: Measure, model: object, texts: list[Example] = TEXTS, batch: int = 8, **companions: object
) -> Measurement:
    outcome = measure(model, texts, (one,), companions, Seeds(0), batch, lambda done, total: None)[
        one.code
    ]
    assert isinstance(outcome, Measurement), outcome
    return outcome


def captured(weights: list[float], references: list[np.ndarray], count: int, index: int) -> float:
    seen = ties.apart(weights, VISIBLE, NOISE, TIE, NOTHING, moving.border(index))
    return float(np.mean([formulas.captured(seen, reference, count) for reference in references]))


def test_types_exchange_their_mean_weights() -> None:
    model = untrained("mlp(hidden=6)+additive")
    ours = take(WordTypeControl(permutations=3), model, batch=2).values["free"]
    references = take(Agreement(), model).values
    weights = [model.trace(model.collate([text])).attention[0].double().numpy() for text in TEXTS]
    mean = asked.mean_even_share([(text.tokens, w) for text, w in zip(TEXTS, weights, strict=True)])
    types = sorted(mean, key=type_number)  # the order in which the permutations are drawn
    drawn = []
    for draw in range(3):
        order = Seeds(0).generator("types", draw).permutation(len(types))
        drawn.append({word: mean[types[order[place]]] for place, word in enumerate(types)})
    assert any(one[word] != mean[word] for one in drawn for word in types)
    for row, text in enumerate(TEXTS[:5]):
        free = [references[name].rows()[row] for name in ("free_gradient", "free_deletion")]
        literal = [
            captured([one[word] for word in text.tokens], free, 1, text.index) for one in drawn
        ]
        assert ours[row] == pytest.approx(np.mean(literal), abs=1e-6)
    assert np.isnan(ours[5])


def test_an_exchanged_map_that_ranks_no_word_of_a_text_is_left_out_there() -> None:
    """Attention on one word of each text alone: most exchanges leave some text without weights."""
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights({t.index: np.eye(len(t.tokens))[0] for t in TEXTS})
    draws = 6
    whole = take(WordTypeControl(permutations=draws), model).values["free"]
    drawn = {
        text.index: [
            captured(weights, free, 1, text.index)
            for draw in range(draws)
            if len(set(weights := exchanged(model, draw)[text.index])) > 1
        ]
        for row, text in enumerate(TEXTS[:5])
        for free in [
            [
                take(Agreement(), model).values[name].rows()[row]
                for name in ("free_gradient", "free_deletion")
            ]
        ]
    }
    assert any(0 < len(known) < draws for known in drawn.values())
    for row, text in enumerate(TEXTS[:5]):
        known = drawn[text.index]
        expected = np.mean(known) if known else np.nan
        assert whole[row] == pytest.approx(expected, abs=1e-6, nan_ok=True)


def exchanged(model: object, draw: int) -> dict[int, list[float]]:
    """Give each word the mean weight of the type that a draw puts in its place."""
    weights = [model.trace(model.collate([text])).attention[0].double().numpy() for text in TEXTS]
    mean = asked.mean_even_share([(text.tokens, w) for text, w in zip(TEXTS, weights, strict=True)])
    types = sorted(mean, key=type_number)  # the order in which the permutations are drawn
    order = Seeds(0).generator("types", draw).permutation(len(types))
    given = {word: mean[types[order[place]]] for place, word in enumerate(types)}
    return {text.index: [given[word] for word in text.tokens] for text in TEXTS}


def test_a_favourite_of_all_texts_is_handed_on() -> None:
    """All weight is on one type: after the exchange on another, so what is captured is what chance
    gives, on average.
    """
    model = untrained("mlp(hidden=6)+additive")
    texts = examples((12, 12, 12, 12, 12, 12))
    favourite = texts[0].tokens[0]
    model.source = GivenWeights(
        {t.index: np.array([1.0 if w == favourite else 1e-3 for w in t.tokens]) for t in texts}
    )
    baseline = take(WordTypeControl(permutations=60), model, texts).values["free"]
    chance = take(Agreement(), model, texts).values["chance.free"]
    known = ~np.isnan(chance)  # texts without the favourite have even weights
    assert known.any()
    assert np.mean(baseline[known]) == pytest.approx(np.mean(chance[known]), abs=0.12)


def test_even_attention_has_no_floor() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = Uniform()
    assert take(WordTypeControl(), model).undefined["free"] == {
        "one word": 1,
        "constant attention": 5,
    }


def test_words_are_deleted_once_whichever_measure_is_asked_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, made = untrained("mlp(hidden=6)+additive"), []
    monkeypatch.setattr(
        attribution_maps,
        "deletion_importance",
        lambda *asked: made.append(1) or deletion_importance(*asked),
    )
    for both in ((WordTypeControl(), Agreement()), (Agreement(), WordTypeControl())):
        made.clear()
        measure(model, TEXTS, both, {}, Seeds(0), 8, lambda done, total: None)
        assert len(made) == 1


def test_the_frozen_companion_is_compared_with_its_own_references() -> None:
    model, other = untrained("mlp(hidden=6)+additive"), untrained("mlp(hidden=6)+additive", seed=8)
    taken = take(FrozenAttention(), model, frozen=other)
    own = take(Agreement(), other).values
    assert taken.values["captured"] == pytest.approx(own["captured.free"], abs=1e-6, nan_ok=True)
    assert taken.values["chance"] == pytest.approx(own["chance.free"], abs=1e-6, nan_ok=True)
    assert taken.undefined == {"captured": {"one word": 1}, "chance": {"one word": 1}}
    assert taken.values["captured"][:5] != pytest.approx(
        take(Agreement(), model).values["captured.free"][:5], abs=1e-3
    )


def test_the_companion_leaves_the_maps_of_the_model_alone() -> None:
    model, other = untrained("mlp(hidden=6)+additive"), untrained("mlp(hidden=6)+additive", seed=8)
    both = (FrozenAttention(), Agreement())
    taken = measure(model, TEXTS, both, {"frozen": other}, Seeds(0), 8, lambda done, total: None)[
        "agreement"
    ]
    alone = take(Agreement(), model)
    for name in ("gradient", "free_deletion"):
        assert taken.values[name].flat == pytest.approx(alone.values[name].flat, nan_ok=True)
        assert taken.values[f"mass.{name}"] == pytest.approx(
            alone.values[f"mass.{name}"], nan_ok=True
        )
