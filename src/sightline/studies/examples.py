"""Worked examples with a known answer, for the documentation and the tests: attention that nobody chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sightline.audits import Audit
from sightline.experiments.run import run
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, RunSpec
from sightline.studies.calibration import TRAINING

NEEDLE = "planted:needle(n=1200,length=20)"
MODELS: Mapping[str, tuple[str, FitSpec]] = {
    "MLP, learned attention": ("mlp+additive", TRAINING),
    "MLP, random attention": ("mlp+additive+random(scale=2.0)", TRAINING),
    "BiLSTM, learned attention": ("bilstm(hidden=64)+additive", FitSpec(epochs=25, patience=10)),
    "BiLSTM, random attention": ("bilstm(hidden=64)+additive+random(scale=1.0)", FitSpec(epochs=25, patience=10)),
}
"""Random weights are drawn for each word of each text and *used* by the decoder, in training as in the audit."""


def audit_example(name: str, seed: int = 0) -> Audit:
    """Train and audit one of `MODELS` on a needle among fillers; no companion is trained."""
    model, fit = MODELS[name]
    return run(RunSpec(parse_data(NEEDLE), parse_model(model), fit, seed, companions=()))[1]


def random_attention() -> dict[str, Any]:
    """Audit every example: the rows of ``docs/random-attention.md``, and what they must show."""
    audits = {name: audit_example(name) for name in MODELS}
    return {
        "data": NEEDLE,
        "rows": [_row(name, audit) for name, audit in audits.items()],
        "gates": [*_expected(audits)],
    }


def _row(name: str, audit: Audit) -> dict[str, Any]:
    found = {f.code: f for f in audit.findings if f.code in ("SL-101", "SL-102", "SL-104", "SL-301")}
    effects = {code: asdict(f.effect) for code, f in found.items() if f.effect is not None}
    return {
        "model": name,
        "spec": MODELS[name][0],
        "accuracy": asdict(audit.metrics["accuracy"]),
        "tau_gradient": asdict(audit.estimates["agreement.tau.gradient"]),
        "tau_deletion": asdict(audit.estimates["agreement.tau.deletion"]),
        "findings": {code: {"verdict": found[code].verdict} | effect for code, effect in effects.items()},
    }


def _expected(audits: Mapping[str, Audit]) -> list[dict[str, Any]]:
    """What the examples are there to show, as gates."""
    learned, mlp = audits["MLP, learned attention"], audits["MLP, random attention"]
    bilstm = audits["BiLSTM, random attention"]
    tau = mlp.estimates["agreement.tau.gradient"]
    accuracy = bilstm.metrics["accuracy"].value
    gates = [_answer("MLP, learned attention", learned, code, {"supported"}) for code in ("SL-101", "SL-102", "SL-104")]
    gates += [_answer("MLP, random attention", mlp, "SL-104", {"contradicted", "inconclusive"})]
    gates += [
        _answer("BiLSTM, random attention", bilstm, code, {"contradicted", "inconclusive"})
        for code in ("SL-101", "SL-102", "SL-104")
    ]
    gates.append(_gate("MLP, random attention: τ with the gradient", round(tau.value, 3), tau.n, "> .5", tau.low > 0.5))
    gates.append(_gate("BiLSTM, random attention: accuracy", accuracy, 300, "1", accuracy == 1))
    return gates


def _answer(name: str, audit: Audit, code: str, allowed: set[str]) -> dict[str, Any]:
    verdict = next(f.verdict for f in audit.findings if f.code == code)
    return _gate(f"{name}: {code}", verdict, len(audit.texts), " or ".join(sorted(allowed)), verdict in allowed)


def _gate(name: str, count: Any, of: int, limit: str, holds: bool) -> dict[str, Any]:
    return {"name": name, "count": count, "of": of, "limit": limit, "holds": holds}
