"""A table or figure of a paper on the command line: what there is, and one beside what the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.cells import Ended, How, check_out, do_cells, show_table
from sightline.cli.output import emit, say, tell
from sightline.cli.places import Input, check_places
from sightline.errors import SpecError
from sightline.report.sheets.columns import aligned

if TYPE_CHECKING:
    from sightline.studies.artefact import Plan

PICTURES = (".pdf", ".png", ".svg")


@dataclass(frozen=True)
class Wanted:
    """What the flags say of a table or figure of a paper."""

    data: Path | None
    datasets: str | None
    seeds: int | None
    limit: int | None
    vectors: Path | None


def is_named(name: str) -> bool:
    """Tell whether a study is one of a paper, by its name: a paper, a colon and an id."""
    from sightline.studies.printed import PAPERS  # noqa: PLC0415  (as late as it is needed)

    return name.partition(":")[0] in PAPERS


def show_list(data: Path | None, as_json: bool) -> None:
    """List every table and figure: what it is, the corpora it is of (which are there), and how many runs it takes."""
    from sightline.studies.artefact import Asked, Plan, plan_of  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.artefacts import ARTEFACTS  # noqa: PLC0415  (as late as it is needed)

    rows: list[dict[str, Any]] = []
    for name, artefact in ARTEFACTS.items():
        asked = Asked(data or Path())
        plan = Plan(artefact, asked, artefact.corpora, {}) if data is None else plan_of(artefact, asked)
        lacking, runs = dict(plan.absent), len(plan.planned)
        rows.append({"id": name, "place": artefact.place, "about": artefact.told, "corpora": artefact.corpora,
                     "lacking": lacking, "runs": runs, "figures": artefact.figures})  # fmt: skip
    if as_json:
        return emit(rows)
    head = ("id", "place", "runs", "of", "what")
    lines = [(row["id"], row["place"], str(row["runs"]), _corpora(row), row["about"]) for row in rows]
    where = "" if data else "; --data DIR says which corpora are there"
    return say([*aligned([head, *lines]), f"runs: with three seeds, of the corpora named{where}"])


def _corpora(row: dict[str, Any]) -> str:
    there = [name for name in row["corpora"] if name not in row["lacking"]]
    lacking = f" (not there: {', '.join(row['lacking'])})" if row["lacking"] else ""
    return (", ".join(there) or "none") + lacking


def study_artefact(name: str, wanted: Wanted, how: How) -> None:
    """Run what an artefact lacks, and show it beside what is printed."""
    from sightline.studies.beside import compare  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.drawn import figures_of, runs_of  # noqa: PLC0415  (as late as it is needed)

    plan = _plan(name, wanted)
    id_, figures = plan.artefact.name, plan.artefact.figures
    check_out(how, figures)
    check_places(_inputs(plan), *how.outputs(id_))

    def show(ended: Ended) -> None:
        drawings = figures_of(id_, figures, runs_of(plan.grid, ended.store), together=1)
        show_table(compare(plan, ended.store), how, id_, drawings)

    do_cells(plan.grid, how, show)


def _plan(name: str, wanted: Wanted) -> Plan:
    from sightline.studies.artefact import SEEDS, Asked  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.artefacts import artefact, plan_named  # noqa: PLC0415  (as late as it is needed)

    if wanted.data is None:
        raise SpecError(
            f"missing; {name} needs the folder that holds {', '.join(artefact(name).corpora)}", field="data"
        )
    named = () if wanted.datasets is None else tuple(one.strip() for one in wanted.datasets.split(","))
    plan = plan_named(name, Asked(wanted.data, wanted.seeds or SEEDS, named, wanted.limit, wanted.vectors))
    for corpus, why in plan.absent.items():
        tell(f"left out: {corpus} ({why})")
    return plan


def _inputs(plan: Plan) -> list[Input]:
    data = {Path(place) for cell in plan.grid.cells for place in cell.data.places}
    return [("--data", plan.asked.folder), ("--vectors", plan.asked.vectors), *(("--data", one) for one in data)]
