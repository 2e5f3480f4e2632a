"""The distance between a model and its companions against a text at a time."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from sightline.findings.beside import as_distance
from sightline.maths.divergences import probabilities
from sightline.measures.beside import Beside
from sightline.quantities import quantity_of
from sightline.results import Measurement, NotApplicable
from sightline.seeds import Seeds
from sightline.taking.measuring import measure
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 1, 5))


@pytest.mark.parametrize("classes", [2, 3])
def test_distances_are_those_of_their_definitions(classes: int) -> None:
    model, base = untrained("bilstm(hidden=6)", classes), untrained("bilstm(hidden=6)", classes, seed=8)
    beside = {"base": base, "seed(by=1)": model}
    taken = measure(model, TEXTS, (Beside(),), beside, Seeds(0), 2, lambda done, total: None)["beside"]
    assert isinstance(taken, Measurement)
    assert set(taken.values) == {f"{kind}.{name}" for kind in ("jsd", "tvd") for name in beside}
    for row, text in enumerate(TEXTS):
        own, other = (one.trace(one.collate([text])) for one in (model, base))
        apart = jensenshannon(own.attention.numpy()[0], other.attention.numpy()[0]) ** 2
        answers = [probabilities(one.logits.double().numpy())[0] for one in (own, other)]
        assert taken.values["jsd.base"][row] == pytest.approx(apart, abs=1e-6)
        assert taken.values["tvd.base"][row] == pytest.approx(np.abs(answers[0] - answers[1]).sum() / 2, abs=1e-6)
    assert taken.values["jsd.seed(by=1)"] == pytest.approx(0, abs=1e-9)


def test_without_a_companion_there_is_nothing_to_be_far_from() -> None:
    taken = measure(untrained("mlp"), TEXTS, (Beside(),), {}, Seeds(0), 2, lambda done, total: None)["beside"]
    assert isinstance(taken, NotApplicable)
    assert taken.reason == "needs a companion, whichever it is"


def test_a_distance_is_named_by_its_companion() -> None:
    assert as_distance("beside.tvd.adversary(weight=0.5)") is not None
    assert as_distance("beside.tvd.adversary(height=0.5)") is None
    assert quantity_of("beside", "jsd.base").told.endswith("those of a companion (base)")
