"""Models with a known truth for the documentation: for every test, an example that passes and one
that fails.

All are trained on one corpus, in which one word of the class stands among fillers and every text
ends with a full stop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Estimate, Finding, MapRow
from sightline.studies.calibration.threshold_calibration import MEASURED
from sightline.studies.study_definition import FinishedRun, Labels, Params, Rows, Study, gate

DATA = "planted:needle(n=1200,length=20,strength=0.9,ending=true)"
_TRAINING = FitSpec(epochs=40, patience=5)


@dataclass(frozen=True)
class DocumentedModel:
    """A model, how it is trained, and how it is changed before its audit."""

    model: str
    fit: FitSpec = _TRAINING
    altered: str = ""


_MLP, _BILSTM = "mlp(hidden=64)+additive", "bilstm(hidden=64)+additive"
MODELS: Mapping[str, DocumentedModel] = {
    "MLP": DocumentedModel(_MLP),
    "BiLSTM": DocumentedModel(_BILSTM),
    "BiLSTM, guided onto the full stop": DocumentedModel(_BILSTM, replace(_TRAINING, guide="last")),
    "BiLSTM, guided onto the evidence": DocumentedModel(_BILSTM, replace(_TRAINING, guide="onto")),
    "MLP, drawn weights shown and not used": DocumentedModel(f"{_MLP}+uniform", altered="random"),
    "MLP, drawn weights used": DocumentedModel(f"{_MLP}+random(scale=2.0)"),
    "MLP, weights frozen by word": DocumentedModel(f"{_MLP}+frozen(scale=2.0)"),
}
STOP, EVIDENCE = "BiLSTM, guided onto the full stop", "BiLSTM, guided onto the evidence"
_UNUSED, _FROZEN = "MLP, drawn weights shown and not used", "MLP, weights frozen by word"


@dataclass(frozen=True)
class ExampleCase:
    """A model, and a predicted class if only its texts are meant."""

    model: str
    of: str = ""


EXAMPLES: Mapping[str, tuple[ExampleCase, ExampleCase]] = {
    "SL-303": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-301": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-304": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-307": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-308": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-101": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-102": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-104": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-001": (ExampleCase("MLP"), ExampleCase("BiLSTM")),
    "SL-105": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-106": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-402": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-202": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-401": (ExampleCase("MLP"), ExampleCase(STOP)),
    "SL-205": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-107": (ExampleCase("MLP"), ExampleCase(_FROZEN)),
    "SL-201": (ExampleCase("MLP", "alpha"), ExampleCase("MLP", "beta")),
    "SL-403": (ExampleCase("MLP"), ExampleCase("BiLSTM")),
    "SL-302": (ExampleCase("MLP"), ExampleCase(_UNUSED)),
    "SL-601": (ExampleCase(EVIDENCE), ExampleCase("MLP, drawn weights used")),
    "SL-203": (ExampleCase(EVIDENCE), ExampleCase("BiLSTM")),
}
"""For each test a case that passes and a case that fails."""
ROWS: Mapping[str, tuple[int, ...]] = {
    "MLP": (4, 5),
    EVIDENCE: (4, 5),
    STOP: (2, 3),
    _UNUSED: (2, 3),
}
"""The correct rows of the verdict table for models whose truth leaves no doubt."""


def run_spec(name: str, seed: int = 0) -> RunSpec:
    """Describe the run of one of `MODELS`."""
    one = MODELS[name]
    companions = ("uniform", "frozen", "seed(by=1)")
    return RunSpec(
        parse_data(DATA),
        parse_model(one.model),
        one.fit,
        seed,
        companions=companions,
        measures=MEASURED,
        altered=one.altered,
    )


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    yield from (((name,), run_spec(name)) for name in MODELS)


def _summary(rows: Rows) -> dict[str, Any]:
    """Check every model against its row, and every example against its result."""
    examples = {code: [asdict(case) for case in cases] for code, cases in EXAMPLES.items()}
    gates = [*_gates({row["model"]: row for row in rows["rows"]})]
    return {"data": DATA, **rows, "examples": examples, "gates": gates}


def _values(run: FinishedRun) -> dict[str, Any]:
    name, audit = run.model, run.audit()
    one, words = MODELS[name], audit.estimates["marks.words"]
    return {
        "spec": one.model,
        "guide": one.fit.guide,
        "altered": one.altered,
        "accuracy": _describe(audit.metrics["accuracy"]),
        # The full stop is the only punctuation mark, so it has what words lack.
        "on_the_stop": _describe(
            Estimate(1 - words.value, 1 - words.high, 1 - words.low, words.n, words.method)
        ),
        "verdict": {
            "row": audit.verdict.row,
            "text": audit.verdict.level,
            "reasons": list(map(str, audit.verdict.reasons)),
        },
        "by_class": {
            of: {"row": one.row, "text": one.level} for of, one in audit.verdict.by_class.items()
        },
        "findings": {finding.code: _found(finding) for finding in audit.findings},
        "maps": [_map(row) for row in audit.maps],
    }


def _found(finding: Finding) -> dict[str, Any]:
    numbers = {"number": finding.number, "floor": finding.baseline, "effect": finding.score}
    of = {
        name: {"answer": finding.answers.get(name, "not run"), "effect": _describe(score)}
        for name, score in finding.by_class.items()
    }
    known = {name: _describe(one) for name, one in numbers.items() if one is not None}
    return {"answer": finding.result} | known | {"by_class": of}


def _map(row: MapRow) -> dict[str, Any]:
    carried = None if row.carried is None else _describe(row.carried)
    return {"name": row.name, "answer": row.answer, "chosen": row.chosen, "carried": carried}


def _describe(estimate: Estimate) -> dict[str, Any]:
    """Write an estimate to four digits, enough for the documentation; unknown values are None."""
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    return {name: None if math.isnan(one) else round(one, 4) for name, one in numbers.items()} | {
        "n": estimate.n
    }


def _gates(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, allowed in ROWS.items():
        if name not in rows:  # not run yet
            continue
        row, texts = rows[name]["verdict"]["row"], rows[name]["accuracy"]["n"]
        yield gate(f"row: {name}", row, texts, f"in {allowed}", holds=row in allowed)
    for code, cases in EXAMPLES.items():
        for case, wanted in zip(cases, ("passed", "failed"), strict=True):
            if case.model not in rows:
                continue
            found = rows[case.model]["findings"][code]
            of = found["by_class"].get(case.of, {}) if case.of else found
            answer = of.get("answer", "not run")
            text = f"{code}: {case.model}{case.of and f', predicted {case.of!r}'}"
            texts = rows[case.model]["accuracy"]["n"]
            yield gate(text, answer, texts, wanted, holds=answer == wanted)


STUDY = Study(
    "examples",
    "an example each way of every finding",
    _runs,
    ("model",),
    estimates=_values,
    summary=_summary,
)
