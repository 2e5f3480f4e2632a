"""Two ways to make one number of a gradient, and where the choice goes."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.config.word_maps import MAPS, REDUCED
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.agreement import Agreement
from sightline.measures.attribution_maps import MAKERS, AttributionMaps
from sightline.measures.default_measures import default_measures
from tests.gradients import gradient_importance
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 12, 2))


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("spec", ["mlp(hidden=6)+additive", "bilstm(hidden=6)+additive"])
def test_the_norm_is_that_of_the_slopes_along_every_axis(spec: str, held: bool) -> None:
    """Central differences in float64, one number of one embedding at a time."""
    model = untrained(spec, embedding=3)
    text, step = TEXTS[1], 1e-5
    ours = gradient_importance(
        model, model.trace(model.collate([text])), held=held, reduction="norm"
    )[0]
    double = model.double()
    trace = double.trace(double.collate([text]))
    for t in range(len(text.tokens)):
        slopes = []
        for axis in range(3):
            ends = []
            for sign in (1, -1):
                moved = trace.embeddings.clone()
                moved[0, t, axis] += sign * step
                again = double.trace(trace.batch, moved)
                ends.append(
                    double.decode(again, trace.attention if held else again.attention)[0, 0].item()
                )
            slopes.append((ends[0] - ends[1]) / (2 * step))
        assert ours[t] == pytest.approx(np.linalg.norm(slopes), rel=1e-3, abs=1e-6)


def test_the_reductions_disagree_about_a_short_embedding() -> None:
    """A word whose vector is zero has no gradient times input, and a gradient like any other."""
    model = untrained("mlp(hidden=6)+additive")
    trace = model.trace(model.collate(TEXTS[:1]))
    with torch.no_grad():
        trace.embeddings[0, 2] = 0
    times_input, norm = (
        gradient_importance(model, trace, reduction=how)[0] for how in ("input", "norm")
    )
    assert times_input[2] == 0
    assert norm[2] > 1e-3


def test_a_measure_says_which_it_took_and_the_maps_are_kept_apart() -> None:
    model, shared = untrained("mlp(hidden=6)+additive"), {}
    subject = MeasureContext(model, shared=shared)
    trace = model.trace(model.collate(TEXTS))
    plain, norm = (
        AttributionMaps(subject, trace, Seeds(0), gradient=how) for how in ("input", "norm")
    )
    for name in REDUCED:
        assert np.abs(plain[name] - norm[name]).max() > 1e-3
        assert norm[name] == pytest.approx(
            AttributionMaps(replace(subject, shared={}), trace, Seeds(0), gradient="norm")[name]
        )
    taken = measure(
        model, TEXTS, (Agreement(gradient="norm"),), {}, Seeds(0), 8, lambda done, total: None
    )["agreement"]
    assert isinstance(taken, Measurement)
    assert taken.settings["gradient"] == "norm"
    assert taken.values["gradient"].rows()[0] == pytest.approx(norm["gradient"][0, :7], rel=1e-5)
    assert set(REDUCED) <= set(MAPS)
    assert set(REDUCED) <= set(MAKERS)


def test_the_choice_reaches_every_measure_that_takes_gradients() -> None:
    taking = [one for one in default_measures(gradient="norm") if hasattr(one, "gradient")]
    asked = {
        "agreement",
        "types",
        "frozen",
        "transplant",
        "erasure",
        "sufficiency",
        "flips",
        "rationale",
    }
    assert {one.code for one in taking} == asked
    assert {one.gradient for one in taking} == {"norm"}


def test_pieces_have_the_norm_over_all_of_them() -> None:
    model = untrained("mlp(hidden=6)+additive")
    batch = model.collate([replace(TEXTS[1])])
    trace = model.trace(batch)
    alone = gradient_importance(model, trace, reduction="norm")[0]
    together = replace(trace, batch=replace(batch, word=torch.tensor([[0, 0, 1, 1]])))
    ours = gradient_importance(model, together, reduction="norm")[0]
    assert ours == pytest.approx(
        [np.hypot(alone[0], alone[1]), np.hypot(alone[2], alone[3])], rel=1e-5
    )
