"""Every study that has a name: the tables and figures of the papers, and the calibrations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.studies import (
    ablations,
    adversaries,
    examples,
    farthest,
    information,
    plausible,
    random_attention,
    real,
    retained,
    shown,
    sparse,
    thresholds,
    trained,
    worlds,
)
from sightline.studies.artefacts import ARTEFACTS
from sightline.studies.papers import asked
from sightline.studies.planning import Plan, plan_of
from sightline.studies.study import Params, Study
from sightline.studies.trained import vectors_in

GENERATED = (random_attention, examples, worlds, shown, thresholds)
OF_CORPORA = (
    real, trained, adversaries, ablations, farthest, information, retained, plausible, sparse
)  # fmt: skip
FROM_VECTORS = (retained.STUDY.name, trained.STUDY.name)
"""The studies some of whose models start from word vectors."""
CALIBRATIONS: Mapping[str, Study] = {
    **{one.STUDY.name: one.STUDY for one in GENERATED},
    worlds.CONFIRMATION.name: worlds.CONFIRMATION,
    **{one.STUDY.name: one.STUDY for one in OF_CORPORA},
}
STUDIES: Mapping[str, Study] = {**CALIBRATIONS, **ARTEFACTS}
PAGES: Mapping[str, Study] = {
    **CALIBRATIONS,
    worlds.TRIAL.name: worlds.TRIAL,
    real.BEFORE.name: real.BEFORE,
}
"""The calibrations that have a page."""


def plans_of(study: Study, folder: Path, vectors: Path, seeds: int | None = None) -> list[Plan]:
    """Plan a study as its page has it: of the corpora in ``folder``, with word vectors there."""
    if study.paper:
        plans = (plan_of(study, params) for params in asked(study, folder, vectors))
        return [plan for plan in plans if plan.corpora]
    return [Plan(study, params_of(study, folder, vectors, seeds), (), {})]


def params_of(study: Study, folder: Path, vectors: Path, seeds: int | None) -> Params:
    """Say how much of a calibration is asked for."""
    files = vectors_in(vectors) if study.name in FROM_VECTORS else {}
    first = worlds.UNSEEN if study is worlds.CONFIRMATION else 0
    return Params(folder, seeds, vectors_of=files, first=first)


def without_corpora() -> Iterator[str]:
    """Name the calibrations of generated data."""
    yield from (one.STUDY.name for one in GENERATED)
    yield worlds.CONFIRMATION.name


def ids_of(name: str) -> Sequence[str]:
    """Give the ids of the studies that a name means: ``papers`` means all tables and figures."""
    return tuple(ARTEFACTS) if name == "papers" else (name,)
