"""The study of maps that are right: one seed of its worlds for real, and its counts on runs that
are made up.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.core.results import Estimate
from sightline.experiments.store import Store, Summary
from sightline.studies.calibration import can_be_shown_rate
from sightline.studies.run_counts import table
from sightline.studies.study_definition import grid_of
from tests.studies.runs import run_all


def made_up(seed: int, **by_class: int) -> Summary:
    metrics = {"accuracy": Estimate(0.75, 0.7, 0.8, 200, "")}
    return Summary(f"key {seed}", "d", "m", seed, "done", 1.0, "", "", {}, metrics, 5, by_class)


class Made:
    """A store of runs that are made up, in the order of a study of one seed."""

    def __init__(self, runs: Mapping[str, Summary]) -> None:
        self.runs = runs

    def find(self, keys: tuple[str, ...]) -> dict[str, Summary]:
        return {
            key: self.runs[world]
            for key, (world, _, _) in zip(keys, can_be_shown_rate.grid(1).labels, strict=True)
        }


def test_a_run_counts_by_how_many_of_its_classes_cannot_be_shown() -> None:
    runs = (
        made_up(0, alpha=4, beta=4),
        made_up(1, alpha=4, beta=5),
        made_up(2, alpha=3, beta=5, gamma=4),
        made_up(3, alpha=5, beta=5),
        made_up(4),  # of which no class was judged
    )
    assert can_be_shown_rate._shown({str(run.seed): run for run in runs}) == {
        "all": 1,
        "but_one": 2,
        "none": 2,
    }


def test_one_class_may_stay_behind_and_none_may_be_shown_where_attention_is_not_needed() -> None:
    needed = [case.world.name for case in can_be_shown_rate.CASES if case.needed]
    (other,) = (case.world.name for case in can_be_shown_rate.CASES if not case.needed)
    runs = {name: made_up(0, alpha=4, beta=5) for name in needed} | {
        other: made_up(0, alpha=5, beta=5)
    }
    good = can_be_shown_rate._summary(
        can_be_shown_rate.table(can_be_shown_rate.grid(1), Made(runs))
    )  # type: ignore[arg-type]
    assert [gate["holds"] for gate in good["gates"]] == [True] * 4
    runs = {name: made_up(0, alpha=5, beta=5) for name in needed} | {
        other: made_up(0, alpha=4, beta=5)
    }
    bad = can_be_shown_rate._summary(can_be_shown_rate.table(can_be_shown_rate.grid(1), Made(runs)))  # type: ignore[arg-type]
    assert [gate["holds"] for gate in bad["gates"]] == [False] * 4
    assert [(gate["count"], gate["of"]) for gate in bad["gates"]] == [
        (0, 1),
        (0, 1),
        (0, 1),
        (1, 1),
    ]


@pytest.mark.slow
def test_one_seed_of_a_needle_keeps_what_is_promised(tmp_path: Path) -> None:
    whole, store = can_be_shown_rate.grid(1), Store(tmp_path)
    grid = grid_of(whole.name, whole.axes, ((whole.labels[0], whole.specs[0]),))
    run_all(grid.specs, store)
    result = table(can_be_shown_rate.STUDY, grid, store)
    assert [(row["world"], row["but_one"], row["none"]) for row in result["rows"]] == [
        ("a needle", 1, 0)
    ]
    assert [gate["holds"] for gate in result["gates"]] == [True]
