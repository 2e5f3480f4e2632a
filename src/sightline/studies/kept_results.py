"""What the results file holds for one study: its readings, its means and its progress."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sightline.studies.aggregate import AggregateLine, RunName, RunNumbers
from sightline.studies.results_file import Row, found_of, rows_of, values_of
from sightline.studies.run_plan import Readings
from sightline.studies.study_definition import Labels, Study, Values


@dataclass(frozen=True)
class StudyResults:
    """Everything kept for a study.

    ``status`` describes the study itself, such as how many runs are planned, and ``by_corpus`` each
    corpus. ``readings`` belong to runs, by a lasting name or, if a run has none, by its labels;
    ``means`` are lines whose runs are lost, and counts of corpora.
    """

    status: Values = field(default_factory=dict)
    by_corpus: Mapping[str, Values] = field(default_factory=dict)
    readings: Mapping[str, tuple[Row, Values | None]] = field(default_factory=dict)
    means: Sequence[AggregateLine] = ()

    @property
    def said(self) -> Readings:
        """Return the readings by their names."""
        return {name: values for name, (_, values) in self.readings.items()}

    def read(self, corpora: Sequence[str] | None = None) -> list[RunNumbers]:
        """Return the readings of runs on some corpora, or on all."""
        return [
            (run_name(row), values)
            for row, values in self.readings.values()
            if values is not None and (corpora is None or row.corpus in corpora)
        ]


def kept_of(rows: Iterable[Row]) -> dict[str, StudyResults]:
    """Sort the rows of a file by study; they may stand in any order."""
    return {study: _kept(own) for study, own in _together(rows, lambda row: row.study).items()}


def _together(rows: Iterable[Row], of: Callable[[Row], Hashable]) -> dict[Any, list[Row]]:
    """Collect rows, the groups in the order of their first rows."""
    found = dict[Any, list[Row]]()
    for row in rows:
        found.setdefault(of(row), []).append(row)
    return found


def _kept(rows: Sequence[Row]) -> StudyResults:
    means = [_line(row) for row in rows if row.seeds]
    status: Values = {}
    by_corpus = dict[str, Values]()
    readings = dict[str, tuple[Row, Values | None]]()
    single = (row for row in rows if not row.seeds)
    for own in _together(single, lambda row: row.of_what).values():
        first = own[0]
        if first.run or first.model or first.setting or first.seed:
            name = first.run or "; ".join(first.of)
            readings[name] = (replace(first, **EMPTY_CELLS), _values(own))
        elif first.corpus:
            by_corpus[first.corpus] = values_of(own)
        else:
            status = values_of(own)
    return StudyResults(status, by_corpus, readings, means)


EMPTY_CELLS = {
    name: ""
    for name in Row.__dataclass_fields__
    if name not in ("study", "corpus", "model", "setting", "seed", "run")
}
NOTHING_READ, NOTHING_SAID = "", "{}"
"""The text in the only row of a run: if only its means are left, and if it has no numbers."""


def _values(rows: Sequence[Row]) -> Values | None:
    if named := [row for row in rows if row.quantity]:
        return values_of(named)
    return {} if rows[0].text == NOTHING_SAID else None


def _line(row: Row) -> AggregateLine:
    return AggregateLine(row.corpus, row.model, row.quantity, found_of(row), int(row.seeds))


def run_name(row: Row) -> RunName:
    """Return the run that a row belongs to."""
    return RunName(row.corpus, row.model, int(row.seed or 0), setting=row.setting)


def rows_kept(study: str, kept: StudyResults) -> Iterator[Row]:
    """Write what is kept for a study as rows."""
    yield from rows_of(Row(study), kept.status)
    for corpus, values in kept.by_corpus.items():
        yield from rows_of(Row(study, corpus), values)
    for line in kept.means:
        of = Row(study, line.corpus, line.model, seeds=str(line.seeds))
        yield from rows_of(of, {line.quantity: line.found})
    for row, said in kept.readings.values():
        yield from reading_rows(row, said)


def reading_rows(of: Row, values: Values | None) -> Iterator[Row]:
    """Write one reading; a run without numbers has a row, too, which shows that it was read."""
    if values:
        yield from rows_of(of, values)
    else:
        yield replace(of, text=NOTHING_READ if values is None else NOTHING_SAID)


def row_of(study: Study, run: RunName, name: str) -> Row:
    """Return an empty row of a run of a study."""
    seed = str(run.seed) if "seed" in study.axes else ""
    return Row(study.id, run.corpus, run.model, run.setting, seed, name)


def plain_rows(study: Study, kept: StudyResults) -> dict[str, list[dict[str, Any]]]:
    """Return the readings of a study as plain values: of single runs, and of several."""
    rows = dict[str, list[dict[str, Any]]]({"rows": [], "joint": []})
    for row, values in kept.readings.values():
        joint = "+" in row.run
        axes = ("corpus", "model", "seed") if joint else study.axes
        labels = dict(zip(axes, labels_of(row, axes), strict=True))
        rows["joint" if joint else "rows"].append({"run": row.run, **labels, **(values or {})})
    return rows


def labels_of(row: Row, axes: Sequence[str]) -> Labels:
    """Return the labels of the run that a row belongs to."""
    return run_name(row).labels(axes)


def page(study: Study, kept: StudyResults) -> dict[str, Any]:
    """Return what a page shows of a study: the results of its rows, and its progress."""
    rows = plain_rows(study, kept)
    return {**(study.summary(rows) if study.summary else rows), **kept.status}
