"""Train adversaries of one model: how far its attention can move while its predictions stay, and
what the moved attention transfers.

Each reproduces the predictions of its base from other attention (`sightline.training.adversary`),
for eight λ and either divergence. It is trained completely from its own start, or with all but
attention fixed (Meister et al. 2021, Table 5). The yardstick is how far attention lies from itself
under another seed (Wiegreffe & Pinter 2019). The corpus is not shipped: the grid is made for
its folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sightline.config.presets import build_specs
from sightline.config.specs import (
    BUT_ATTENTION,
    MODEL_PARTS,
    Adversary,
    FitSpec,
    ModelPart,
    RunSpec,
)
from sightline.core.results import Results
from sightline.studies.papers.paper_table import PATIENCE
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Labels, Params, Rows, Study, of_audit

WEIGHTS = (1e-4, 3e-4, 1.05e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
"""λ; Wiegreffe & Pinter 2019 use the third for SST, 5.25e-4 when total variation is halved."""
BY_CORPUS: Mapping[str, float] = {
    "sst": 1.05e-3,
    "imdb": 1.6e-3,
    "agnews": 1e-3,
    "adr": 1e-3,
    "news": 1e-3,
    "anemia": 1e-3,
    "diabetes": 4e-4,
}
"""Twice the values of Wen et al. 2022, Table 3, whose total variation is half of ours."""
DIVERGENCES: tuple[Adversary, ...] = ("kl", "jsd")
KINDS: Mapping[str, Mapping[str, Any]] = {
    "attention anew": {"from_base": BUT_ATTENTION, "fixed": BUT_ATTENTION},
    "whole": {},
    "attention from the base": {"from_base": MODEL_PARTS, "fixed": BUT_ATTENTION},
}
"""What is trained, and from which start. The last starts where both terms of its loss are flat,
which shows that effect."""
TIME: Mapping[str, Any] = {"adversary_epochs": 20, "adversary_patience": 5}
"""Shorter than published (80 and 10): a table says which were still improving. The papers' tables
have less patience, and do not say it."""
SHORTER = (
    f"adversaries train at most {TIME['adversary_epochs']} epochs here, with patience {PATIENCE} "
    f"({TIME['adversary_patience']} in runs from before the protocol)"
)
"""The note of the papers' tables, whose trainings end as `paper_table.patient` says."""
SEEDS = tuple(f"seed(by={by})" for by in range(1, 5))
"""Control models: the same model from other seeds."""
LIMIT = 600
"""The number of test texts, the same for all."""
MEASURES = ("beside", "transplant")


def run_spec(folder: Path, fit: Mapping[str, Any], companions: tuple[str, ...]) -> RunSpec:
    """Describe one run; ``fit`` holds the difference between its training and the base's."""
    model, training = build_specs(BILSTM, "jain2019")
    changed: FitSpec = replace(training, **fit)
    return RunSpec(data_of(folder, "sst"), model, changed, 0, LIMIT, companions, measures=MEASURES)


def train_against(
    fit: FitSpec, divergence: Adversary, weight: float, held: tuple[ModelPart, ...] = ()
) -> FitSpec:
    """Train against the model of this training for the shorter time; parts in ``held`` are copied
    from the base and fixed.
    """
    settings = {
        "adversary": divergence,
        "adversary_weight": weight,
        "from_base": held,
        "fixed": held,
        **TIME,
    }
    changed: FitSpec = replace(fit, **settings)
    return changed


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the base and its adversaries."""
    yield ("base", "", ""), run_spec(params.folder, {}, SEEDS)
    for divergence in DIVERGENCES:
        for kind, pieces in KINDS.items():
            for weight in WEIGHTS:
                fit = {"adversary": divergence, "adversary_weight": weight, **TIME, **pieces}
                yield (kind, divergence, f"{weight:g}"), run_spec(params.folder, fit, ("base",))


def _summary(rows: Rows) -> dict[str, Any]:
    """Return the rows of the models; this study has no acceptance criteria."""
    return {**rows, "gates": []}


def adversary_results(audit: Results) -> dict[str, Any]:
    """Return the results of a model that was trained against another, or with fixed parts."""
    training: Mapping[str, Any] = audit.spec["trainings"]["model"]
    found = audit.by_test.get("SL-303")
    description = (
        {}
        if found is None
        else {"answer": found.result, "effect": found.score and asdict(found.score)}
    )
    return {
        **{name: training[name] for name in ("epochs", "kept", "converged")},
        "metrics": {name: asdict(one) for name, one in audit.metrics.items()},
        "beside": {
            name.removeprefix("beside."): asdict(one)
            for name, one in audit.estimates.items()
            if name.startswith("beside.")
        },
        "SL-303": description,
        "maps": [
            {"name": one.name, "answer": one.answer, "carried": one.carried and asdict(one.carried)}
            for one in audit.maps
        ],
    }


STUDY = Study(
    "adversaries",
    "how far attention can be moved while the answers stay",
    _runs,
    ("kind", "divergence", "weight"),
    estimates=of_audit(adversary_results),
    summary=_summary,
)
