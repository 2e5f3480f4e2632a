"""Keep what the results file holds of runs that a command did not ask for: other corpora, other
seeds, and runs whose names were not recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sightline.studies.kept_results import StudyResults, row_of
from sightline.studies.results_file import Row
from sightline.studies.run_plan import Plan, is_joint
from sightline.studies.study_catalogue import INFORMATION
from sightline.studies.study_definition import Study, Values

Model = tuple[str, str, str]
"""The corpus, model and setting of a run: all but its seed."""


def with_unasked(
    study: Study, plans: Sequence[Plan], now: StudyResults, before: StudyResults
) -> StudyResults:
    """Add to a count what was known before of runs that its plans do not ask for.

    The progress of a study that was counted in part stays as the last whole count had it.
    """
    asked = {one.run.corpus for plan in plans for one in plan.readings}
    asked |= {corpus for plan in plans for corpus in plan.corpora}
    readings = {name: before.readings[name] for name in _unasked(study, plans, now, before)}
    of_others = {row.corpus for row, _ in readings.values()} | (before.by_corpus.keys() - asked)
    known = {line.of for line in now.means}
    fewer = max((plan.asked.seeds or 0 for plan in plans), default=0)
    means = [
        line
        for line in before.means
        if line.corpus in study.corpora and line.of not in known
        if line.corpus not in asked or line.seeds > fewer > 0
    ]
    kept = {
        corpus: one
        for corpus, one in before.by_corpus.items()
        if corpus in of_others and _is_more(one, now.by_corpus.get(corpus, {}))
    }
    return StudyResults(
        before.status if of_others and _is_more(before.status, now.status) else now.status,
        {**{corpus: one for corpus, one in now.by_corpus.items() if corpus not in kept}, **kept},
        {**now.readings, **readings},
        [*now.means, *means],
    )


def _is_more(before: Values, now: Values) -> bool:
    """Tell whether more runs were planned before than are now, or were not counted then."""
    return bool("planned" not in before or before["planned"] > now.get("planned", 0))


def _unasked(
    study: Study, plans: Sequence[Plan], now: StudyResults, before: StudyResults
) -> list[str]:
    """Name the earlier readings to keep.

    A reading is outdated if its corpus and seed are asked for, but with other settings; so are those
    of its model under other seeds. A reading that does not name its run is replaced by one with the
    same labels.
    """
    planned = {one.name for plan in plans for one in plan.readings}
    others = {name: row for name, (row, _) in before.readings.items() if name not in planned}
    read = [row for row, _ in now.readings.values()]
    outdated = _outdated(study, plans, others.values(), read)
    labels = {_labels(row) for row in read}
    return [
        name
        for name, row in others.items()
        if (_model(row) not in outdated if row.run else _labels(row) not in labels)
    ]


def _outdated(
    study: Study, plans: Sequence[Plan], others: Iterable[Row], read: Sequence[Row]
) -> set[Model]:
    """Return the models whose runs have other settings now.

    A table of a paper follows its protocol, so each run that it lacks is outdated. In other
    studies, and where word vectors are missing, it is so once a run with the new settings is read.
    """
    rows = (row_of(study, one.run, one.name) for plan in plans for one in plan.readings)
    asked = {(row.corpus, row.seed) for row in rows}
    models, corpora = {_model(row) for row in read}, {row.corpus for row in read}
    lack = (study.paper or study.id == INFORMATION) and not all(one.asked.vectors for one in plans)
    return {
        _model(row)
        for row in others
        if row.run and (row.corpus, row.seed) in asked
        if _model(row) in models or (not lack and (study.paper or row.corpus in corpora))
    }


def _model(row: Row) -> Model:
    return row.corpus, row.model, row.setting


def _labels(row: Row) -> tuple[Model, str, bool]:
    return _model(row), row.seed, is_joint(row.run)
