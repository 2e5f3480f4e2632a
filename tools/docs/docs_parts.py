"""The generated parts of the documentation: thresholds, the verdict, tests, presets, and tables of
results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from docs_numbers import quote
from docs_results import RESULTS
from docs_tables import ROOT, finding_page, table

from sightline._io.limits import BOUNDS
from sightline.config.base_runs import RESET_FIELDS
from sightline.config.measure_registry import MEASURES
from sightline.config.measures.quantity import Scale
from sightline.config.model_parts import ALTERED, MODELS
from sightline.config.presets import PRESETS, build_specs
from sightline.config.registry_row import Row
from sightline.config.word_maps import MAPS, RIVALS, SIGNED_RIVALS
from sightline.core.results import SCHEMA
from sightline.data.corpora.corpus_registry import FORMATS
from sightline.experiments.sql.store_tables import TABLES
from sightline.report.effect_scale import SCALE
from sightline.report.figures.figure_registry import FIGURES
from sightline.studies.calibration.threshold_calibration import WORLDS
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.verdict.audit_test import Requirement, Veto
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.verdict_table import TABLE

Made = Mapping[str, Callable[[], str]]
UNTESTED = "none names it yet"
BLOCK = re.compile(
    r"(?P<open><!-- (?P<name>[^/\n][^\n]*?) -->\n)(?P<body>.*?)(?P<close><!-- /(?P=name) -->)",
    re.DOTALL,
)
"""A generated part: everything between a marker and the same marker with a slash."""
VETOES: Mapping[Veto, str] = {
    "": "—",
    "moved": "must not be shown (row 2)",
    "alone": "must not be shown (row 3)",
    "together": "must not be shown (row 3), where all that say so failed",
    "below zero": "must not be shown (row 3), where even the interval lies below chance",
}
"""What a failed test does."""
ASKED: Mapping[Requirement, str] = {
    "": "—",
    "passed": "passed",
    "one of these": "one of these tests passed",
    "not failed": "not failed",
}
"""What a row of the verdict table requires of a result."""
ROLES = {
    "required": "row 2, 3 or 5 looks at it",
    "must not fail": "it can turn *can be shown* into *can be shown with caveats*, and no more",
    "informational": "no row looks at it",
}


def makers() -> dict[str, Callable[[], str]]:
    """Give the maker of every generated part, by its name."""
    by_code: dict[str, Callable[[], str]] = {
        f"delta {code}": partial(threshold, code) for code in AUDIT_TESTS
    }
    by_code |= {f"tests {code}": partial(tests_of, code) for code in AUDIT_TESTS}
    by_code |= {f"arrays {code}": partial(arrays, code) for code in MEASURES}
    return {
        **by_code,
        **RESULTS,
        "findings": findings,
        "thresholds": thresholds,
        "worlds of thresholds": worlds_of_thresholds,
        "scale": scale,
        "verdict table": verdict_table,
        "what findings do": charges,
        "caveats": caveats,
        "roles": roles,
        "altered": altered,
        "maps": maps,
        "presets": presets,
        "schema version": schema_version,
        "quirks": quirks,
        "bounds": bounds,
        "table: figures": figures,
        "table: papers": papers_tables,
        "table: sql": sql_tables,
    }


def fill(text: str, made: Made) -> str:
    """Fill the generated parts and the quoted numbers; a part without a maker is left as it is."""

    def anew(match: re.Match[str]) -> str:
        maker = made.get(match["name"])
        return match["open"] + (match["body"] if maker is None else maker()) + match["close"]

    return quote(BLOCK.sub(anew, text))


def threshold(code: str) -> str:
    """State the threshold and the minimum sample size of a test."""
    known, fixed = default_thresholds(), AUDIT_TESTS[code].fixed
    if fixed is not None:
        return (
            f"Threshold, chosen beforehand: **{fixed:g}**; minimum sample size: "
            f"**{known.fewest(code)}** texts.\n"
        )
    text = f"{known.threshold[code]:g}" if code in known.threshold else "not set yet"
    how = "how both were set: [thresholds](../thresholds.md)"
    return f"Threshold: **{text}**; minimum sample size: **{known.fewest(code)}** texts ({how}).\n"


def tests_of(code: str) -> str:
    """List the test files that name a test code; those of report, cli and docs only use it."""
    named = [
        f"`{path.relative_to(ROOT).as_posix()}`"
        for path in sorted((ROOT / "tests").glob("*/test_*.py"))
        if path.parent.name not in ("report", "cli", "docs")
        and code in path.read_text(encoding="utf-8")
    ]
    return f"Tests: {', '.join(named) or UNTESTED}.\n"


def findings() -> str:
    """Table every test by the sentence of its row, with its role."""
    return table(
        ("test", "passed", "role"),
        (
            (f"[{one.name} ({code})]({finding_page(code)})", one.passed, one.role)
            for code, one in AUDIT_TESTS.items()
        ),
    )


def thresholds() -> str:
    """Table every threshold, and the minimum sample size of each test."""
    known = default_thresholds()
    rows = [
        (
            _linked(code),
            claim.passed,
            "—" if known.of(claim) is None else f"{known.of(claim):g}",
            str(known.fewest(code)),
        )
        for code, claim in AUDIT_TESTS.items()
    ]
    return table(("test", "passed", "threshold", "minimum sample size"), rows)


def scale() -> str:
    """Say how to read a score, in the words of the terminal and the report."""
    return f"{SCALE}\n"


def _linked(code: str) -> str:
    return f"[{code}]({finding_page(code)})"


def worlds_of_thresholds() -> str:
    """Table the scenarios that set the thresholds, and the claims that are not true by construction
    there.
    """
    rows = [
        (
            name,
            f"`{one.corpus}`",
            f"`{one.model}`",
            one.fit.guide or "—",
            ", ".join(one.not_here) or "—",
        )
        for name, one in WORLDS.items()
    ]
    return table(("scenario", "texts", "model", "guided", "sets no threshold of"), rows)


def verdict_table() -> str:
    """Table the rows of the verdict."""
    return table(
        ("row", "condition", "verdict"),
        ((str(row.number), row.words, row.verdict) for row in TABLE),
    )


def charges() -> str:
    """Table what the result of each test does; tests that no row looks at are left out."""
    rows = [
        (
            _linked(code),
            claim.passed,
            VETOES[claim.veto],
            ASKED[claim.for_caveats],
            ASKED[claim.for_all],
        )
        for code, claim in AUDIT_TESTS.items()
        if claim.bears
    ]
    head = (
        "test",
        "passed",
        "failed",
        "*with caveats* (row 5) asks",
        "*can be shown* (row 4) asks",
    )
    return table(head, rows)


def caveats() -> str:
    """Table what a failed test says to a reader of the map."""
    rows = [
        (_linked(code), claim.failed, claim.below or "—")
        for code, claim in AUDIT_TESTS.items()
        if claim.bears
    ]
    return table(("test", "failed", "failed, and even the interval below chance"), rows)


def roles() -> str:
    """List the tests by their role in the verdict."""
    named = {
        role: ", ".join(code for code, claim in AUDIT_TESTS.items() if claim.role == role)
        for role in ROLES
    }
    return table(
        ("role", "what it means", "tests"), ((role, ROLES[role], named[role]) for role in ROLES)
    )


def altered() -> str:
    """Table the changes that can be made to a trained model before its audit."""
    return table(
        ("part", "options", "what is done"),
        ((f"`{row.name}`", _options(row), row.about) for row in ALTERED),
    )


def _options(row: Row) -> str:
    return ", ".join(f"`{key}={value}`" for key, value in row.defaults.items())


def maps() -> str:
    """Table every map over the words, and say which could be shown instead of attention."""
    rivals = {**dict.fromkeys(RIVALS, "unsigned"), **dict.fromkeys(SIGNED_RIVALS, "signed")}
    rows = [(f"`{name}`", one.description, rivals.get(name, "—")) for name, one in MAPS.items()]
    return table(("map", "what it says of a word", "rival"), rows)


def arrays(measure: str) -> str:
    """Table the arrays of a measure: name, shape, meaning and unit."""
    rows = (
        (f"`{name}`", one.shape, one.description, _range(one.scale))
        for name, one in MEASURES[measure].quantities.items()
    )
    return table(("array", "shape", "what it is", "unit"), rows)


def _range(scale: Scale) -> str:
    """Write a unit with the known ends of its range."""
    low = "" if math.isinf(scale.low) else f"{scale.low:g}"
    if math.isinf(scale.high):
        return scale.unit + (f", from {low}" if low else "")
    return (
        f"{scale.unit}, {low} to {scale.high:g}" if low else f"{scale.unit}, at most {scale.high:g}"
    )


def presets() -> str:
    """Table what each preset fixes."""
    columns = {name: _preset(name) for name in PRESETS}
    keys = dict.fromkeys(key for column in columns.values() for key in column)
    rows = [
        (f"`{key}`", *(str(column[key]).lower() for column in columns.values())) for key in keys
    ]
    about = "".join(f"* `{name}`: {preset.source}.\n" for name, preset in PRESETS.items())
    return about + "\n" + table(("", *(f"`{name}`" for name in PRESETS)), rows)


def _preset(name: str) -> dict[str, Any]:
    model, fit = build_specs("mlp", name)
    sizes = ("embedding", "embedding_std", "boundaries")
    fitted = {
        key: value for key, value in asdict(fit).items() if key not in (*RESET_FIELDS, "draw")
    }  # no preset has them
    return fitted | {size: getattr(model, size) for size in sizes} | _by_part(name)


def _by_part(name: str) -> dict[str, Any]:
    """Give the values of a preset for each part and for training that another preset lacks."""
    usual = {row.name: row.defaults for row in MODELS}
    training = {
        (part, key)
        for one in PRESETS.values()
        for part, label in one.training.items()
        for key in label
    }
    options = {
        (part, key)
        for one in PRESETS.values()
        for part, label in one.parts.items()
        for key in label
    }
    trained = {
        f"{key} of {part}": PRESETS[name]
        .training.get(part, {})
        .get(key, getattr(PRESETS[name].fit, key))
        for part, key in sorted(training)
    }
    return trained | {
        f"{part}({key})": PRESETS[name].parts.get(part, {}).get(key, usual[part][key])
        for part, key in sorted(options)
    }


def schema_version() -> str:
    """State the version of the JSON."""
    return f"This page describes **schema version {SCHEMA}**.\n"


def quirks() -> str:
    """List the mistakes that the paper recipes keep."""
    lines = []
    for name, form in FORMATS.items():
        for task, recipe in form.recipes.items():
            spec = f"{name}(task={task})" if task else name
            text = "; ".join(recipe.quirks)
            lines.append(
                f"* `{spec}`, words in at least {recipe.min_count} training texts: {text}.\n"
            )
    return "".join(lines)


def bounds() -> str:
    """Table the largest inputs and outputs, why, and what raises the limit."""
    rows = [
        (
            one.of.rstrip(","),
            one.shown(one.most),
            f"`{one.setting}`" if one.setting else "—",
            one.why,
        )
        for one in BOUNDS
    ]
    return table(("of", "at most", "raised by", "what it is for"), rows)


def papers_tables() -> str:
    """Table every table and figure of a paper by its id."""
    rows = [
        (
            f"`{name}`",
            one.place,
            one.description,
            ", ".join(one.corpora),
            ", ".join(map("`{}`".format, one.figures)) or "—",
        )
        for name, one in PAPER_TABLES.items()
    ]
    return table(("id", "where", "what", "of", "figures"), rows)


def sql_tables() -> str:
    """Table the tables of SQL queries, and the content of their columns."""
    rows = [
        (
            f"`{name}`" if column is one.columns[0] else "",
            f"`{column.name}`",
            column.kind,
            column.description,
        )
        for name, one in TABLES.items()
        for column in one.columns
    ]
    text = "\n".join(f"* `{name}`: a row is {one.description}" for name, one in TABLES.items())
    return f"{text}\n\n{table(('table', 'column', 'what', 'it says'), rows)}"


def _page_with(figure: str) -> str:
    """Name the page that shows a figure, from docs."""
    pages = (ROOT / "docs" / "figures").glob("*.md")
    shown = (one.name for one in pages if f"\n## {figure}\n" in one.read_text(encoding="utf-8"))
    return f"figures/{next(shown, '')}"


def figures() -> str:
    """Table the figures, and what each is drawn from."""
    of = {
        (False, False): "one audit",
        (False, True): "one text of one audit",
        (True, False): "several audits, a store",
        (True, True): "one text of several audits",
    }
    rows = [
        (f"[`{name}`]({_page_with(name)}#{name})", one.description, of[one.several, one.of_a_text])
        for name, one in FIGURES.items()
    ]
    return table(("name", "what", "of"), rows)
