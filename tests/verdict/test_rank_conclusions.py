"""What is said of ranks in aggregate: each line of the rule, from numbers that are made up."""

import pytest

from sightline.core.results import Estimate, Measurement
from sightline.verdict.evidence import Evidence
from sightline.verdict.rank_conclusions import describe_ranks
from sightline.verdict.thresholds import Thresholds

TRACKS = {
    "flatness": 3.0, "coupled.D": 0.025,
    **{f"D.{of}": 0.2 for of in ("output", "decoupled", "label")},
    **{f"exchanged.D.{of}": 0.001 for of in ("output", "decoupled", "label")},
    **{f"entropy.{of}": 0.69 for of in ("output", "decoupled", "label")},
    **{f"best.{of}": 0.3 for of in ("output", "decoupled", "label")},
}  # fmt: skip
"""Numbers of ranks that know about every target."""


def said(**others: float) -> str:
    numbers = TRACKS | {name.replace("_", "."): value for name, value in others.items()}
    whole = {
        name: Estimate(value, value - 0.01, value + 0.01, 500, "made up")
        for name, value in numbers.items()
    }
    return describe_ranks(
        Evidence(
            {"information": Measurement("information", {}, whole=whole)}, (), Thresholds({}, 1), 0
        )
    )


def test_ranks_that_know_say_of_what() -> None:
    assert (
        said() == "ranks track information about its answer under uniform attention and the label"
    )
    assert said(D_label=0.0) == "ranks track information about its answer under uniform attention"
    assert said(exchanged_D_decoupled=0.2) == "ranks track information about the label"


def test_what_shuffled_attention_does_too_is_coupling() -> None:
    assert said(coupled_D=0.3).startswith("coupling only")
    assert said(D_decoupled=0.008, D_label=0.0).startswith("coupling only")


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({f"best_{of}": 0.0 for of in ("output", "decoupled", "label")}, "no information"),
        ({"flatness": 1.2}, "flat attention"),
        (
            {"D_decoupled": 0.0, "D_label": 0.0, "entropy_decoupled": 1.6, "entropy_label": 1.6},
            "nothing to rank",
        ),
        ({"D_output": 0.0}, "inconclusive"),
        ({"exchanged_D_output": 0.2}, "inconclusive"),
    ],
)
def test_the_first_line_that_applies_is_said(others: dict[str, float], message: str) -> None:
    assert said(**others).startswith(message)


def test_nothing_is_concluded_where_coupling_was_not_tested() -> None:
    whole = {
        name: Estimate(value, value, value, 500, "")
        for name, value in TRACKS.items()
        if name != "coupled.D"
    }
    evidence = Evidence(
        {"information": Measurement("information", {}, whole=whole)}, (), Thresholds({}, 1), 0
    )
    assert describe_ranks(evidence).startswith("coupling not tested")


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert describe_ranks(Evidence({}, (), Thresholds({}, 1), 0)) == ""
    none = dict.fromkeys(TRACKS, Estimate(0.0, 0.0, 0.0, 0, ""))
    evidence = Evidence(
        {"information": Measurement("information", {}, whole=none)}, (), Thresholds({}, 1), 0
    )
    assert describe_ranks(evidence) == ""
