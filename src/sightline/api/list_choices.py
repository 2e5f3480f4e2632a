"""List every choice: parts, measures, tests, presets and figures, one row each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from sightline.config.data_parts import GATHERED, PLANTED, PUBLISHED, TABLES
from sightline.config.json_reader import type_in_words
from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import BY_NAME, MEASURES, quantity_of
from sightline.config.model_parts import CONTROLS, MODELS
from sightline.config.presets import PRESETS
from sightline.config.registry import COMPANIONS as COMPANIONS
from sightline.config.registry_row import Row as Part
from sightline.config.word_maps import Reduction as Reduction
from sightline.report.alternative_maps import MEASURED
from sightline.verdict.catalogue import AUDIT_TESTS as AUDIT_TESTS

Row = dict[str, Any]
Kind = Literal[
    "models", "controls", "data", "measures", "findings", "presets", "fields", "columns", "figures"
]
TRAINED = (
    ("FOLDER", "a model that sightline train wrote"),
    ("hf:FOLDER", "a text classifier of Hugging Face; (layer=N,head=M) names an attention source"),
    ("hf-causal:FOLDER(template=FILE,answers=A|B)", "a language model asked by a prompt"),
    ("py:package.module:factory", "any PyTorch module, by what sightline.wrap or tap gives"),
    ("answers:package.module:function", "any function from texts to probabilities"),
)
"""How to name a trained model."""
EXPENSIVE = tuple(sorted(BY_NAME))
"""The measures that an audit runs only if they are named."""


def list_choices(kind: Kind | None = None) -> dict[Kind, list[Row]]:
    """List the choices of one kind, or of every kind."""
    return {name: rows() for name, rows in KINDS.items() if kind in (None, name)}


def _models() -> list[Row]:
    return [
        *(
            {"name": name, "kind": "trained", "options": {}, "about": text}
            for name, text in TRAINED
        ),
        *_parts(),
    ]


def _parts() -> list[Row]:
    return [
        {"name": part.name, "kind": part.kind, "options": part.defaults, "about": part.about}
        for part in MODELS
    ]


def _companions() -> list[Row]:
    return [{"name": one.name, "options": one.defaults, "about": one.about} for one in CONTROLS]


def _data() -> list[Row]:
    tables = [_source(table, f"{table.name}:FILE") for table in TABLES]
    gathered = [_source(one, f"{one.name}:PATH") for one in GATHERED]
    published = [_source(corpus, f"{corpus.name}:PATH") for corpus in PUBLISHED]
    return [
        *tables,
        *gathered,
        *published,
        *(_source(corpus, f"planted:{corpus.name}") for corpus in PLANTED),
    ]


def _source(part: Part, spec: str) -> Row:
    return {"name": part.name, "spec": spec, "options": part.defaults, "about": part.about}


def _measures() -> list[Row]:
    return [
        {
            "code": code,
            "needs": sorted(NEEDS[code]),
            "paper": PAPERS[code],
            "about": _first_line(row.made_by),
        }
        for code, row in MEASURES.items()
    ]


def _first_line(home: str) -> str:
    """Read the first line of a measure's docstring; importing the measure would load torch."""
    module, kind = home.split(":")
    source = find_spec(module)
    assert source is not None  # it is a module of this package
    assert source.origin is not None
    parsed = ast.parse(Path(source.origin).read_text(encoding="utf-8"))
    classes = {one.name: one for one in parsed.body if isinstance(one, ast.ClassDef)}
    return (
        (ast.get_docstring(classes[kind]) or "").partition("\n\n")[0].replace("\n", " ").rstrip(".")
    )


def _findings() -> list[Row]:
    return [
        {"code": code, "name": claim.name, "role": claim.role, "about": claim.question}
        for code, claim in AUDIT_TESTS.items()
    ]


def _presets() -> list[Row]:
    return [{"name": name, "about": preset.source} for name, preset in PRESETS.items()]


def _fields() -> list[Row]:
    from sightline.experiments.grid import FIELDS  # noqa: PLC0415  (as late as it is needed)

    return [{"name": name, "about": type_in_words(kind)} for name, kind in FIELDS.items()]


def _columns() -> list[Row]:
    from sightline.experiments.tabulate import choosable  # noqa: PLC0415  (as late as it is needed)

    return [{"name": name, "about": _column(name)} for name in choosable()]


def _figures() -> list[Row]:
    from sightline.report.figures.figure_registry import FIGURES  # noqa: PLC0415  (numpy)
    from sightline.report.figures.study_means import MEANS  # noqa: PLC0415  (numpy)

    of_a_study = {"name": MEANS, "about": "the table of a study, a panel a column (only there)"}
    of_audits = [{"name": name, "about": figure.description} for name, figure in FIGURES.items()]
    return [of_a_study, *of_audits]


def _column(name: str) -> str:
    """Describe a column of a study's table."""
    head, _, part = name.partition(".")
    if head in AUDIT_TESTS:
        return f"{part or 'score'}: {AUDIT_TESTS[head].name}"
    known = quantity_of(head, part)
    return known.description if known else _OTHERS.get(name) or _OTHERS[part.rpartition(".")[2]]


_OTHERS: Mapping[str, str] = {
    "verdict": "the verdict of the audit",
    "accuracy": "accuracy on the audited texts",
    "f1": "macro-F1 on the audited texts",
    "guessing": "accuracy of always saying the most common class",
    "above": "accuracy above that",
    **{"accuracy_drop": "accuracy that is lost", "F1_drop": "macro-F1 that is lost"},
    "matters": "share of texts whose own score of Top word lies above the threshold",
    **{did: f"share of the decision {label}" for did, label in MEASURED.items()},
}
"""Descriptions of columns that no test and no quantity describes."""

KINDS: Mapping[Kind, Callable[[], list[Row]]] = {
    "models": _models,
    "controls": _companions,
    "data": _data,
    "measures": _measures,
    "findings": _findings,
    "presets": _presets,
    "fields": _fields,
    "columns": _columns,
    "figures": _figures,
}
