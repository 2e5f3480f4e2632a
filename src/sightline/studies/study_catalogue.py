"""Every named study: the tables and figures of the papers, and the calibrations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.studies.calibration import (
    can_be_shown_rate,
    documented_models,
    plausible_vs_faithful,
    random_attention,
    rank_information_papers,
    real_corpora,
    scenarios,
    search_shortfall,
    threshold_calibration,
)
from sightline.studies.papers import (
    ablations,
    adversaries,
    study_models,
    word_retention,
)
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import full_protocol
from sightline.studies.papers.study_models import vectors_in
from sightline.studies.run_plan import Plan, plan_of
from sightline.studies.study_definition import Params, Study

GENERATED = (
    random_attention,
    documented_models,
    scenarios,
    can_be_shown_rate,
    threshold_calibration,
)
OF_CORPORA = (
    real_corpora,
    study_models,
    adversaries,
    ablations,
    search_shortfall,
    rank_information_papers,
    word_retention,
    plausible_vs_faithful,
)
ON_UNSEEN_SEEDS = (scenarios.CONFIRMATION, scenarios.AGAIN)
ALL = "papers"
"""The study of all papers' tables and figures together."""
INFORMATION = rank_information_papers.STUDY.name
"""The study with τ by rank of untrained models."""
FROM_VECTORS = (word_retention.STUDY.name, study_models.STUDY.name)
"""The studies in which some models start from word vectors."""
CALIBRATIONS: Mapping[str, Study] = {
    **{one.STUDY.name: one.STUDY for one in GENERATED},
    **{one.name: one for one in ON_UNSEEN_SEEDS},
    **{one.STUDY.name: one.STUDY for one in OF_CORPORA},
}
STUDIES: Mapping[str, Study] = {**CALIBRATIONS, **PAPER_TABLES}


def plans_of(
    study: Study,
    folder: Path,
    vectors: Path,
    seeds: int | None = None,
    words: Path | None = None,
) -> list[Plan]:
    """Plan a study as on its page, on the corpora in ``folder``.

    Words of the papers' models start from the file ``words``, and so do untrained models that they
    are held against; words of other calibrations start from vectors learned into the folder
    ``vectors``.
    """
    if study.paper:
        return [plan_of(study, full_protocol(study, folder, words, seeds))]
    return [Plan(study, params_of(study, folder, vectors, seeds, words), (), {})]


def params_of(
    study: Study, folder: Path, vectors: Path, seeds: int | None, words: Path | None = None
) -> Params:
    """Return the amount of a calibration that is wanted."""
    files = vectors_in(vectors) if study.name in FROM_VECTORS else {}
    first = scenarios.UNSEEN if study in ON_UNSEEN_SEEDS else 0
    return Params(folder, seeds, vectors=words, vectors_of=files, first=first)


def without_corpora() -> Iterator[str]:
    """Name the calibrations on generated data."""
    yield from (one.STUDY.name for one in GENERATED)
    yield from (one.name for one in ON_UNSEEN_SEEDS)


def ids_of(name: str) -> Sequence[str]:
    """Return the ids of the studies that a name means: ``papers`` means all tables and figures."""
    return tuple(PAPER_TABLES) if name == "papers" else (name,)
