"""Measure whether sparse attention ranks words by the importance of inputs or of hidden states, and
how that changes along λ.

After Meister et al. 2021: Tables 1 and 6 (softmax and sparsemax, a BiLSTM and a Transformer), Table
2 and figure 3 (a sweep of sparsegen). Trained as in the papers, as in the study `trained`; fast
corpora first, film reviews once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from sightline.config.specs import RunSpec
from sightline.core.results import Measurement, Results
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import mean
from sightline.stats.intervals import Bounds
from sightline.stats.parameter_sweep import SweepRun, mean_sweep_tau
from sightline.studies.aggregate import by_labels, over_seeds
from sightline.studies.papers.published_values import value_of
from sightline.studies.papers.study_models import BILSTM, SEEDS, PaperModel
from sightline.studies.papers.study_models import run_spec as trained_spec
from sightline.studies.run_numbers import SHARE, TAU
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import (
    FinishedRun,
    JointReading,
    Labels,
    Params,
    Rows,
    Study,
)
from sightline.verdict.number_bounds import ends_of

PRESET = "meister2021"
LAMBDAS = (-30.0, -10.0, -3.0, -1.0, 0.0, 0.5, 0.9)
MODELS = tuple(
    f"{model}+{projection}"
    for model in (BILSTM, "transformer+dot")
    for projection in ("softmax", "sparsemax")
)
SWEEP = {setting: f"{BILSTM}+sparsegen(lambda={setting})" for setting in LAMBDAS}
SETTINGS = {model: setting for setting, model in SWEEP.items()}
TEXTS = 1000
"""The number of film reviews that are audited; they are long."""
CORPORA: Mapping[str, tuple[tuple[str, ...], int, int | None]] = {
    "news": ((*MODELS,), len(SEEDS), None),
    "sst": ((*MODELS, *SWEEP.values()), len(SEEDS), None),
    "imdb": ((*SWEEP.values(),), 1, TEXTS),
}
"""The models of each corpus, the number of seeds, and the most test texts."""
EPOCHS: Mapping[str, int] = {"imdb": 4}
"""The epochs of a training along λ. IMDB takes 2,148 steps; SST has some 2,800, and keeps one of
the first 1,194."""
SWEPT = ("state_agreement",)
MEASURES = ("mixing", *SWEPT)
"""The measures for models along λ, and for those of Table 1, which also measure what moves their
states."""
REFERENCES = ("gradient_through", "deletion", "state_gradient", "state_deletion")
PRINTED: Mapping[str, tuple[str, str]] = {
    "entropy": ("meister2021:M-1", "evenness of inputs for states"),
    "gradient_through": ("meister2021:M-6", "τ with gradient of inputs"),
    "deletion": ("meister2021:M-6", "τ with deletion of inputs"),
    "state_gradient": ("meister2021:M-6", "τ with gradient of states"),
    "state_deletion": ("meister2021:M-6", "τ with removal of states"),
}
"""Where the paper prints a number, and the name under which it is kept."""
PRINTED_ALONG = "τ of λ with evenness of inputs for the answer"
KINDS = ("tau", "coupling_tau", "within_tau", "entropy")
ALONG = tuple(f"{kind}.{one}" for kind in ("tau", "entropy") for one in REFERENCES)
"""The quantities that are correlated with λ."""
MIXED = ("mixing.entropy", "mixing.focus.untrained", "mixing.own")
"""The importance of inputs for states: how even it is, how uneven at initialisation, and the share
of the word itself."""
UNDEFINED = asdict(across_seeds(()))
"""The correlation with λ if no seed has every λ."""


def run_spec(folder: Path, corpus: str, model: str, seed: int) -> RunSpec:
    """Describe one run."""
    run = trained_spec(data_of(folder, corpus), PaperModel(corpus, PRESET, model), seed, None)
    limited = replace(run, limit=CORPORA[corpus][2], measures=SWEPT)
    if model in MODELS:
        return replace(limited, measures=MEASURES, companions=("untrained",))
    if model in SETTINGS and corpus in EPOCHS:
        return replace(
            limited, fit=replace(run.fit, epochs=EPOCHS[corpus], patience=EPOCHS[corpus])
        )
    return limited


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    for corpus, (models, count, _) in CORPORA.items():
        for seed in SEEDS[:count][: params.seeds]:
            for model in models:
                yield (corpus, model, str(seed)), run_spec(params.folder, corpus, model, seed)


def _summary(rows: Rows) -> dict[str, Any]:
    """Average runs over seeds, and aggregate them at each λ; this study has no
    acceptance criteria.
    """
    means = [_mean(found) for found in by_labels(rows["rows"], ("corpus", "model")).values()]
    corpora = dict.fromkeys(one["corpus"] for one in rows["joint"])
    sweeps = [
        _sweep([mean for mean in means if mean["corpus"] == one], rows["joint"], one)
        for one in corpora
    ]
    return {**rows, "means": means, "sweeps": sweeps, "gates": []}


def _values(audit: Results) -> Mapping[str, np.ndarray]:
    measured = audit.measurements["state_agreement"]
    assert isinstance(measured, Measurement)
    parts = ("support", "both_zero", *(f"{kind}.{name}" for kind in KINDS for name in REFERENCES))
    return {name: np.asarray(measured.values[name], dtype=float) for name in parts}


def _ends_of(name: str) -> Bounds:
    return ends_of(name if name in MIXED else f"state_agreement.{name}")


def _estimates(run: FinishedRun) -> dict[str, Any]:
    audit = run.audit()
    values = {
        name: asdict(mean(one, run.seed, _ends_of(name))) for name, one in _values(audit).items()
    }
    values |= {name: asdict(audit.estimates[name]) for name in MIXED if name in audit.estimates}
    return {"accuracy": asdict(audit.metrics["accuracy"]), "values": values}


def _mean(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average one model over its seeds."""
    first = found[0]
    values = {
        name: over_seeds((row["values"][name] for row in found), _ends_of(name))
        for name in first["values"]
    }
    accuracy = over_seeds((row["accuracy"] for row in found), SHARE)
    named = {name: first[name] for name in ("corpus", "model")}
    corpus, model = first["corpus"], first["model"].removesuffix("+softmax")
    printed = {
        name: value_of(artefact, corpus, model, label)
        for name, (artefact, label) in PRINTED.items()
    }
    return {
        **named,
        "seeds": len(found),
        "accuracy": accuracy,
        "values": values,
        "printed": printed,
    }


def _along(runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """Correlate quantities with λ under one seed, text by text."""
    swept = [(SETTINGS[run.model], run.seed, _values(run.audit())) for run in runs]
    along = {
        name: asdict(
            mean_sweep_tau(
                [
                    SweepRun(setting, seed, values[name], values["support"])
                    for setting, seed, values in swept
                ]
            )
        )
        for name in ALONG
    }
    return {"settings": [setting for setting, *_ in swept], **along}


def _sweep(
    means: Sequence[Mapping[str, Any]], swept: Sequence[Mapping[str, Any]], corpus: str
) -> dict[str, Any]:
    """Return the agreement and the evenness of an importance at each λ, and their correlation with
    λ.

    A seed counts if it has every λ that any seed has.
    """
    found = sorted(
        (
            (SETTINGS[one["model"]], one["values"], one["seeds"])
            for one in means
            if one["model"] in SETTINGS
        ),
        key=itemgetter(0),
    )
    whole = [one for one in swept if one["corpus"] == corpus and len(one["settings"]) == len(found)]
    along = {
        name: {
            "with_lambda": over_seeds((one[name] for one in whole), TAU) or UNDEFINED,
            "points": [
                {
                    "setting": setting,
                    "value": values[name],
                    "support": values["support"],
                    "seeds": seeds,
                }
                for setting, values, seeds in found
            ],
        }
        for name in ALONG
    }
    return {
        "corpus": corpus,
        "along": along,
        "printed": value_of("meister2021:M-2", corpus, f"{BILSTM}+sparsegen", PRINTED_ALONG),
    }


STUDY = Study(
    "sparse",
    "sparse attention and the importance of inputs and of states",
    _runs,
    estimates=_estimates,
    joint=JointReading(lambda model: f"{BILSTM}+sparsegen" if model in SETTINGS else "", _along),
    summary=_summary,
)
