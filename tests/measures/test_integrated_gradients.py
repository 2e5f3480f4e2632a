"""Integrated gradients: Captum's numbers, sums that are complete, and no audit that pays for what
it did not ask for.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from captum.attr import IntegratedGradients

from sightline.audits.measure_pass import measure
from sightline.config.word_maps import COSTLY_MAPS, RIVALS, SIGNED_RIVALS
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures import integrated_gradients
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.integrated_gradients import integrated
from sightline.measures.rationale_overlap import Rationale
from sightline.measures.trace_arrays import decided
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.log_odds import log_odds
from tests.texts import examples, untrained

SPECS = {
    "one logit": untrained("bilstm(hidden=6)+additive", boundaries=True),
    "sparsemax": untrained("mlp(hidden=6)+additive+sparsemax"),
    "three classes": untrained("bilstm(hidden=6)+additive", 3),
}
TEXTS = examples((7, 4, 12, 2, 1))


@pytest.fixture(params=SPECS)
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    return SPECS[request.param].double()


def test_each_word_has_what_captum_gives_it(model: AttentionClassifier) -> None:
    """Captum takes 50 points of Gauss and Legendre; weights that go out on the way are met by
    neither exactly.
    """
    trace = model.trace(model.collate(TEXTS))
    maps = AttributionMaps(MeasureContext(model, texts=tuple(TEXTS)), trace, Seeds(0))
    chosen = torch.from_numpy(decided(trace))
    asked = IntegratedGradients(
        lambda vectors: log_odds(model.trace(trace.batch, vectors).logits, chosen)
    )
    whole = trace.embeddings.clone()
    nothing = whole * (trace.batch.mask & ~trace.batch.attendable)[:, :, None]
    theirs = (
        asked.attribute(whole, nothing, n_steps=50, internal_batch_size=len(TEXTS))
        .sum(-1)
        .detach()
        .numpy()
    )
    np.testing.assert_allclose(maps["signed_integrated"], theirs, atol=2e-3 * np.abs(theirs).max())
    np.testing.assert_array_equal(maps["integrated"], np.abs(maps["signed_integrated"]))


def test_words_add_up_to_what_the_log_odds_move_by_and_the_better_the_more_steps_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for model in (SPECS["one logit"].double(), SPECS["three classes"].double()):
        trace = model.trace(model.collate(TEXTS))
        chosen = torch.from_numpy(decided(trace))
        nothing = trace.embeddings * (trace.batch.mask & ~trace.batch.attendable)[:, :, None]
        with torch.no_grad():
            moved = log_odds(trace.logits, chosen) - log_odds(
                model.trace(trace.batch, nothing).logits, chosen
            )
        usual = integrated(model, trace)
        with monkeypatch.context() as patch:
            patch.setattr(integrated_gradients, "STEPS", 8)
            few = integrated(model, trace)
        assert usual.moved == pytest.approx(moved.numpy(), abs=1e-12)
        assert np.abs(usual.gap).max() < 1e-3 * np.abs(usual.moved).max()
        assert (
            np.abs(usual.gap) < np.abs(few.gap) / 8
        ).all()  # midpoints: four times the steps, a sixteenth of the gap


def test_a_text_alone_has_the_same_numbers(model: AttentionClassifier) -> None:
    together = integrated(model, model.trace(model.collate(TEXTS)))
    for row, text in enumerate(TEXTS):
        alone = integrated(model, model.trace(model.collate([text])))
        width = alone.along.shape[1]
        np.testing.assert_allclose(together.along[row, :width], alone.along[0], atol=1e-9)
        assert not together.along[row, width:].any()


def test_only_who_asks_for_it_by_name_pays() -> None:
    assert not COSTLY_MAPS & {*RIVALS, *SIGNED_RIVALS, *Rationale().maps}
    marked = [
        replace(text, rationale=tuple(i % 3 == 1 for i in range(len(text.tokens))))
        for text in TEXTS
    ]
    asked = Rationale(maps=("attention", "signed_integrated"))
    found = measure(
        SPECS["one logit"], marked, (asked,), {}, Seeds(0), 4, lambda done, total: None
    )["rationale"]
    assert isinstance(found, Measurement)
    assert {name for name in found.values if name.startswith("auprc.")} == {
        "auprc.attention",
        "auprc.signed_integrated",
    }
