"""List the tables and figures of the papers, the corpora that are present, and the
finished runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import SpecError, near_it
from sightline.experiments.cost_estimate import RunCosts
from sightline.experiments.store import Store
from sightline.studies.papers.paper_index import PAPER_TABLES, paper_table_named, plan_named
from sightline.studies.papers.predicted_cost import left_of
from sightline.studies.papers.protocol import asked_of
from sightline.studies.papers.published_values import PAPERS
from sightline.studies.run_plan import Plan, plan_of
from sightline.studies.study_corpora import CORPORA
from sightline.studies.study_corpora import vectors_of as vectors_of
from sightline.studies.study_definition import Params as Params


def is_named(name: str) -> bool:
    """Tell whether a name is of a paper's table or figure: a paper, a colon and an id."""
    return name.partition(":")[0] in PAPERS


OF_A_PAPER = "of a paper’s table or figure, as jain2019:J-2; a file says these itself"
"""Whose options a study file refuses."""


def refuse_options(given: Mapping[str, object], what: str, whose: str) -> None:
    """Refuse options that were given for another kind of study than ``what``; ``whose`` says
    which.
    """
    for name, value in given.items():
        if value is not None:
            raise SpecError(f"{what} takes no such option: it is {whose}", field=name)


def refuse_misspelt(name: str) -> None:
    """Refuse what is neither a file nor the name of a study, with the nearest names."""
    if Path(name).exists() or Path(name).suffix or name != Path(name).name:
        return
    from sightline.studies.study_catalogue import ALL, CALIBRATIONS  # noqa: PLC0415  (torch)

    if name in (*CALIBRATIONS, ALL):
        raise SpecError(
            f"{name}: this study is run by the command `sightline study {name} --store DIR`; here "
            "name a file, or a table or figure of a paper"
        )
    near = near_it(name, [*PAPER_TABLES, *CALIBRATIONS, ALL])
    raise SpecError(
        f"{name}: expected the TOML file of a study or the name of one, found neither{near}; "
        "`sightline study list` names the tables of the papers"
    )


def corpora_of(name: str) -> tuple[str, ...]:
    """Name the corpora of a table or figure."""
    return tuple(paper_table_named(name).corpora)


def list_papers(asked: Params, data: Path | None, store: Path | None) -> list[dict[str, Any]]:
    """List every table and figure with its corpora (and which are present), its runs, and their
    cost.
    """
    if unknown := [one for one in asked.corpora if one not in CORPORA]:
        raise SpecError(f"{unknown[0]!r}: expected some of {', '.join(CORPORA)}", field="datasets")
    if store is not None and data is None:
        raise SpecError("missing; a run is found in a store by the corpus it is of", field="data")
    if data is not None and not data.exists():
        raise SpecError(
            f"expected the folder of the corpora, found nothing at {data}", field="data"
        )
    kept = None if store is None else Store(store, make=False)
    costs = None if kept is None else RunCosts.of(kept.summaries())
    rows: list[dict[str, Any]] = []
    for name, one in PAPER_TABLES.items():
        named, wanted = asked.among(one.corpora), asked_of(one, asked)
        plan = Plan(one, wanted, named, {}) if data is None else plan_of(one, wanted)
        row: dict[str, Any] = {
            "id": name,
            "place": one.place,
            "about": one.description,
            "corpora": named,
        }
        row |= {"lacking": dict(plan.absent), "runs": len(plan.planned), "figures": one.figures}
        if costs is not None:
            assert kept is not None  # its costs are needed
            row |= {"done": costs.count(plan.grid.keys), "hours_left": _hours(plan, kept)}
        rows.append(row)
    return rows


def _hours(plan: Plan, store: Store | None = None) -> float:
    """Return the hours of one worker that the missing runs of a plan take."""
    return sum(left_of(plan.keyed, store).values()) / 3600


def quick_note(name: str, asked: Params) -> str:
    """Say what a quick try of a table leaves out, and how long the whole table takes."""
    plan = plan_named(name, asked)
    runs = len({*plan.grid.keys})
    return (
        f"a quick try; all of {name} on what is in the folder is {runs} runs, about "
        f"{_hours(plan):.1f} hours of one worker (without --quick)"
    )
