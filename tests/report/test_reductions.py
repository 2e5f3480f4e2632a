"""A page says of a gradient how it was made one number, whose way that is, and what it ran
through.
"""

from dataclasses import replace

import pytest

from sightline.core.results import Measurement
from sightline.report.html.view_model import held_texts
from tests.report.audits import audit
from tests.snapshots import same_text


def record(**settings: str) -> dict[str, str]:
    """What the page says of each map of an audit whose agreement was measured with these
    settings.
    """
    made = audit()
    measured = made.measurements["agreement"]
    assert isinstance(measured, Measurement)
    changed = {**made.measurements, "agreement": replace(measured, settings=settings)}
    return {
        one.kind.quantity: one.description
        for one in held_texts(replace(made, measurements=changed)).maps
    }


@pytest.mark.parametrize(
    ("how", "paper"),
    [
        ("input", "|gradient · input|, as in the code that Jain & Wallace"),
        ("norm", "Meister et al."),
    ],
)
def test_the_reduction_and_its_paper_are_named(how: str, paper: str) -> None:
    found = record(gradient=how, attention="held")
    for name, words in found.items():
        assert (paper in words) == ("gradient" in name), name
    assert not [words for words in found.values() if "cannot decode" in words]


def test_a_gradient_through_the_weights_says_so() -> None:
    found = record(gradient="input", attention="through")
    assert [name for name, words in found.items() if "cannot decode" in words] == ["gradient"]


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert record()["gradient"].endswith("where possible")


def test_a_map_that_the_model_does_not_allow_has_its_reason() -> None:
    made = audit()
    measured = made.measurements["agreement"]
    assert isinstance(measured, Measurement)
    values = {name: value for name, value in measured.values.items() if name != "gradient"}
    less = replace(measured, values=values, missing={"gradient": "needs embedding_grad"})
    absent = held_texts(replace(made, measurements={**made.measurements, "agreement": less})).absent
    same_text("report", absent[0])
