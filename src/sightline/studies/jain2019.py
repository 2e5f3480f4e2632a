"""Jain & Wallace (2019), *Attention is not Explanation*: their tables and figures, by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sightline.audits import Audit
from sightline.results import Measurement, Ragged
from sightline.spec.presets import build_specs
from sightline.spec.values import RunSpec
from sightline.statistics.bootstrap import mean
from sightline.statistics.intervals import Bounds
from sightline.statistics.shapes import largest
from sightline.studies.artefact import Artefact, Asked, Cells, Found, by_model
from sightline.studies.corpora import BINARY, CORPORA, QUESTIONS, data_of
from sightline.studies.counted import sizes
from sightline.studies.performance import performance_of

BILSTM, MLP, CNN = "bilstm+additive", "mlp+additive", "cnn+additive"
TAU: Bounds = (-1.0, 1.0)
SHARE: Bounds = (0.0, 1.0)
LOG_2: Bounds = (0.0, float(np.log(2)))
SIDES = {"low": "at least", "high": "at most"}
EPSILON = "ε-max JSD is exact where words have answers of their own: ε = 0.01 of total variation; the paper searched"
COUPLED = "floor: τ of shuffled weights that were used, because an importance follows whatever weights are used"
START = (
    "τ depends on how words start (as drawn; in the paper from pretrained vectors), on the epoch that is kept, and "
    "on how peaked attention is: hence the largest weight"
)
SIGNIFICANT = "significant: at p ≤ .05 over permutations of the words, which by chance is so of at most one text in 20"


def cell(asked: Asked, corpus: str, seed: int, model: str, measures: tuple[str, ...]) -> RunSpec:
    """Describe one run as they trained; models of questions read them."""
    preset = f"jain2019-{corpus.rstrip('123')}" if corpus in QUESTIONS else "jain2019"
    spec, fit = build_specs(model + "+query" * (corpus in QUESTIONS), preset)
    return RunSpec(data_of(asked.folder, corpus), spec, fit, seed, companions=(), measures=measures)


def _cells(*measures: str, models: tuple[str, ...] = (BILSTM, MLP)) -> Cells:
    def cells(asked: Asked, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
        for model in models:
            yield model, cell(asked, corpus, seed, model, measures)

    return cells


def _differing(asked: Asked, corpus: str, seed: int) -> Iterable[tuple[str, RunSpec]]:
    """Exactly where words have answers of their own; models that read a question have none, and are searched."""
    return _cells("searched" if corpus in QUESTIONS else "counterfactual", models=(BILSTM, CNN))(asked, corpus, seed)


def _by_class(audit: Audit, code: str, quantities: Mapping[str, tuple[str, str, Bounds]]) -> dict[str, Found]:
    """Average quantities over the texts of each predicted class, as they do; over all texts of more than three."""
    measured, seed = audit.measurements[code], int(audit.spec["seed"])
    assert isinstance(measured, Measurement), measured
    found = {}
    for of, texts in _classes(audit).items():
        for told, (name, floor, bounds) in quantities.items():
            values = [np.asarray(measured.values[one], dtype=float)[texts] for one in (name, floor) if one]
            estimates = [mean(one, seed, bounds) for one in values]
            found[f"{told}, {of}"] = Found(estimates[0], estimates[1] if floor else None, bounds)
    return found


def _classes(audit: Audit) -> dict[str, np.ndarray]:
    outputs = audit.measurements["outputs"]
    assert isinstance(outputs, Measurement)
    predicted = np.asarray(outputs.values["predicted"])
    names = audit.cards["model"]["labels"]
    if len(names) > 3:
        return {"all classes": np.ones(len(predicted), dtype=bool)}
    return {f"class {number}": predicted == number for number in range(len(names))}


def _correlations(audit: Audit) -> dict[str, Found]:
    """Give Table 2; the floor of τ is that of shuffled weights that were used, of a significant one its level."""
    names = {
        **{f"τ with {one}": (f"tau.{one}", f"coupling_tau.{one}", TAU) for one in ("gradient", "deletion")},
        **{f"significant with {one}": (f"significant.{one}", "", SHARE) for one in ("gradient", "deletion")},
    }
    return {**_by_class(audit, "agreement", names), **_largest(audit)}


def _largest(audit: Audit) -> dict[str, Found]:
    """Give the mean largest weight: how peaked attention is, on which τ depends."""
    weights = audit.measurements["outputs"]
    assert isinstance(weights, Measurement)
    attention, seed = weights.values["attention"], int(audit.spec["seed"])
    assert isinstance(attention, Ragged)
    most = largest(attention)
    return {
        f"largest weight, {of}": Found(mean(most[texts], seed, SHARE), None, SHARE)
        for of, texts in _classes(audit).items()
    }


def _differences(audit: Audit) -> dict[str, Found]:
    """Give τ of gradient and deletion less τ of attention and each: what the two share beyond attention."""
    measured, seed = audit.measurements["agreement"], int(audit.spec["seed"])
    assert isinstance(measured, Measurement), measured
    taus = {
        name: np.asarray(measured.values[f"tau.{name}"], dtype=float) for name in ("references", "gradient", "deletion")
    }
    return {
        f"τ(gradient, deletion) − τ(attention, {name})": Found(
            mean(taus["references"] - taus[name], seed, (-2.0, 2.0)), None, (-2.0, 2.0)
        )
        for name in ("deletion", "gradient")
    }


def _permuted(audit: Audit) -> dict[str, Found]:
    return _by_class(audit, "permutation", {"output moved, median over permutations": ("median", "", SHARE)})


def _farthest(audit: Audit) -> dict[str, Found]:
    exact, searched = (audit.measurements.get(code) for code in ("counterfactual", "searched"))
    values: dict[str, Any] = {}
    if isinstance(exact, Measurement):
        values |= {f"ε-max JSD, {told}": exact.values[f"jsd_{side}"] for side, told in SIDES.items()}
    if isinstance(searched, Measurement):
        values |= {"ε-max JSD, found by the published search": np.asarray(searched.values["published"])[:, -1]}
    seed = int(audit.spec["seed"])
    return {told: Found(mean(np.asarray(one, dtype=float), seed, LOG_2), None, LOG_2) for told, one in values.items()}


EVERY = by_model(_correlations)
ARTEFACTS = (
    Artefact(
        "J-1", "Table 1", "sizes, lengths, and test performance of the BiLSTM", CORPORA,
        cells=_cells("need", models=(BILSTM,)), lines=by_model(performance_of), counted=sizes,
        notes=("words and lengths of the training texts; floor: what guessing reaches",),
    ),
    Artefact(
        "J-2", "Table 2", "Kendall’s τ of attention with gradients and with deletion, by predicted class", CORPORA,
        cells=_cells("agreement"), lines=EVERY, notes=(COUPLED, START, SIGNIFICANT),
    ),
    Artefact(
        "J-3", "Figures 2 and 3", "histograms of τ with gradients and with deletion, by encoder and class", CORPORA,
        cells=_cells("agreement"), lines=EVERY, figures=("tau-by-class", "tau-by-class-deletion"),
        notes=(COUPLED, START, SIGNIFICANT),
    ),
    Artefact(
        "J-4", "Figures 4 and 5", "τ of gradient and deletion less τ of attention and each", CORPORA,
        cells=_cells("agreement", models=(BILSTM,)), lines=by_model(_differences), figures=("tau-differences",),
        notes=("above 0: two accepted measures agree with each other more than attention agrees with one of them",),
    ),
    Artefact(
        "J-6", "Figure 6", "median output change under permuted weights, by the largest weight", CORPORA,
        cells=_cells("permutation", models=(BILSTM, CNN)), lines=by_model(_permuted),
        figures=("permutation-by-weight",),
    ),
    Artefact(
        "J-7", "Figure 7", "how far attention may be from the model’s own with the same answer", CORPORA,
        cells=_differing, lines=by_model(_farthest), figures=("farthest",), notes=(EPSILON,),
    ),
    Artefact(
        "J-8", "Figure 8", "the same, by the largest weight", CORPORA,
        cells=_differing, lines=by_model(_farthest), figures=("farthest-by-weight",), notes=(EPSILON,),
    ),
    Artefact(
        "J-H", "Figure 1", "one text under the model’s attention, and under the farthest with the same answer", BINARY,
        cells=_cells("counterfactual", models=(BILSTM,)), lines=by_model(_farthest), figures=("heat-map",),
        notes=(EPSILON,),
    ),
)  # fmt: skip
