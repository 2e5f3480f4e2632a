"""Why the information of states follows attention where they mean nothing.

An output that is the weighted sum of states shares more with the state that weighs more, whatever
it means. What is made of it of such states: `tests/measures/test_rank_information.py`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.numerics.weighted_tau import weighted_tau
from tests.reference.information import coupled


@pytest.mark.parametrize(
    ("shared", "expected"), [(0.0, (0.5363, 0.1351, 0.0556)), (0.5, (0.8443, 0.4738, 0.3688))]
)
def test_coupling_of_three_states_is_known(shared: float, expected: tuple[float, ...]) -> None:
    assert coupled([0.5, 0.3, 0.2], shared) == pytest.approx(expected, abs=5e-5)
    assert len({round(one, 12) for one in coupled([0.25] * 4, shared)}) == 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=8, unique=True), st.floats(0, 0.95))
def test_coupling_alone_orders_states_as_any_attention_does(
    parts: list[int], shared: float
) -> None:
    weights = np.array(sorted(parts, reverse=True)) / sum(parts)
    assert weighted_tau(np.array(coupled(weights.tolist(), shared)), weights) == pytest.approx(
        1, abs=1e-9
    )
