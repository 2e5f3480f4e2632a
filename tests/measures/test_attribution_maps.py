"""The maps that could be shown instead of attention, against closed forms, finite differences and
single runs.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.protocols import MeasureContext
from sightline.core.results import Failed
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.transfer.transfer import Transfer
from sightline.models.classifier import AttentionClassifier
from tests.reference import moving
from tests.reference.formulas import without
from tests.snapshots import same_text
from tests.texts import examples, untrained

TEXTS = tuple(examples((7, 4, 12, 2), classes=3))


def maps_of(model: AttentionClassifier, **more: object) -> AttributionMaps:
    return AttributionMaps(
        MeasureContext(model, texts=TEXTS, **more), model.trace(model.collate(TEXTS)), Seeds(0)
    )


def test_contributions_add_up_to_what_attention_adds_to_the_flat_answer() -> None:
    model = untrained("bilstm(hidden=6)+additive", boundaries=True).double()
    maps = maps_of(model)
    own = model.decode(maps.trace, maps.trace.attention)[:, 0]
    flat = model.decode(maps.trace, maps.flat)[:, 0]
    side = torch.where(own > 0, 1.0, -1.0)
    assert maps["signed_contribution"].sum(1) == pytest.approx(
        (side * (own - flat)).detach().numpy(), abs=1e-9
    )
    assert np.array_equal(maps["contribution"], np.abs(maps["signed_contribution"]))
    alpha, z = maps.trace.attention[0].numpy(), maps.trace.token_logits[0, :, 0].numpy()
    literal = [
        float(side[0]) * alpha[t] * (z[t] - z[1:8].mean()) for t in range(1, 8)
    ]  # between the boundaries
    assert maps["signed_contribution"][0, maps.words.mask[0]] == pytest.approx(literal, abs=1e-9)


def test_of_several_classes_a_contribution_goes_the_way_of_the_log_odds() -> None:
    model = untrained("mlp(hidden=6)+additive", 3).double()
    maps, step = maps_of(model), 1e-6
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, alpha, s = (
            one[0].numpy() for one in (trace.token_logits, trace.attention, trace.logits)
        )
        chosen = int(s.argmax())

        def odds(logits: np.ndarray, chosen: int = chosen) -> float:
            return float(
                logits[chosen] - np.log(sum(np.exp(x) for c, x in enumerate(logits) if c != chosen))
            )

        moves = [alpha[t] * (z[t] - z.mean(0)) for t in range(len(text.tokens))]
        literal = [(odds(s + step * move) - odds(s - step * move)) / (2 * step) for move in moves]
        assert maps["signed_contribution"][row, maps.words.mask[row]] == pytest.approx(
            literal, abs=1e-6
        )


@pytest.mark.parametrize("classes", [2, 3])
def test_signed_deletion_is_what_the_log_odds_lose_without_the_word(classes: int) -> None:
    model = untrained("bilstm(hidden=6)+additive", classes).double()
    maps = maps_of(model)
    for row, text in enumerate(TEXTS):
        chosen = int(moving.probabilities(moving.logits(model, text)).argmax())
        whole = moving.log_odds(model, text, chosen)
        literal = [
            whole - moving.log_odds(model, without(text, {t}), chosen)
            for t in range(len(text.tokens))
        ]
        assert maps["signed_deletion"][row, maps.words.mask[row]] == pytest.approx(
            literal, abs=1e-9
        )
    assert (maps["signed_deletion"][maps.words.mask] < 0).any()


def test_a_signed_gradient_keeps_its_sign() -> None:
    """States of an MLP do not see each other: with weights held, a word's slope is that of its own
    logit.
    """
    model = untrained("mlp(hidden=6)+additive").double()
    maps, step = maps_of(model), 1e-5
    trace = maps.trace
    ends = [
        model.trace(trace.batch, trace.embeddings * (1 + sign * step)).token_logits[..., 0]
        for sign in (1, -1)
    ]
    side = torch.where(trace.logits > 0, 1.0, -1.0)
    slopes = (side * trace.attention * (ends[0] - ends[1]) / (2 * step)).detach().numpy()
    assert maps["signed_gradient"][maps.words.mask] == pytest.approx(
        slopes[maps.words.mask], abs=1e-6
    )
    assert (slopes[maps.words.mask] < -1e-3).any()
    assert np.array_equal(maps["gradient"], np.abs(maps["signed_gradient"]))


def test_rivals_are_the_maps_that_a_model_can_give() -> None:
    model = untrained("mlp(hidden=6)+additive")
    signed = ("signed_gradient", "signed_deletion", "signed_contribution")
    assert rivals(MeasureContext(model)) == (
        "attention",
        "gradient",
        "deletion",
        "contribution",
        *signed,
    )
    assert rivals(MeasureContext(model, given={"t0": np.zeros(7)}))[4:] == ("given", *signed)
    assert rivals(MeasureContext(model, signed={"t0": np.zeros(7)}))[4:] == (
        *signed,
        "signed_given",
    )
    model.__class__ = type(
        "Shut", (AttentionClassifier,), {"offers": frozenset({"embedding_grad"})}
    )
    assert rivals(MeasureContext(model)) == (
        "attention",
        "gradient",
        "deletion",
        "signed_gradient",
        "signed_deletion",
    )


def test_brought_scores_lie_on_their_words_and_are_unknown_where_there_are_none() -> None:
    model = untrained("bilstm(hidden=6)+additive", boundaries=True)
    maps = maps_of(model, given={"t0": np.arange(7.0), "t3": np.array([2.0, 1.0])})
    rows = [maps["given"][row, real].tolist() for row, real in enumerate(maps.words.mask)]
    assert (rows[0], rows[3]) == ([0, 1, 2, 3, 4, 5, 6], [2, 1])
    assert np.isnan(rows[1]).all()


def test_scores_for_another_number_of_words_are_an_error_that_names_the_text() -> None:
    model = untrained("mlp(hidden=6)+additive")
    texts = [replace(text, label=0) for text in TEXTS]
    given = {"t1": np.zeros(5)}
    found = measure(
        model, texts, (Transfer(),), {}, Seeds(0), 8, lambda done, total: None, given=given
    )
    assert isinstance(found["transplant"], Failed)
    same_text("notes", found["transplant"].error)
