"""Worked examples with random attention and a known answer, for the documentation and the tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.studies.study_definition import FinishedRun, Labels, Params, Rows, Study, gate

NEEDLE = "planted:needle(n=1200,length=20)"
_MLP, _BILSTM = FitSpec(epochs=20, patience=4), FitSpec(epochs=25, patience=10)
MODELS: Mapping[str, tuple[str, FitSpec]] = {
    "MLP, learned attention": ("mlp+additive", _MLP),
    "MLP, random attention": ("mlp+additive+random(scale=2.0)", _MLP),
    "BiLSTM, learned attention": ("bilstm(hidden=64)+additive", _BILSTM),
    "BiLSTM, random attention": ("bilstm(hidden=64)+additive+random(scale=1.0)", _BILSTM),
}
"""Random weights are drawn for each word of each text and *used* by the decoder, in training as in
the audit."""
CODES = ("SL-101", "SL-102", "SL-104", "SL-301")
SUPPORTED, NOT_SUPPORTED = ("passed",), ("failed", "inconclusive")
EXPECTED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "MLP, learned attention": dict.fromkeys(("SL-101", "SL-102", "SL-104"), SUPPORTED),
    "MLP, random attention": {"SL-104": NOT_SUPPORTED},
    "BiLSTM, random attention": dict.fromkeys(("SL-101", "SL-102", "SL-104"), NOT_SUPPORTED),
}
"""The answers that the examples must show."""


def run_spec(name: str, seed: int = 0) -> RunSpec:
    """Describe the run of one of `MODELS` on a needle among fillers, without control models."""
    model, fit = MODELS[name]
    return RunSpec(parse_data(NEEDLE), parse_model(model), fit, seed, companions=())


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    yield from (((name,), run_spec(name)) for name in MODELS)


def _summary(rows: Rows) -> dict[str, Any]:
    """Check what the examples must show."""
    gates = [*_gates({row["model"]: row for row in rows["rows"]})]
    return {"data": NEEDLE, **rows, "gates": gates}


def _values(run: FinishedRun) -> dict[str, Any]:
    name, audit = run.model, run.audit()
    found = {code: audit.by_test[code] for code in CODES if code in audit.by_test}
    effects = {code: asdict(f.score) for code, f in found.items() if f.score is not None}
    return {
        "spec": MODELS[name][0],
        "accuracy": asdict(audit.metrics["accuracy"]),
        "tau_gradient": asdict(audit.estimates["agreement.tau.gradient"]),
        "tau_deletion": asdict(audit.estimates["agreement.tau.deletion"]),
        "findings": {
            code: {"verdict": found[code].result} | score for code, score in effects.items()
        },
    }


def _gates(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, expected in EXPECTED.items():
        if name not in rows:  # not run yet
            continue
        found, texts = rows[name]["findings"], rows[name]["accuracy"]["n"]
        for code, allowed in expected.items():
            answer = found.get(code, {}).get("verdict", "not run")
            text = f"{name}: {code}"
            yield gate(text, answer, texts, " or ".join(allowed), holds=answer in allowed)
    if (mlp := rows.get("MLP, random attention")) is not None:
        tau, name = mlp["tau_gradient"], "MLP, random attention: τ with the gradient"
        yield gate(name, round(tau["value"], 3), tau["n"], "> .5", holds=tau["low"] > 0.5)
    if (bilstm := rows.get("BiLSTM, random attention")) is not None:
        accuracy, name = bilstm["accuracy"], "BiLSTM, random attention: accuracy"
        yield gate(name, accuracy["value"], accuracy["n"], "1", holds=accuracy["value"] == 1)


STUDY = Study(
    "random_attention",
    "worked examples: attention that nobody chose",
    _runs,
    ("model",),
    estimates=_values,
    summary=_summary,
)
