"""Count how often a correct map can be shown, for MLPs on synthetic evidence, whose hidden states
hold one word each.

Row 4 requires it in every predicted class. One class may fall behind: the model predicts it when it
sees no evidence, so it needs no word. If attention is needed, every class but that one must reach
row 4; if a model without attention does as well, none may.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sightline.config.specs import Guide
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.studies.calibration.scenarios import (
    ALONE,
    AXES,
    SELDOM,
    SHARE,
    Scenario,
    group,
    run_spec,
)
from sightline.studies.study_definition import LabelledRuns, Params, Rows, Study, gate, grid_of

ROW, SEEDS = 4, 50


@dataclass(frozen=True)
class ShownCase:
    """A scenario, and whether it needs attention."""

    world: Scenario
    needed: bool


def _case(name: str, why: str, data: str, *, needed: bool = True, guide: Guide = "") -> ShownCase:
    return ShownCase(
        Scenario(name, why, models=ALONE, data=data, guide=guide, companions=("uniform",)), needed
    )


CASES = (
    _case("a needle", "only attention can pick it out of so few texts", "needle(length=15,n=800)"),
    _case(
        "a needle in 30 words", "the same, guided onto it", "needle(length=30,n=800)", guide="onto"
    ),
    _case(
        "one of four needles",
        "the same, guided onto it",
        "needle(classes=4,length=15,n=800)",
        guide="onto",
    ),
    _case(
        "texts enough",
        "a mean of all words tells the class as well",
        "needle(length=15,n=3200)",
        needed=False,
    ),
)


def grid(count: int | None = None) -> Grid:
    """List the runs, seed by seed."""
    seeds = range(min(SEEDS, count or SEEDS))
    specs = (
        ((one.world.name, "mlp", str(seed)), run_spec(one.world, "mlp", seed))
        for seed in seeds
        for one in CASES
    )
    return grid_of("shown", AXES, specs)


def table(grid: Grid, store: Store) -> Mapping[str, Any]:
    """Count the runs in which all classes, and all but one, can be shown."""
    found = store.find(grid.keys)
    rows = []
    for case in CASES:
        of = {
            at[2]: found[key]
            for at, key in zip(grid.labels, grid.keys, strict=True)
            if at[0] == case.world.name
        }
        if of:
            rows.append(group(case.world, "mlp", of, {}, set()) | _shown(of))
    return {"rows": rows}


def _shown(runs: Mapping[str, Summary]) -> dict[str, int]:
    """Count the runs in which all classes can be shown, all but at most one, and none."""
    rows = [list(run.by_class.values()) for run in runs.values() if run.by_class]
    behind = [(len(of), sum(row != ROW for row in of)) for of in rows]
    return {
        "all": sum(left == 0 for _, left in behind),
        "but_one": sum(left <= 1 for _, left in behind),
        "none": sum(left == of for of, left in behind) + len(runs) - len(rows),
    }


def _promised(case: ShownCase, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name, of = case.world.name, row["n_cells"]
    least, most = math.ceil(SHARE * of), math.floor(SELDOM * of)
    if case.needed:
        count = row["but_one"]
        yield gate(
            f"{name}: row {ROW} in all classes but one",
            count,
            of,
            f"≥ {least}",
            holds=count >= least,
        )
    else:
        count = of - row["none"]
        yield gate(f"{name}: row {ROW} in any class", count, of, f"≤ {most}", holds=count <= most)


def _summary(rows: Rows) -> dict[str, Any]:
    """Check the counts against the promises."""
    found = {row["world"]: row for row in rows["rows"]}
    kept = [(case, found[case.world.name]) for case in CASES if case.world.name in found]
    return {**rows, "gates": [gate for case, row in kept for gate in _promised(case, row)]}


def _runs(params: Params) -> LabelledRuns:
    made = grid(params.seeds)
    return zip(made.labels, made.specs, strict=True)


STUDY = Study(
    "shown",
    "how often a map that is right can be shown",
    _runs,
    AXES,
    summary=_summary,
    whole=table,
)
