"""How far answers are apart, in each unit, against numbers worked out by hand."""

import numpy as np
import pytest
import torch

from sightline.core.errors import SpecError
from sightline.numerics.tolerance import Tolerance, Unit

OWN, OTHER = [0.5, 0.3, 0.2], [0.4, 0.2, 0.4]
APART: dict[Unit, float] = {"total variation": 0.2, "L1": 0.4, "last class": 0.2}


@pytest.mark.parametrize("unit", APART)
def test_units_are_what_they_say(unit: Unit) -> None:
    for kind in (np.array, torch.tensor):
        own, other = kind(OWN), kind(OTHER)
        assert float(Tolerance(0.1, unit).apart(other, own)) == pytest.approx(APART[unit])
        assert not Tolerance(APART[unit] - 1e-6, unit).holds(other, own)
        assert Tolerance(APART[unit] + 1e-6, unit).holds(other, own)


def test_with_one_logit_total_variation_is_the_change_of_the_probability() -> None:
    own, other = np.array([[0.4, 0.6]]), np.array([[0.37, 0.63]])
    sizes = {unit: float(Tolerance(0.1, unit).apart(other, own)[0]) for unit in APART}
    assert sizes == pytest.approx({"total variation": 0.03, "L1": 0.06, "last class": 0.03})


@pytest.mark.parametrize(("epsilon", "unit", "message"), [
    (-0.1, "L1", "epsilon: expected a number from 0, got -0.1"),
    (float("nan"), "L1", "epsilon: expected a number from 0, got nan"),
    (0.1, "tvd", "unit: expected one of total variation, L1, last class; got 'tvd'"),
])  # fmt: skip
def test_what_is_no_tolerance_is_refused(epsilon: float, unit: Unit, message: str) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        Tolerance(epsilon, unit)
