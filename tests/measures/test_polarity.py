"""Which way words speak: against texts really shortened, and where the answer is known."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.protocols import Auditable, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.importance import deletion_importance
from sightline.measures.polarity import Polarity
from sightline.models.alterations import UnusedShown
from sightline.models.attention import GivenWeights, Uniform
from tests.reference import asked
from tests.texts import examples, sharpened, untrained

TEXTS = examples((7, 4, 12, 2, 1, 20))


class Shown(UnusedShown):
    """Show given weights, which the model does not use: so the effect of a word stays the same."""

    def __init__(self, model: Auditable, weights: Sequence[Sequence[float]]) -> None:
        super().__init__(model)
        self.given = GivenWeights({n: np.array(one) for n, one in enumerate(weights)})

    def shown(self, own: Trace) -> torch.Tensor:
        return self.given(own.attention, own.batch)


def take(model: object, texts: list = TEXTS, asks: Polarity | None = None) -> Measurement:
    outcome = measure(
        model, texts, (asks or Polarity(),), {}, Seeds(0), 3, lambda done, total: None
    )["polarity"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_text_run_again_without_each_word(classes: int) -> None:
    model = sharpened(untrained("bilstm(hidden=6)+additive", classes))
    values = take(model).values
    trace = model.trace(model.collate(TEXTS))
    signed = deletion_importance(model, trace, {})["signed"]
    for row, text in enumerate(TEXTS):
        if len(text.tokens) == 1:
            assert np.isnan([values["top"][row], values["random"][row]]).all()
            continue
        weights = trace.attention[row, : len(text.tokens)].tolist()
        effects = asked.signed_deletion(model, text)
        assert signed[row, : len(text.tokens)] == pytest.approx(effects, abs=1e-4)
        top, everywhere = asked.polarity(weights, effects, max(1, len(weights) // 10))
        assert (values["top"][row], values["random"][row]) == pytest.approx(
            (top, everywhere), abs=1e-6
        )


def test_words_that_change_nothing_do_not_speak_against() -> None:
    model = untrained("mlp(hidden=6)+additive").double()  # as an audit asks it
    torch.nn.init.zeros_(model.decoder.affine.weight)
    values = take(model).values
    assert (
        np.nan_to_num(values["top"], nan=1).tolist()
        == np.nan_to_num(values["random"], nan=1).tolist()
        == [1] * 6
    )


def test_reasons() -> None:
    model = untrained("mlp(hidden=6)+additive")
    assert take(model).undefined == {"top": {"one word": 1}, "random": {"one word": 1}}
    model.source = Uniform()
    undefined = take(model).undefined
    assert undefined["top"] == {"one word": 1, "constant attention": 5}


def test_scaling_the_logits_changes_nothing() -> None:
    model = untrained("bilstm(hidden=6)+additive")
    before = take(model).values
    with torch.no_grad():
        model.decoder.affine.weight *= 0.25
        model.decoder.affine.bias *= 0.25
    after = take(model).values
    for name in ("top", "random"):
        assert after[name] == pytest.approx(before[name], abs=1e-6, nan_ok=True)


def test_random_is_top_over_all_permutations_of_the_weights() -> None:
    """The floor of the paired contrast is exact: on average, permuted weights lie on as many words
    as there are.
    """
    orders = [*permutations([0.4, 0.3, 0.2, 0.1])]
    texts = [replace(TEXTS[1], index=number) for number in range(len(orders))]
    shown = Shown(sharpened(untrained("bilstm(hidden=6)+additive")), orders)
    values = take(shown, texts, Polarity(share=0.5)).values
    chance = values["random"][0]
    assert 0 < chance < 1
    assert values["random"] == pytest.approx(np.full(len(orders), chance))
    assert len({round(one, 9) for one in values["top"]}) > 3
    assert np.mean(values["top"]) == pytest.approx(chance)
