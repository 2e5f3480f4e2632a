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
    from sightline.studies.artefact import Asked, Plan

PICTURES = (".pdf", ".png", ".svg")


@dataclass(frozen=True)
class Wanted:
    """What the flags say of a table or figure of a paper."""

    data: Path | None
    datasets: str | None
    seeds: int | None
    limit: int | None
    vectors: Path | None

    @property
    def asked(self) -> Asked:
        """Give it as studies take it."""
        from sightline.studies.artefact import SEEDS, Asked  # noqa: PLC0415  (as late as it is needed)

        named = () if self.datasets is None else tuple(one.strip() for one in self.datasets.split(","))
        return Asked(self.data or Path(), self.seeds or SEEDS, named, self.limit, self.vectors)


def is_named(name: str) -> bool:
    """Tell whether a study is one of a paper, by its name: a paper, a colon and an id."""
    from sightline.studies.printed import PAPERS  # noqa: PLC0415  (as late as it is needed)

    return name.partition(":")[0] in PAPERS


def show_list(wanted: Wanted, store: Path | None, as_json: bool) -> None:
    """List every table and figure: what it is, its corpora (which are there), its runs, and what they would take."""
    from sightline.experiments.store import Store  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.artefact import Plan, plan_of  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.artefacts import ARTEFACTS  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.corpora import CORPORA  # noqa: PLC0415  (as late as it is needed)
    from sightline.studies.costs import Costs  # noqa: PLC0415  (as late as it is needed)

    asked = wanted.asked
    if unknown := [one for one in asked.corpora if one not in CORPORA]:
        raise SpecError(f"{unknown[0]!r}: expected some of {', '.join(CORPORA)}", field="datasets")
    if store is not None and wanted.data is None:
        raise SpecError("missing; a run is found in a store by the corpus it is of", field="data")
    costs = None if store is None else Costs.of(Store.there(store).summaries())
    rows: list[dict[str, Any]] = []
    for name, artefact in ARTEFACTS.items():
        named = asked.among(artefact.corpora)
        plan = Plan(artefact, asked, named, {}) if wanted.data is None else plan_of(artefact, asked)
        rows.append({"id": name, "place": artefact.place, "about": artefact.told, "corpora": named,
                     "lacking": dict(plan.absent), "runs": len(plan.planned), "figures": artefact.figures})  # fmt: skip
        if costs is not None:
            left = costs.left(plan.grid)
            rows[-1] |= {"done": costs.count(plan.grid), "hours_left": None if left is None else left / 3600}
    return emit(rows) if as_json else say(_listed(rows, wanted, store is not None))


def _listed(rows: list[dict[str, Any]], wanted: Wanted, kept: bool) -> list[str]:
    """Write the list in columns: what is done and what the rest would take only where a store was named."""
    head = ("id", "place", "runs", *(("done", "hours left") if kept else ()), "of", "what")
    lines = [(row["id"], row["place"], str(row["runs"]), *_costs(row), _corpora(row), row["about"]) for row in rows]
    where = "; --data DIR says which corpora are there" if wanted.data is None else ""
    cost = "hours: of one worker, by what the store’s runs of the same data and model took, or else others of them"
    told = cost if kept else "--store DIR says which are done, and how long the others would take; --dry-run tries one"
    return [
        *aligned([head, *lines]),
        f"runs: with {wanted.asked.seeds} seeds, of the corpora named{where}",
        told,
    ]


def _costs(row: dict[str, Any]) -> tuple[str, ...]:
    if "done" not in row:
        return ()
    hours = row["hours_left"]
    return str(row["done"]), "unknown" if hours is None else f"{hours:.1f}"


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
    from sightline.studies.artefacts import artefact, plan_named  # noqa: PLC0415  (as late as it is needed)

    if wanted.data is None:
        raise SpecError(
            f"missing; {name} needs the folder that holds {', '.join(artefact(name).corpora)}", field="data"
        )
    plan = plan_named(name, wanted.asked)
    for corpus, why in plan.absent.items():
        tell(f"left out: {corpus} ({why})")
    return plan


def _inputs(plan: Plan) -> list[Input]:
    data = {Path(place) for cell in plan.grid.cells for place in cell.data.places}
    return [("--data", plan.asked.folder), ("--vectors", plan.asked.vectors), *(("--data", one) for one in data)]
