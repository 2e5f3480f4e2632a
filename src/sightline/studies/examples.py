"""A few models about which the truth is known, for the documentation: an example each way of every finding.

All are trained on one corpus, in which a word of the class stands among fillers and every text ends on a full stop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sightline.results import Estimate, Finding, MapRow
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, RunSpec
from sightline.studies.study import Done, Labels, Params, Rows, Study, gate
from sightline.studies.thresholds import MEASURED

DATA = "planted:needle(n=1200,length=20,strength=0.9,ending=true)"
_TRAINING = FitSpec(epochs=40, patience=5)


@dataclass(frozen=True)
class Known:
    """A model, how it is trained, and how it is changed before its audit."""

    model: str
    fit: FitSpec = _TRAINING
    altered: str = ""


_MLP, _BILSTM = "mlp(hidden=64)+additive", "bilstm(hidden=64)+additive"
MODELS: Mapping[str, Known] = {
    "MLP": Known(_MLP),
    "BiLSTM": Known(_BILSTM),
    "BiLSTM, guided onto the full stop": Known(_BILSTM, replace(_TRAINING, guide="last")),
    "BiLSTM, guided onto the evidence": Known(_BILSTM, replace(_TRAINING, guide="onto")),
    "MLP, drawn weights shown and not used": Known(f"{_MLP}+uniform", altered="random"),
    "MLP, drawn weights used": Known(f"{_MLP}+random(scale=2.0)"),
    "MLP, weights frozen by word": Known(f"{_MLP}+frozen(scale=2.0)"),
}
STOP, EVIDENCE = "BiLSTM, guided onto the full stop", "BiLSTM, guided onto the evidence"
_UNUSED, _FROZEN = "MLP, drawn weights shown and not used", "MLP, weights frozen by word"


@dataclass(frozen=True)
class Case:
    """A model, and the class it predicts where only such texts are meant."""

    model: str
    of: str = ""


EXAMPLES: Mapping[str, tuple[Case, Case]] = {
    "SL-303": (Case("MLP"), Case(STOP)),
    "SL-301": (Case("MLP"), Case(_UNUSED)),
    "SL-304": (Case("MLP"), Case(STOP)),
    "SL-307": (Case("MLP"), Case(_UNUSED)),
    "SL-308": (Case("MLP"), Case(STOP)),
    "SL-101": (Case("MLP"), Case(_UNUSED)),
    "SL-102": (Case("MLP"), Case(_UNUSED)),
    "SL-104": (Case("MLP"), Case(STOP)),
    "SL-001": (Case("MLP"), Case("BiLSTM")),
    "SL-105": (Case("MLP"), Case(_UNUSED)),
    "SL-106": (Case("MLP"), Case(STOP)),
    "SL-402": (Case("MLP"), Case(STOP)),
    "SL-202": (Case("MLP"), Case(_UNUSED)),
    "SL-401": (Case("MLP"), Case(STOP)),
    "SL-205": (Case("MLP"), Case(_UNUSED)),
    "SL-107": (Case("MLP"), Case(_FROZEN)),
    "SL-201": (Case("MLP", "alpha"), Case("MLP", "beta")),
    "SL-403": (Case("MLP"), Case("BiLSTM")),
    "SL-302": (Case("MLP"), Case(_UNUSED)),
    "SL-601": (Case(EVIDENCE), Case("MLP, drawn weights used")),
    "SL-203": (Case(EVIDENCE), Case("BiLSTM")),
}
"""Of each finding a case in which its claim is supported, and one in which it is contradicted."""
ROWS: Mapping[str, tuple[int, ...]] = {"MLP": (4, 5), EVIDENCE: (4, 5), STOP: (2, 3), _UNUSED: (2, 3)}
"""The rows of the verdict table that are right for a model, where its truth leaves no doubt."""


def cell(name: str, seed: int = 0) -> RunSpec:
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
    yield from (((name,), cell(name)) for name in MODELS)


def _summary(rows: Rows) -> dict[str, Any]:
    """Hold every model against its row, and every example against its side."""
    examples = {code: [asdict(case) for case in cases] for code, cases in EXAMPLES.items()}
    gates = [*_gates({row["model"]: row for row in rows["rows"]})]
    return {"data": DATA, **rows, "examples": examples, "gates": gates}


def _values(run: Done) -> dict[str, Any]:
    name, audit = run.model, run.audit()
    one, words = MODELS[name], audit.estimates["marks.words"]
    return {
        "spec": one.model,
        "guide": one.fit.guide,
        "altered": one.altered,
        "accuracy": _told(audit.metrics["accuracy"]),
        # The full stop is the only mark there is, so it has what words have not.
        "on_the_stop": _told(Estimate(1 - words.value, 1 - words.high, 1 - words.low, words.n, words.method)),
        "verdict": {"row": audit.verdict.row, "text": audit.verdict.text, "reasons": list(audit.verdict.reasons)},
        "by_class": {of: {"row": one.row, "text": one.text} for of, one in audit.verdict.by_class.items()},
        "findings": {finding.code: _found(finding) for finding in audit.findings},
        "maps": [_map(row) for row in audit.maps],
    }


def _found(finding: Finding) -> dict[str, Any]:
    numbers = {"number": finding.number, "floor": finding.floor, "effect": finding.effect}
    of = {
        name: {"answer": finding.answers.get(name, "not applicable"), "effect": _told(effect)}
        for name, effect in finding.by_class.items()
    }
    known = {name: _told(one) for name, one in numbers.items() if one is not None}
    return {"answer": finding.verdict} | known | {"by_class": of}


def _map(row: MapRow) -> dict[str, Any]:
    carried = None if row.carried is None else _told(row.carried)
    return {"name": row.name, "answer": row.answer, "chosen": row.chosen, "carried": carried}


def _told(estimate: Estimate) -> dict[str, Any]:
    """Give an estimate to four digits, as many as the documentation can use; what is not known is None."""
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    return {name: None if math.isnan(one) else round(one, 4) for name, one in numbers.items()} | {"n": estimate.n}


def _gates(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, allowed in ROWS.items():
        row, texts = rows[name]["verdict"]["row"], rows[name]["accuracy"]["n"]
        yield gate(f"row: {name}", row, texts, f"in {allowed}", holds=row in allowed)
    for code, cases in EXAMPLES.items():
        for case, wanted in zip(cases, ("supported", "contradicted"), strict=True):
            found = rows[case.model]["findings"][code]
            of = found["by_class"].get(case.of, {}) if case.of else found
            answer = of.get("answer", "not applicable")
            told = f"{code}: {case.model}{case.of and f', predicted {case.of!r}'}"
            texts = rows[case.model]["accuracy"]["n"]
            yield gate(told, answer, texts, wanted, holds=answer == wanted)


STUDY = Study(
    "examples",
    "an example each way of every finding",
    _runs,
    ("model",),
    estimates=_values,
    summary=_summary,
)
