"""How often the rule is right when the truth is known: planted evidence, weights nobody uses, weights nobody chose.

Three worlds for each seed and encoder, on the same kind of corpus:

* ``planted``: the model learns its attention on planted evidence; the claims are true;
* ``unused``: the decoder averages, and the weights displayed are drawn at random: (a), SL-101 and SL-102, is false;
* ``unchosen``: weights drawn at random are used by the decoder: (b), SL-104, is false, while (a) holds by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.results import Estimate
from sightline.spec.parts import Part
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, RunSpec
from sightline.studies.study import gate, grid_of

ENCODERS: Mapping[str, str] = {"mlp": "mlp(hidden=64)+additive", "bilstm": "bilstm(hidden=32)+additive"}
TRAINING = FitSpec(epochs=20, patience=4)
CORPORA: Mapping[str, str] = {
    "vote": "planted:vote(n=800,length=30,cues=5,strength=0.7)",
    "needle": "planted:needle(n=800,length=30,strength=0.8)",
}
"""Evidence of moderate strength: the best possible accuracies are .837 and .8."""
WORLDS: Mapping[str, Callable[[RunSpec], RunSpec]] = {
    "unused": lambda run: replace(run, model=replace(run.model, source=Part("uniform")), altered="random"),
    "unchosen": lambda run: replace(run, model=replace(run.model, source=Part("random"))),
    "planted": lambda run: run,
}
"""What each world makes of a run with learned attention."""
GROUPS = (("mlp", "vote"), ("mlp", "needle"), ("bilstm", "needle"))
"""The encoders and corpora that are counted."""
SEEDS, UNSEEN = range(200), range(200, 300)
"""The seeds of the calibration, and those that confirm it: nobody had looked at them before."""
CODES = ("SL-101", "SL-102", "SL-104")
FALSE: Mapping[str, tuple[str, ...]] = {"unused": ("SL-101", "SL-102"), "unchosen": ("SL-104",)}
"""What each world makes false. In the MLP the planted claims are true: the state of a word holds that word alone."""
MOST_FALSE, LEAST_TRUE = 0.08, 0.9
"""Shares of the seeds: a true rate of one in twenty shows more than 8 % of 200 in one count of forty."""


def learned(encoder: str, corpus: str, seed: int) -> RunSpec:
    """Describe a run with learned attention on planted evidence, without companions."""
    return RunSpec(parse_data(CORPORA[corpus]), parse_model(ENCODERS[encoder]), TRAINING, seed, companions=())


def cell(world: str, encoder: str, corpus: str, seed: int) -> RunSpec:
    """Describe one run of a world; it is asked for nothing but what the three findings need."""
    return WORLDS[world](replace(learned(encoder, corpus, seed), measures=("agreement",)))


def grid(seeds: Sequence[int] = SEEDS) -> Grid:
    """List the runs seed by seed, so that a part of them is a small calibration."""
    labels = ((w, e, c, str(seed)) for seed in seeds for e, c in GROUPS for w in WORLDS)
    axes = ("world", "encoder", "corpus", "seed")
    return grid_of("calibration", axes, ((label, cell(*label[:3], int(label[3]))) for label in labels))


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Count the answers in each world, and hold the counts against what is promised."""
    found = store.find(grid.keys)
    members: dict[tuple[str, ...], list[Summary]] = {}
    for labels, key in zip(grid.labels, grid.keys, strict=True):
        members.setdefault(labels[:3], []).append(found[key])
    ordered = sorted(members.items(), key=lambda item: list(WORLDS).index(item[0][0]))
    groups = [group(labels, summaries) for labels, summaries in ordered]
    seeds = [spec.seed for spec in grid.cells]
    return {
        "cells": len(grid.cells),
        "seeds": [min(seeds), max(seeds)],
        "groups": groups,
        "gates": [one for counted in groups for one in gates(counted)],
        "environment": dict(store.audit(grid.keys[0]).environment),
        "hours": round(sum(summary.seconds for summary in found.values()) / 3600, 2),
    }


def group(labels: tuple[str, ...], runs: Sequence[Summary]) -> dict[str, Any]:
    """Count the answers of one world, and how far the effects spread."""
    found = {code: [_answer(run, code) for run in runs] for code in CODES}
    effects = {code: [effect.value for _, effect in answers] for code, answers in found.items()}
    accuracies = [_number(run, "accuracy") for run in runs]

    def count(verdict: str) -> dict[str, int]:
        return {code: sum(answer == verdict for answer, _ in answers) for code, answers in found.items()}

    return {
        **dict(zip(("world", "encoder", "corpus"), labels, strict=True)),
        "n_cells": len(runs),
        "texts": accuracies[0].n,
        "accuracy_mean": round(float(np.mean([accuracy.value for accuracy in accuracies])), 3),
        "supported": count("supported"),
        "contradicted": count("contradicted"),
        "above_zero": {code: sum(effect.low > 0 for _, effect in answers) for code, answers in found.items()},
        "effect_mean": {code: round(float(np.mean(values)), 4) for code, values in effects.items()},
        "effect_quantiles": {
            code: [round(float(q), 4) for q in np.quantile(values, [0.025, 0.5, 0.975])]
            for code, values in effects.items()
        },
    }


def _answer(run: Summary, code: str) -> tuple[str, Estimate]:
    return (run.findings or {})[code].verdict, _number(run, code)


def _number(run: Summary, name: str) -> Estimate:
    estimate = run.estimate(name)
    assert estimate is not None  # on planted evidence every text has a reference, and outputs are always taken
    return estimate


def gates(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Hold the counts of one world against what is promised."""
    name, of = f"{group['world']}, {group['encoder']}, {group['corpus']}", group["n_cells"]
    most, least = round(MOST_FALSE * of), round(LEAST_TRUE * of)
    for code, count in group["supported"].items():
        if code in FALSE.get(group["world"], ()):
            yield gate(f"{code}: {name}", count, of, f"≤ {most}", holds=count <= most)
        if (group["world"], group["encoder"]) == ("planted", "mlp"):
            yield gate(f"{code}: {name}", count, of, f"≥ {least}", holds=count >= least)
