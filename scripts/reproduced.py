"""What a store has of the papers' tables and figures, beside what is printed, and what the rest would take.

Small corpora are asked for whole, under three seeds; large ones under one, on a sample of their test texts. What takes
a training and its answers alone is asked for whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from published import FOLDER
from studied import VECTORS

from sightline.experiments.store import Store
from sightline.results import Table, TableCell
from sightline.studies.artefact import Artefact, Asked, Plan, plan_of
from sightline.studies.artefacts import ARTEFACTS
from sightline.studies.beside import compare
from sightline.studies.costs import Costs
from sightline.studies.printed import LETTERS, PAPERS

SMALL = ("sst", "news", "babi1", "babi2", "babi3")
LARGE = ("imdb", "agnews", "snli")
WHOLE = ("J-1", "T-1", "T-5", "M-3", "W-1")
"""What is asked for whole of every corpus: it takes a training and its answers alone."""
TEXTS, ONE = 500, 1
STARTED = "tutek2020"
"""The paper whose claims rest on pretrained vectors: its words start from ours, those of others as they are drawn."""


def asked(artefact: Artefact) -> Iterator[Asked]:
    """Say how much of an artefact is asked for here."""
    vectors = VECTORS if LETTERS[artefact.name[0]] == STARTED else None
    if artefact.name in WHOLE:
        yield Asked(FOLDER, corpora=SMALL + LARGE, vectors=vectors)
        return
    yield Asked(FOLDER, corpora=SMALL, vectors=vectors)
    yield Asked(FOLDER, ONE, LARGE, TEXTS, vectors)


def reproduced(folder: Path) -> Mapping[str, Any]:
    """Table every artefact from what is done of it."""
    store = Store(folder, make=False)
    costs = Costs.of(store.summaries())
    return {"artefacts": [_artefact(name, one, store, costs) for name, one in ARTEFACTS.items()], "gates": []}


def _artefact(name: str, artefact: Artefact, store: Store, costs: Costs) -> dict[str, Any]:
    print(name, file=sys.stderr, flush=True)
    plans = [plan for one in asked(artefact) if (plan := plan_of(artefact, one)).corpora]
    done = [len(plan.runs(store)) for plan in plans]
    return {
        "id": name,
        "paper": PAPERS[LETTERS[artefact.name[0]]],
        "place": artefact.place,
        "told": artefact.told,
        "planned": sum(len(plan.planned) for plan in plans),
        "done": sum(done),
        "hours_left": round(sum(costs.left(plan.grid) or 0.0 for plan in plans) / 3600, 1),
        "notes": list(artefact.notes),
        "lines": [line for plan, n in zip(plans, done, strict=True) for line in _lines(plan, store, n)],
    }


def _lines(plan: Plan, store: Store, done: int) -> Iterator[dict[str, Any]]:
    """Give the lines that have a number of ours."""
    if not done and plan.artefact.counted is None:
        return
    table: Table = compare(plan, store)
    for names, cells in zip(table.row_names, table.rows, strict=True):
        published, ours, floor, seeds, said = cells
        if isinstance(ours.value, float):
            told = dict(zip(table.row_axes, names, strict=True))
            yield {
                **told,
                "published": published.value,
                "sd": published.sd,
                "ours": _number(ours),
                "floor": _number(floor),
                "seeds": seeds.value or 0,
                "limit": plan.asked.limit,
                "said": said.value,
            }


def _number(cell: TableCell) -> dict[str, Any] | None:
    if not isinstance(cell.value, float):
        return None
    return {"value": cell.value, "low": cell.low, "high": cell.high, "n": cell.n, "method": cell.method}
