"""Write a study into a folder: its table in every format, and its figures with their numbers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sightline._io.atomic_write import write_bytes
from sightline.core.errors import DataError, StoreError
from sightline.core.results import Results, Table
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.report.figures.figure_registry import FIGURES, numbers_of, write_figure, write_plot
from sightline.report.figures.study_means import MEANS, means
from sightline.report.tables.table_formats import PRINTINGS

PICTURES = (".pdf", ".png", ".svg")


class Audited(Protocol):
    """A finished run."""

    def audit(self) -> Results:
        """Read its audit; audits are large, so none is held."""
        ...


@dataclass(frozen=True)
class StoredRun:
    """A run of a store."""

    key: str
    store: Store

    def audit(self) -> Results:
        """Read its audit."""
        return self.store.audit(self.key)


@dataclass(frozen=True)
class Drawing:
    """One figure: its kind, its runs or its table, and the name of its files."""

    figure: str
    name: str
    of: Sequence[Audited] | Table

    def paths(self, folder: Path) -> list[Path]:
        """Name its files in a folder: each format, and the numbers."""
        pictures = [folder / f"{self.name}{ending}" for ending in PICTURES]
        return [*pictures, numbers_of(pictures[-1])]

    def write(self, folder: Path, endings: Sequence[str] = PICTURES) -> Iterator[Path]:
        """Write it in each format, with its numbers."""
        for ending in endings:
            path = folder / f"{self.name}{ending}"
            if isinstance(self.of, Table):
                yield write_plot(means(self.of), path)
            else:
                yield write_figure((run.audit() for run in self.of), self.figure, path)
        yield numbers_of(folder / f"{self.name}{endings[-1]}")


Named = tuple[tuple[str, ...], Audited]
"""A run and its label on each axis, the seed last."""


def figures_of(
    name: str, figures: Iterable[str], runs: Sequence[Named], together: int = 0
) -> Iterator[Drawing]:
    """Name the figures of the finished runs; a figure of one run uses the first seed of each
    setting.

    A figure of several runs draws all runs with the same first ``together`` labels. If several
    labels give one file name, the second one ends in ``-2``.
    """
    taken = set[str]()
    for figure in figures:
        several = FIGURES[figure].several
        for group in dict.fromkeys(labels[: together if several else -1] for labels, _ in runs):
            chosen = [run for labels, run in runs if labels[: len(group)] == group]
            plain = file_name(name, figure, *group)
            file, number = plain, 2
            while file.casefold() in taken:  # some disks ignore case
                file, number = f"{plain}-{number}", number + 1
            taken.add(file.casefold())
            yield Drawing(figure, file, chosen if several else chosen[:1])


def drawings_of(
    grid: Grid, figures: Sequence[str], table: Table, store: Store
) -> Iterator[Drawing]:
    """Name the figures of a study: of its table, and of its runs."""
    name = file_name(grid.name)
    if MEANS in figures:
        yield Drawing(MEANS, f"{name}-{MEANS}", table)
    yield from figures_of(name, [one for one in figures if one != MEANS], runs_of(grid, store))


def files_of(name: str, grid: Grid, figures: Sequence[str], together: int = 0) -> list[str]:
    """Name every file that a study may write once all its runs are there."""
    every = [
        (_seed_last(dict(zip(grid.axes, labels, strict=True))), NOT_READ) for labels in grid.labels
    ]
    drawn = [Drawing(MEANS, f"{name}-{MEANS}", ())] if MEANS in figures else []
    runs = [*figures_of(name, [one for one in figures if one != MEANS], every, together)]
    return _names(name, [*drawn, *runs])


def _names(name: str, drawings: Iterable[Drawing]) -> list[str]:
    """Name the files of a table and of figures."""
    pictures = [path.name for one in drawings for path in one.paths(Path())]
    return [*(f"{name}{ending}" for ending in PRINTINGS), *pictures]


class _NotRead:
    def audit(self) -> Results:
        """Never called: only names are asked for."""
        raise NotImplementedError


NOT_READ: Audited = _NotRead()
"""Stands for a run that need not be there yet."""


def written_before(study: str, folder: Path) -> set[str]:
    """Name the files that a study wrote into a folder; none if they are of a study whose name
    differs in blanks and signs alone, which names of files leave out.
    """
    with suppress(OSError, UnicodeDecodeError):
        title, *files = _mark(study, folder).read_text(encoding="utf-8").splitlines() or [""]
        return set(files) if title == _title(study) else set()
    return set()


def check_written(study: str, files: Iterable[str], folder: Path) -> None:
    """Refuse to replace a file that this study did not write: nobody has named it."""
    known = written_before(study, folder)
    for file in files:
        if file not in known and os.path.lexists(folder / file):
            raise StoreError(
                f"{folder / file}: exists, and this study did not write it; name a new folder, or "
                "move the file"
            )


def _mark(study: str, folder: Path) -> Path:
    """Name the list of what a study wrote into a folder that others use, too."""
    return folder / f".{file_name(study)}.sightline"


def _title(study: str) -> str:
    """Write a study's name as the first line of its list."""
    return f"study {json.dumps(study)}"


def runs_of(grid: Grid, store: Store) -> list[Named]:
    """Return the finished runs of a study, each with its labels, the seed last."""
    found = store.find(grid.keys)
    return [
        (_seed_last(dict(zip(grid.axes, labels, strict=True))), StoredRun(key, store))
        for labels, key in zip(grid.labels, grid.keys, strict=True)
        if key in found and found[key].state == "done"
    ]


def _seed_last(labels: Mapping[str, str]) -> tuple[str, ...]:
    return (*(label for axis, label in labels.items() if axis != "seed"), labels.get("seed", ""))


def write_all(
    study: str, table: Table, drawings: Iterable[Drawing], folder: Path
) -> tuple[list[Path], list[str]]:
    """Write a table in every format, and its figures; also return why any figure cannot
    be drawn. A file that this study did not write is refused.
    """
    name, drawings = file_name(study), [*drawings]
    files = _names(name, drawings)
    check_written(study, files, folder)
    folder.mkdir(parents=True, exist_ok=True)
    listed = (_title(study), *sorted(written_before(study, folder) | {*files}))
    write_bytes(_mark(study, folder), "".join(f"{line}\n" for line in listed).encode())
    paths = [
        write_bytes(folder / f"{name}{ending}", write(table).encode())
        for ending, write in PRINTINGS.items()
    ]
    left = []
    for drawing in drawings:
        try:
            paths += drawing.write(folder)
        except DataError as error:
            left.append(f"{drawing.name}: {error}")
    return paths, left


def file_name(*names: str) -> str:
    """Make a name that every file system accepts; letters of every script stay."""
    return re.sub(r"(?:[^\w.+=-]|_)+", "-", "-".join(names)).strip("-.") or "unnamed"
