"""The figures of an artefact: one of each model on each corpus, or one of a corpus where a figure is of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.experiments.store import Store
from sightline.report.plots.drawing import check_drawing
from sightline.report.plots.named import FIGURES, numbers_of, write_figure
from sightline.studies.artefact import Done, Plan


@dataclass(frozen=True)
class Drawing:
    """One figure: which, of which runs, and under which name it is written."""

    figure: str
    name: str
    runs: Sequence[Done]

    def write(self, folder: Path, endings: Sequence[str]) -> Iterator[Path]:
        """Write it in each form, and its numbers beside."""
        for ending in endings:
            yield write_figure((run.audit() for run in self.runs), self.figure, folder / f"{self.name}{ending}")
        yield numbers_of(folder / f"{self.name}{endings[-1]}")


def figures_of(plan: Plan, store: Store) -> Iterator[Drawing]:
    """Name the figures of what is done; one that is of one run is of the first seed."""
    if not plan.artefact.figures:
        return
    check_drawing()
    runs = plan.runs(store)
    for figure in plan.artefact.figures:
        of: Callable[[Done], tuple[str, ...]] = (
            (lambda run: (run.corpus,)) if FIGURES[figure].several else lambda run: (run.corpus, run.model)
        )
        for group in dict.fromkeys(map(of, runs)):
            chosen = [run for run in runs if of(run) == group]
            shown = chosen if FIGURES[figure].several else chosen[:1]
            yield Drawing(figure, _file(plan.artefact.name, figure, *group), shown)


def _file(*names: str) -> str:
    """Make a name that every file system takes."""
    return re.sub(r"[^A-Za-z0-9.+=-]+", "-", "-".join(names)).strip("-")
