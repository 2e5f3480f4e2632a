"""``sightline list``: everything a flag can name, each with one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import typer

from sightline.cli import flags
from sightline.cli.output import emit, say
from sightline.findings.claims import CLAIMS
from sightline.quantities import quantity_of
from sightline.report.instead import MEASURED
from sightline.report.sheets.columns import aligned
from sightline.spec.data_rows import GATHERED, PLANTED, PUBLISHED, TABLES
from sightline.spec.model_rows import MODELS, TRAINED_BESIDE
from sightline.spec.presets import PRESETS
from sightline.spec.row import Row as Part
from sightline.spec.typed import wanted

Row = dict[str, Any]
Kind = Literal["models", "controls", "data", "measures", "findings", "presets", "fields", "columns", "figures"]
What = Annotated[
    Kind | None,
    typer.Argument(
        metavar="KIND",
        show_default="all",
        help="What to list, one of these: models, controls, data, measures, findings, presets, fields, columns, "
        "figures.",
    ),
]


def listing(kind: What = None, as_json: flags.Json = False) -> None:
    """List what there is: parts, control models, data, measures, findings, presets, fields, columns and figures."""
    listed = {name: rows() for name, rows in KINDS.items() if kind in (None, name)}
    if as_json:
        return emit(listed)
    return say([line for name, rows in listed.items() for line in (f"{name}:", *_lines(rows), "")][:-1])


def _models() -> list[Row]:
    return [{"name": part.name, "kind": part.kind, "options": part.defaults, "about": part.about} for part in MODELS]


def _companions() -> list[Row]:
    return [{"name": one.name, "options": one.defaults, "about": one.about} for one in TRAINED_BESIDE]


def _data() -> list[Row]:
    tables = [_source(table, f"{table.name}:FILE") for table in TABLES]
    gathered = [_source(one, f"{one.name}:PATH") for one in GATHERED]
    published = [_source(corpus, f"{corpus.name}:PATH") for corpus in PUBLISHED]
    return [*tables, *gathered, *published, *(_source(corpus, f"planted:{corpus.name}") for corpus in PLANTED)]


def _source(part: Part, spec: str) -> Row:
    return {"name": part.name, "spec": spec, "options": part.defaults, "about": part.about}


def _measures() -> list[Row]:
    from sightline.measures import every_measure  # noqa: PLC0415  (torch)

    return [
        {"code": one.code, "needs": sorted(one.needs), "paper": one.paper, "about": _first_line(one)}
        for one in every_measure()
    ]


def _first_line(measure: object) -> str:
    return (type(measure).__doc__ or "").partition("\n")[0].rstrip(".")


def _findings() -> list[Row]:
    return [
        {"code": code, "role": claim.role, "name": claim.name, "about": claim.question}
        for code, claim in CLAIMS.items()
    ]


def _presets() -> list[Row]:
    return [{"name": name, "about": preset.source} for name, preset in PRESETS.items()]


def _fields() -> list[Row]:
    from sightline.experiments.grid import FIELDS  # noqa: PLC0415  (as late as it is needed)

    return [{"name": name, "about": wanted(kind)} for name, kind in FIELDS.items()]


def _columns() -> list[Row]:
    from sightline.experiments.tabulate import choosable  # noqa: PLC0415  (as late as it is needed)

    return [{"name": name, "about": _column(name)} for name in choosable()]


def _figures() -> list[Row]:
    from sightline.report.plots.named import FIGURES  # noqa: PLC0415  (numpy)

    return [{"name": name, "about": figure.told} for name, figure in FIGURES.items()]


def _column(name: str) -> str:
    """Say what a column of a study's table holds."""
    head, _, part = name.partition(".")
    if head in CLAIMS:
        return f"{part or 'score'}: {CLAIMS[head].name}"
    known = quantity_of(head, part)
    return known.told if known else _OTHERS.get(name) or _OTHERS[part.rpartition(".")[2]]


_OTHERS: Mapping[str, str] = {
    "verdict": "the verdict of the audit",
    "accuracy": "accuracy on the audited texts",
    "f1": "macro-F1 on the audited texts",
    "guessing": "accuracy of always saying the most common class",
    "above": "accuracy above that",
    **{"accuracy_drop": "accuracy that is lost", "F1_drop": "macro-F1 that is lost"},
    **{did: f"share of the decision {told}" for did, told in MEASURED.items()},
}
"""What those columns hold that no claim and no quantity tells of."""

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


def _lines(rows: list[Row]) -> list[str]:
    return aligned([[*filter(None, [row.get("kind")]), _name(row), _told(row)] for row in rows], "  ")


def _name(row: Row) -> str:
    return str(row.get("spec") or row.get("code") or row["name"])


def _told(row: Row) -> str:
    """Say in one line what a person wants to know of a row."""
    told = str(row["about"])
    more = [row.get("paper"), row.get("needs") and f"needs {', '.join(row['needs'])}"]
    if options := row.get("options"):
        more.append(", ".join(f"{key}={json.dumps(value)}" for key, value in options.items()))
    if row.get("role") == "informational":
        more.append("informational: the verdict does not rest on it")
    return f"{told} ({'; '.join(filter(None, more))})" if any(more) else told
