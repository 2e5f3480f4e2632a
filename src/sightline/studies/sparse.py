"""Sparse attention: whether it ranks words as inputs matter or as states do, and what becomes of that along λ.

After Meister et al. 2021: Tables 1 and 6 (softmax and sparsemax, a BiLSTM and a Transformer), Table 2 and figure 3 (a
sweep of sparsegen). Trained as the papers trained, as in the study `trained`; cheap corpora first, film reviews once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from sightline.experiments.grid import Grid, pin
from sightline.experiments.store import Store
from sightline.findings.ends import ends_of
from sightline.results import Estimate, Measurement, Results
from sightline.spec.keys import lasting_key
from sightline.spec.values import RunSpec
from sightline.statistics.across import across_seeds
from sightline.statistics.bootstrap import mean
from sightline.statistics.intervals import Bounds
from sightline.statistics.sweep import At, goes_with
from sightline.studies.corpora import data_of
from sightline.studies.named import TAU
from sightline.studies.printed import value_of
from sightline.studies.study import Counted, grid_of
from sightline.studies.trained import BILSTM, SEEDS, Model
from sightline.studies.trained import cell as trained_cell

PRESET = "meister2021"
LAMBDAS = (-30.0, -10.0, -3.0, -1.0, 0.0, 0.5, 0.9)
MODELS = tuple(
    f"{model}+{projection}" for model in (BILSTM, "transformer+dot") for projection in ("softmax", "sparsemax")
)
SWEEP = {setting: f"{BILSTM}+sparsegen(lambda={setting})" for setting in LAMBDAS}
SETTINGS = {model: setting for setting, model in SWEEP.items()}
TEXTS = 1000
"""Of film reviews, which are long, so many are audited."""
CORPORA: Mapping[str, tuple[tuple[str, ...], int, int | None]] = {
    "news": ((*MODELS,), len(SEEDS), None),
    "sst": ((*MODELS, *SWEEP.values()), len(SEEDS), None),
    "imdb": ((*SWEEP.values(),), 1, TEXTS),
}
"""The models of each corpus, how many seeds, and how many test texts at most."""
EPOCHS: Mapping[str, int] = {"imdb": 4}
"""How many epochs a training along λ has. 2,148 steps; SST has some 2,800, and keeps one of the first 1,194."""
SWEPT = ("state_agreement",)
MEASURES = ("mixing", *SWEPT)
"""What is asked of models along λ, and of those of Table 1, whose states are also asked what moves them."""
REFERENCES = ("gradient_through", "deletion", "state_gradient", "state_deletion")
PRINTED: Mapping[str, tuple[str, str]] = {
    "entropy": ("M-1", "evenness of inputs for states"),
    "gradient_through": ("M-6", "τ with gradient of inputs"),
    "deletion": ("M-6", "τ with deletion of inputs"),
    "state_gradient": ("M-6", "τ with gradient of states"),
    "state_deletion": ("M-6", "τ with removal of states"),
}
"""Where the paper prints a number, and under which name it is kept."""
PRINTED_ALONG = "τ of λ with evenness of inputs for the answer"
KINDS = ("tau", "coupling_tau", "within_tau", "entropy")
ALONG = tuple(f"{kind}.{one}" for kind in ("tau", "entropy") for one in REFERENCES)
"""What is held against λ."""
MIXED = ("mixing.entropy", "mixing.focus.untrained", "mixing.own")
"""Of the importance of inputs for states: how even it is, how uneven it is as drawn, and what is the word's own."""
Swept = tuple[str, float, Mapping[str, np.ndarray]]
"""A run of a sweep: its name, its λ, and its numbers of each text."""


def cell(folder: Path, corpus: str, model: str, seed: int) -> RunSpec:
    """Describe one run."""
    run = trained_cell(data_of(folder, corpus), Model(corpus, PRESET, model), seed, None)
    limited = replace(run, limit=CORPORA[corpus][2], measures=SWEPT)
    if model in MODELS:
        return replace(limited, measures=MEASURES, companions=("untrained",))
    if model in SETTINGS and corpus in EPOCHS:
        return replace(limited, fit=replace(run.fit, epochs=EPOCHS[corpus], patience=EPOCHS[corpus]))
    return limited


def grid(folder: Path, seeds: int | None = None) -> Grid:
    """List the runs."""
    return grid_of("sparse", ("corpus", "model", "seed"), _cells(folder, seeds))


def _cells(folder: Path, seeds: int | None) -> Iterator[tuple[tuple[str, ...], RunSpec]]:
    for corpus, (models, count, _) in CORPORA.items():
        for seed in SEEDS[:count][:seeds]:
            for model in models:
                yield (corpus, model, str(seed)), pin(cell(folder, corpus, model, seed))


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Give each run, its means over seeds, and what goes with λ; there are no gates."""
    return summed(counted(grid, store))


def counted(grid: Grid, store: Store) -> Counted:
    """Count each run, and under each seed what goes with λ, text by text."""
    rows, by_seed = [], dict[tuple[str, str], list[Swept]]()
    for labels, run, key in zip(grid.labels, grid.cells, grid.keys, strict=True):
        (corpus, model, seed), name, values = labels, lasting_key(run), _values(audit := store.audit(key))
        rows.append({"run": name, **_row(labels, audit, values)})
        if model in SETTINGS:
            by_seed.setdefault((corpus, seed), []).append((name, SETTINGS[model], values))
    return {"rows": rows, "swept": [_swept(corpus, seed, runs) for (corpus, seed), runs in by_seed.items()]}


def summed(counted: Counted) -> dict[str, Any]:
    """Average runs over seeds, and say of each λ what they do."""
    rows = counted["rows"]
    named = dict.fromkeys((row["corpus"], row["model"]) for row in rows)
    means = [_mean([row for row in rows if (row["corpus"], row["model"]) == pair]) for pair in named]
    corpora = dict.fromkeys(one["corpus"] for one in counted["swept"])
    sweeps = [_sweep([mean for mean in means if mean["corpus"] == one], counted["swept"], one) for one in corpora]
    return {**counted, "means": means, "sweeps": sweeps, "gates": []}


def _values(audit: Results) -> Mapping[str, np.ndarray]:
    measured = audit.measurements["state_agreement"]
    assert isinstance(measured, Measurement)
    told = ("support", "both_zero", *(f"{kind}.{name}" for kind in KINDS for name in REFERENCES))
    return {name: np.asarray(measured.values[name], dtype=float) for name in told}


def _ends_of(name: str) -> Bounds:
    return ends_of(name if name in MIXED else f"state_agreement.{name}")


def _row(labels: tuple[str, ...], audit: Results, of_texts: Mapping[str, np.ndarray]) -> dict[str, Any]:
    corpus, model, seed = labels
    values = {name: asdict(mean(one, int(seed), _ends_of(name))) for name, one in of_texts.items()}
    values |= {name: asdict(audit.estimates[name]) for name in MIXED if name in audit.estimates}
    accuracy = asdict(audit.metrics["accuracy"])
    return {"corpus": corpus, "model": model, "seed": seed, "accuracy": accuracy, "values": values}


def _mean(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average one model over its seeds."""
    first = found[0]
    values = {
        name: asdict(across_seeds([Estimate(**row["values"][name]) for row in found], _ends_of(name)))
        for name in first["values"]
    }
    accuracy = asdict(across_seeds([Estimate(**row["accuracy"]) for row in found], (0.0, 1.0)))
    named = {name: first[name] for name in ("corpus", "model")}
    corpus, model = first["corpus"], first["model"].removesuffix("+softmax")
    printed = {name: value_of(artefact, corpus, model, told) for name, (artefact, told) in PRINTED.items()}
    return {**named, "seeds": len(found), "accuracy": accuracy, "values": values, "printed": printed}


def _swept(corpus: str, seed: str, runs: Sequence[Swept]) -> dict[str, Any]:
    """Say what of one seed goes with λ."""
    along = {
        name: asdict(
            goes_with([At(setting, int(seed), values[name], values["support"]) for _, setting, values in runs])
        )
        for name in ALONG
    }
    settings = [setting for _, setting, _ in runs]
    return {"run": "+".join(name for name, *_ in runs), "corpus": corpus, "seed": seed, "settings": settings, **along}


def _sweep(means: Sequence[Mapping[str, Any]], swept: Sequence[Mapping[str, Any]], corpus: str) -> dict[str, Any]:
    """Say what the agreement and the evenness of an importance are at each λ, and whether they go with it.

    A seed counts where it has every λ that any has.
    """
    found = sorted(
        ((SETTINGS[one["model"]], one["values"], one["seeds"]) for one in means if one["model"] in SETTINGS),
        key=itemgetter(0),
    )
    whole = [one for one in swept if one["corpus"] == corpus and len(one["settings"]) == len(found)]
    along = {
        name: {
            "with_lambda": asdict(across_seeds([Estimate(**one[name]) for one in whole], TAU)),
            "points": [
                {"setting": setting, "value": values[name], "support": values["support"], "seeds": seeds}
                for setting, values, seeds in found
            ],
        }
        for name in ALONG
    }
    return {"corpus": corpus, "along": along, "printed": value_of("M-2", corpus, f"{BILSTM}+sparsegen", PRINTED_ALONG)}
