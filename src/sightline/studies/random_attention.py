"""Worked examples with a known answer, for the documentation and the tests: attention that nobody chose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sightline.audits import Audit
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, RunSpec
from sightline.studies.study import gate, grid_of

NEEDLE = "planted:needle(n=1200,length=20)"
_MLP, _BILSTM = FitSpec(epochs=20, patience=4), FitSpec(epochs=25, patience=10)
MODELS: Mapping[str, tuple[str, FitSpec]] = {
    "MLP, learned attention": ("mlp+additive", _MLP),
    "MLP, random attention": ("mlp+additive+random(scale=2.0)", _MLP),
    "BiLSTM, learned attention": ("bilstm(hidden=64)+additive", _BILSTM),
    "BiLSTM, random attention": ("bilstm(hidden=64)+additive+random(scale=1.0)", _BILSTM),
}
"""Random weights are drawn for each word of each text and *used* by the decoder, in training as in the audit."""
CODES = ("SL-101", "SL-102", "SL-104", "SL-301")
SUPPORTED, NOT_SUPPORTED = ("passed",), ("failed", "inconclusive")
EXPECTED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "MLP, learned attention": dict.fromkeys(("SL-101", "SL-102", "SL-104"), SUPPORTED),
    "MLP, random attention": {"SL-104": NOT_SUPPORTED},
    "BiLSTM, random attention": dict.fromkeys(("SL-101", "SL-102", "SL-104"), NOT_SUPPORTED),
}
"""The answers that the examples are there to show."""


def cell(name: str, seed: int = 0) -> RunSpec:
    """Describe the run of one of `MODELS` on a needle among fillers, without companions."""
    model, fit = MODELS[name]
    return RunSpec(parse_data(NEEDLE), parse_model(model), fit, seed, companions=())


def grid() -> Grid:
    """List the examples."""
    return grid_of("random attention", ("model",), (((name,), cell(name)) for name in MODELS))


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Give the rows of ``docs/random-attention.md``, and what they must show."""
    audits = {labels[0]: store.audit(key) for labels, key in zip(grid.labels, grid.keys, strict=True)}
    return {
        "data": NEEDLE,
        "rows": [_row(name, audit) for name, audit in audits.items()],
        "gates": [*_gates(audits)],
    }


def _row(name: str, audit: Audit) -> dict[str, Any]:
    found = {f.code: f for f in audit.findings if f.code in CODES}
    effects = {code: asdict(f.score) for code, f in found.items() if f.score is not None}
    return {
        "model": name,
        "spec": MODELS[name][0],
        "accuracy": asdict(audit.metrics["accuracy"]),
        "tau_gradient": asdict(audit.estimates["agreement.tau.gradient"]),
        "tau_deletion": asdict(audit.estimates["agreement.tau.deletion"]),
        "findings": {code: {"verdict": found[code].result} | score for code, score in effects.items()},
    }


def _gates(audits: Mapping[str, Audit]) -> Iterator[dict[str, Any]]:
    for name, expected in EXPECTED.items():
        answers = {finding.code: finding.result for finding in audits[name].findings}
        texts = len(audits[name].texts)
        for code, allowed in expected.items():
            yield gate(f"{name}: {code}", answers[code], texts, " or ".join(allowed), holds=answers[code] in allowed)
    mlp, bilstm = audits["MLP, random attention"], audits["BiLSTM, random attention"]
    tau, accuracy = mlp.estimates["agreement.tau.gradient"], bilstm.metrics["accuracy"]
    name = "MLP, random attention: τ with the gradient"
    yield gate(name, round(tau.value, 3), tau.n, "> .5", holds=tau.low > 0.5)
    name = "BiLSTM, random attention: accuracy"
    yield gate(name, accuracy.value, accuracy.n, "1", holds=accuracy.value == 1)
