"""Top weights at zero, one at a time and together: against the formula, and where the difference
must be 0.
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.compensation import Compensation
from sightline.models.classifier import AttentionClassifier
from tests.measures.queries import asked
from tests.reference.formulas import probabilities
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 25))


def take(model: AttentionClassifier, texts: list, **settings: float) -> Measurement:
    found = measure(
        model, texts, (Compensation(**settings),), {}, Seeds(0), 4, lambda done, total: None
    )["repair"]
    assert isinstance(found, Measurement), found
    return found


def odds(logits: np.ndarray, chosen: int) -> float:
    p = probabilities(logits)
    return float(np.log(p[chosen]) - np.log(p.sum() - p[chosen]))


def lost(model: AttentionClassifier, text: Example, gone: list[int], *, scaled: bool) -> float:
    """Log-odds of the decided class that are lost with some weights at zero, by the formula of the
    model.
    """
    trace = model.trace(model.collate([text]))
    alpha, states = trace.attention[0].numpy(), trace.pooled[0].numpy()
    weights, bias = (
        one.detach().numpy() for one in (model.decoder.affine.weight, model.decoder.affine.bias)
    )
    whole, left = alpha @ states @ weights.T + bias, alpha.copy()
    left[gone] = 0
    chosen = int(probabilities(whole).argmax())
    return odds(whole, chosen) - odds(
        (left / left.sum() if scaled else left) @ states @ weights.T + bias, chosen
    )


@pytest.mark.parametrize("classes", [2, 4])
def test_each_number_is_that_of_its_formula(classes: int) -> None:
    model = untrained("bilstm(hidden=6)+additive", classes).double()
    values = take(model, TEXTS, share=0.2).values
    for row, text in enumerate(TEXTS):
        if len(text.tokens) < 3:
            continue
        alpha = model.trace(model.collate([text])).attention[0].numpy()
        top = np.argsort(-alpha)[: max(2, int(0.2 * len(alpha) + 0.5))].tolist()
        assert values["top"][row] == len(top)
        for how in ("zeroed", "scaled"):
            singly = sum(lost(model, text, [word], scaled=how == "scaled") for word in top)
            jointly = lost(model, text, top, scaled=how == "scaled")
            assert values[f"singly.{how}"][row] == pytest.approx(singly, abs=1e-9)
            assert values[f"jointly.{how}"][row] == pytest.approx(jointly, abs=1e-9)
            assert values[f"gap.{how}"][row] == pytest.approx(singly - jointly, abs=1e-9)


def test_in_an_affine_decoder_nothing_makes_up_for_a_word_unless_weights_are_scaled() -> None:
    values = take(untrained("bilstm(hidden=6)+additive").double(), TEXTS).values
    known = ~np.isnan(values["gap.zeroed"])
    assert known.sum() == 4
    assert values["gap.zeroed"][known] == pytest.approx(np.zeros(4), abs=1e-9)
    assert (np.abs(values["gap.scaled"][known]) > 1e-6).all()


def test_a_decoder_that_is_not_affine_has_a_gap() -> None:
    found = take(untrained("mlp(hidden=6)+additive+query", 4).double(), asked())
    known = ~np.isnan(found.values["gap.zeroed"])
    assert (np.abs(found.values["gap.zeroed"][known]) > 1e-6).all()


def test_texts_that_cannot_lose_two_weights_are_counted() -> None:
    found = take(untrained("mlp(hidden=6)"), TEXTS)
    assert found.undefined["gap.zeroed"] == found.undefined["jointly.scaled"]
    assert found.undefined["gap.zeroed"] == {"fewer than three words with weight": 2}
    certain = [replace(one, candidates=(2,), label=2) for one in asked()]
    found = take(untrained("mlp(hidden=6)+additive+query", 4), certain)
    assert found.undefined["gap.scaled"] == {
        "fewer than three words with weight": 2,
        "one candidate": 4,
    }
