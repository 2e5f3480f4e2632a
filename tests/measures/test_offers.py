"""What can be asked of a model that offers little: the references it allows, as those of the same
model opened.
"""

import re

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.needs import needed
from sightline.core.protocols import Capability
from sightline.core.results import Measurement, NotRun
from sightline.core.seeds import Seeds
from sightline.measures.agreement import REFERENCES, Agreement
from sightline.measures.polarity import Polarity
from sightline.measures.punctuation import Punctuation
from sightline.measures.word_type_control import WordTypeControl
from tests.adapters.offering import Offering
from tests.adapters.plain import wrapped
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 12, 2, 20))
MODEL = untrained("bilstm(hidden=6)+additive").double()
ALL: tuple[Capability, ...] = ("decode", "token_logits", "embedding_grad")
KINDS = ("captured", "chance", "draws", "tau", "significant", "mass", "mass_chance")


def agreement(model: object, **settings: object) -> Measurement:
    outcome = measure(
        model, TEXTS, (Agreement(**settings),), {}, Seeds(0), 8, lambda done, total: None
    )["agreement"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


def test_a_model_that_offers_nothing_has_deletion() -> None:
    whole, little = agreement(MODEL), agreement(Offering(MODEL))
    assert set(little.values) == {
        "words", "constant", "unanswered", "disagreement", "deletion", *(f"{kind}.deletion" for kind in KINDS)
    }  # fmt: skip
    for kind in KINDS:
        found, known = little.values[f"{kind}.deletion"], whole.values[f"{kind}.deletion"]
        assert found == pytest.approx(
            known, rel=1e-5, nan_ok=True
        )  # float32, summed in another order
    assert little.values["disagreement"] == pytest.approx(
        1 - whole.values["captured.deletion"], nan_ok=True
    )
    assert little.missing["captured.gradient"] == needed({"embedding_grad"})
    assert (
        little.missing["captured.free_deletion"]
        == little.missing["coupling.deletion"]
        == needed({"decode"})
    )
    assert little.missing["captured.free"] == needed({"decode", "embedding_grad"})
    assert little.missing["captured.references"] == needed({"embedding_grad"})
    assert "gradient" not in little.settings


def test_gradients_alone_run_through_the_weights() -> None:
    whole, little = agreement(MODEL), agreement(Offering(MODEL, "embedding_grad"))
    assert little.values["gradient"].flat == pytest.approx(
        whole.values["gradient_through"].flat, rel=1e-5
    )
    assert np.abs(little.values["gradient"].flat - whole.values["gradient"].flat).max() > 1e-4
    assert little.values["captured.references"].shape == (5,)
    assert [little.settings["attention"], whole.settings["attention"]] == ["through", "held"]
    assert (
        little.missing["gradient_through"]
        == little.missing["captured.free_gradient"]
        == needed({"decode"})
    )


@pytest.mark.parametrize(
    "offers", [(), ("decode",), ("embedding_grad",), ("decode", "embedding_grad"), ALL]
)
def test_what_is_not_measured_is_missing_and_nothing_else(offers: tuple[Capability, ...]) -> None:
    whole, little = agreement(MODEL), agreement(Offering(MODEL, *offers))
    assert set(little.missing) == set(whole.values) - set(little.values)
    assert not whole.missing
    assert all(
        (named := set(re.findall(r"\((\w+)\)", reason))) and named <= set(ALL) - set(offers)
        for reason in little.missing.values()
    )


def test_a_wrapped_module_without_decode_is_asked() -> None:
    module = wrapped(MODEL, decode=None, token_logits=None)
    outcome = agreement(module)
    assert {"captured.gradient", "captured.deletion"} <= set(outcome.values)
    assert set(outcome.missing) & set(REFERENCES) == {
        "gradient_through",
        "free_gradient",
        "free_deletion",
    }
    taken = measure(
        module, TEXTS, (Polarity(), Punctuation()), {}, Seeds(0), 8, lambda done, total: None
    )
    assert all(isinstance(one, Measurement) for one in taken.values()), taken
    assert taken["marks"].missing == {"without": needed({"decode"})}


def test_word_types_need_the_free_references() -> None:
    taken = measure(
        Offering(MODEL), TEXTS, (WordTypeControl(),), {}, Seeds(0), 8, lambda done, total: None
    )
    assert taken["types"] == NotRun("types", needed({"decode", "embedding_grad"}))
