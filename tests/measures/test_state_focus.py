"""Whose word a state rests on, and on how many: an MLP on one, and what is averaged is averaged
over the right states.
"""

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.protocols import Measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.state_focus import MixingOtherwise, StateFocus
from sightline.models.classifier import AttentionClassifier
from tests.reference import states as literal
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))
ONE = {"one word": 1}


def taken(
    one: Measure, model: AttentionClassifier, texts: list = TEXTS, **companions: object
) -> Measurement:
    found = measure(model, texts, (one,), companions, Seeds(0), 4, lambda done, total: None)[
        one.code
    ]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize(
    "spec", ["bilstm(hidden=6)+additive", "transformer(hidden=8,layers=1)+additive"]
)
def test_shares_and_spread_are_those_of_each_text_alone(spec: str) -> None:
    """SL-403, and what stands beside SL-402."""
    model = untrained(spec).double()
    found = taken(StateFocus(), model)
    for row, text in enumerate(TEXTS):
        size = len(text.tokens)
        if size == 1:
            continue
        importance = literal.importance(model, text)
        own = np.diag(importance) / importance.sum(1)
        weights = model.trace(model.collate([text])).attention[0].numpy()
        assert found.values["own"][row] == pytest.approx(float(weights @ own))
        assert found.values["own_plain"][row] == pytest.approx(own.mean())
        assert found.values["even"][row] == pytest.approx(1 / size)
        spread = np.mean([literal.evenness(state) for state in importance])
        assert found.values["entropy"][row] == pytest.approx(spread)
        assert found.values["focus"][row] == pytest.approx(1 - spread)
        assert found.values["spread"][row] == 0
    assert found.undefined == dict.fromkeys(
        ("own", "own_plain", "even", "entropy", "focus", "spread"), ONE
    )


def test_of_some_texts_the_numbers_are_those_of_all_of_them() -> None:
    model = untrained("bilstm(hidden=6)+additive").double()
    whole, some = taken(StateFocus(), model), taken(StateFocus(focus_texts=2), model)
    drawn = ~np.isnan(some.values["focus"]) | (some.values["words"] == 1)
    assert drawn.sum() >= 2
    assert np.isnan(some.values["focus"]).sum() >= len(TEXTS) - 2
    known = ~np.isnan(some.values["focus"])
    for name in ("own", "own_plain", "entropy", "focus"):
        assert some.values[name][known] == pytest.approx(whole.values[name][known])
    counted = some.undefined["focus"]["not among the 2 texts that were drawn"]
    assert counted == len(TEXTS) - 2
    assert taken(StateFocus(focus_texts=len(TEXTS)), model).undefined == whole.undefined


def test_in_an_mlp_a_state_rests_on_its_own_word_exactly() -> None:
    found = taken(StateFocus(), untrained("mlp(hidden=6)+additive")).values
    several = found["words"] > 1
    assert found["own_plain"][several].tolist() == [1.0] * 5
    assert found["own"][several] == pytest.approx(
        1.0, abs=1e-12
    )  # weights sum to one up to rounding
    assert found["entropy"][several].tolist() == [0.0] * 5


def test_states_that_nothing_moves_are_counted() -> None:
    model = untrained("cnn(channels=4)+additive")
    for convolution in model.encoder.convolutions:
        torch.nn.init.constant_(convolution.bias, -100.0)  # every ReLU is shut
    found = taken(StateFocus(), model)
    assert found.values["unmoved"].tolist() == [7, 1, 4, 12, 2, 9]
    assert found.undefined["own"] == ONE | {"no word moves a state that is attended to": 5}


def test_the_untrained_companion_is_measured_as_itself() -> None:
    model, other = (
        untrained("bilstm(hidden=6)+additive"),
        untrained("bilstm(hidden=6)+additive", seed=8),
    )
    found, alone = taken(StateFocus(), model, untrained=other), taken(StateFocus(), other)
    for name in ("own", "focus"):
        assert found.values[f"{name}.untrained"] == pytest.approx(alone.values[name], nan_ok=True)
        assert alone.missing[f"{name}.untrained"] == "needs a control model (untrained)"
    assert found.missing == {}


def test_by_deletion_and_by_every_number_of_a_state() -> None:
    model = untrained("bilstm(hidden=3)+additive").double()
    found = taken(MixingOtherwise(), model, TEXTS[2:5:2])
    for row, text in enumerate(TEXTS[2:5:2]):
        removed = np.array(
            [literal.removal(model, text, word) for word in range(len(text.tokens))]
        ).T
        assert found.values["entropy.deletion"][row] == pytest.approx(
            np.mean([*map(literal.evenness, removed)])
        )
    assert ((found.values["entropy.facets"] > 0) & (found.values["entropy.facets"] < 1)).all()
    known = taken(MixingOtherwise(), untrained("mlp(hidden=6)+additive"))
    assert known.values["own.facets"] == pytest.approx([1, np.nan, 1, 1, 1, 1], nan_ok=True)
    assert known.values["entropy.deletion"] == pytest.approx(
        [0, np.nan, 0, 0, 0, 0], nan_ok=True, abs=1e-6
    )
    assert known.undefined == dict.fromkeys(
        ("entropy.deletion", "entropy.facets", "own.facets"), ONE
    )
