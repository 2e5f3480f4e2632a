"""Weight × logit starts from even weights and adds up to the logit: against the model run by hand,
word by word.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.needs import needed
from sightline.core.protocols import Auditable, MeasureContext, Trace
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.signed_attribution import KEPT, SignedAttribution
from tests.adapters.offering import Offering
from tests.reference import adding
from tests.texts import examples, untrained

TEXTS = tuple(examples((7, 4, 12, 2, 1), classes=3))


def signs(model: Auditable, **more: object) -> Measurement:
    found = measure(
        model, TEXTS, (SignedAttribution(),), {}, Seeds(0), 3, lambda done, total: None, **more
    )["signs"]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize("boundaries", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_base_words_and_total_are_those_of_the_decoder_taken_apart(
    classes: int, boundaries: bool
) -> None:
    model = untrained("bilstm(hidden=6)+additive", classes, boundaries=boundaries).double()
    found = signs(model)
    maps = found.values["signed_contribution"]
    assert isinstance(maps, Ragged)
    for row, (text, words) in enumerate(zip(TEXTS, maps.rows(), strict=True)):
        base, each, total = adding.up(model, text)
        assert words == pytest.approx(each, abs=1e-9)
        assert found.values["base"][row] == pytest.approx(base, abs=1e-9)
        assert found.values["added"][row] == pytest.approx(sum(each), abs=1e-9)
        assert found.values["total"][row] == pytest.approx(total, abs=1e-9)
        assert base + sum(each) == pytest.approx(total, abs=1e-9)
    assert np.asarray(found.values["apart"]).max() < 1e-12
    assert np.asarray(found.values["classes"]).tolist() == [classes] * len(TEXTS)
    assert found.undefined == {}


def test_of_two_classes_the_total_is_the_log_odds_of_the_decision() -> None:
    model = untrained("mlp(hidden=6)+additive").double()
    logits = np.array([float(model.trace(model.collate([text])).logits[0, 0]) for text in TEXTS])
    assert np.asarray(signs(model).values["total"]) == pytest.approx(np.abs(logits), abs=1e-9)


class Crooked(Offering):
    """A model whose logits are not the mixture of its token logits in texts longer than ten
    words.
    """

    def trace(self, batch, embeddings=None) -> Trace:
        own = super().trace(batch, embeddings)
        return replace(own, logits=own.logits + 0.01 * (batch.mask.sum(1, keepdim=True) > 10))


def test_where_the_words_do_not_add_up_nothing_is_said_and_the_texts_are_counted() -> None:
    model = untrained("bilstm(hidden=6)+additive").double()
    found = signs(Crooked(model, "decode", "token_logits", "embedding_grad"))
    off = [len(text.tokens) > 10 for text in TEXTS]
    for name in ("base", "added", "total"):
        assert np.isnan(np.asarray(found.values[name])).tolist() == off
        assert found.undefined[name] == {"off by more than rounding": 1}
    assert np.asarray(found.values["apart"])[2] == pytest.approx(0.01, abs=1e-9)


def test_an_answer_that_is_certain_has_no_sum() -> None:
    model = untrained("mlp(hidden=6)+additive", 3).double()
    alone = torch.tensor([0.0, -torch.inf, -torch.inf])

    class Certain(Offering):
        def trace(self, batch, embeddings=None) -> Trace:
            own = super().trace(batch, embeddings)
            allowed = replace(batch, candidates=torch.isfinite(alone).expand(len(batch), 3))
            logits, each = own.logits + alone, own.token_logits + alone
            return replace(own, batch=allowed, logits=logits, token_logits=each)

    found = signs(Certain(model, "decode", "token_logits", "embedding_grad"))
    assert np.isnan(np.asarray(found.values["total"])).all()
    assert found.undefined["total"] == {"one candidate": len(TEXTS)}


def test_every_map_is_kept_as_it_was_made() -> None:
    model = untrained("bilstm(hidden=6)+additive", 3).double()
    given = {text.id: np.arange(len(text.tokens), dtype=float) for text in TEXTS}
    sides = {name: values - 1 for name, values in given.items()}
    found = signs(model, given=given, signed=sides)
    maps = AttributionMaps(
        MeasureContext(model, texts=TEXTS, given=given, signed=sides),
        model.trace(model.collate(TEXTS)),
        Seeds(0),
    )
    for name in KEPT:
        kept = found.values[name]
        assert isinstance(kept, Ragged)
        assert kept.flat == pytest.approx(maps[name][maps.words.mask], abs=1e-9, nan_ok=True)
    assert not {"given", "signed_given"} & set(signs(model).values)


def test_what_a_model_does_not_offer_is_missing_and_nothing_else() -> None:
    whole = signs(untrained("bilstm(hidden=6)+additive"))
    little = signs(Offering(untrained("bilstm(hidden=6)+additive")))
    assert list(little.values) == ["signed_deletion"]
    assert set(little.missing) == set(whole.values) - set(little.values)
    assert little.missing["base"] == little.missing["contribution"] == needed({"token_logits"})
    assert little.missing["signed_gradient"] == needed({"embedding_grad"})
