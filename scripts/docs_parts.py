"""The generated parts of the documentation: thresholds, tests, presets, results, and the page of commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import published
import typer

from sightline.cli.app import app
from sightline.data.official.formats import FORMATS
from sightline.findings.claims import CLAIMS, UNMEASURED
from sightline.findings.thresholds import committed
from sightline.findings.verdict import TABLE
from sightline.results import SCHEMA
from sightline.spec.model_rows import MODELS
from sightline.spec.presets import PRESETS, build_specs

ROOT = Path(__file__).resolve().parents[1]
Made = Mapping[str, Callable[[], str]]
UNTESTED = "none names it yet"
BLOCK = re.compile(
    r"(?P<open><!-- (?P<name>[^/\n][^\n]*?) -->\n)(?P<body>.*?)(?P<close><!-- /(?P=name) -->)", re.DOTALL
)
"""A generated part: everything between a marker and the same marker with a slash."""


def makers() -> dict[str, Callable[[], str]]:
    """Give the maker of every generated part, by its name."""
    by_code: dict[str, Callable[[], str]] = {f"delta {code}": partial(delta, code) for code in CLAIMS}
    by_code |= {f"tests {code}": partial(tests_of, code) for code in CLAIMS}
    return by_code | {
        "thresholds": thresholds,
        "verdict table": verdict_table,
        "roles": roles,
        "unmeasured": unmeasured,
        "presets": presets,
        "schema version": schema_version,
        "table: calibration": lambda: calibration(verified("calibration")),
        "table: confirmation": lambda: confirmation(verified("confirmation")),
        "table: random-attention": lambda: random_attention(verified("random_attention")),
        "table: published": lambda: published_counts(verified("data")),
        "quirks": quirks,
    }


def fill(text: str, made: Made) -> str:
    """Write the generated parts anew; a part without a maker is left as it is."""

    def anew(match: re.Match[str]) -> str:
        maker = made.get(match["name"])
        return match["open"] + (match["body"] if maker is None else maker()) + match["close"]

    return BLOCK.sub(anew, text)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    lines = [tuple(head), *map(tuple, rows)]
    lines.insert(1, ("---",) * len(lines[0]))
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def finding_page(code: str) -> str:
    """Name the page of a finding, from docs."""
    return f"findings/{code}.md"


# ---------------------------------------------------------------- from the code


def delta(code: str) -> str:
    """State the smallest effect that matters."""
    how = "how it was set: [calibration](../calibration.md)"
    known = committed().delta
    return f"Smallest effect that matters: **{f'δ = {known[code]:g}' if code in known else 'not set yet'}** ({how}).\n"


def tests_of(code: str) -> str:
    """List the tests that name a finding; those of report, command line and docs only use it."""
    named = [
        f"`{path.relative_to(ROOT).as_posix()}`"
        for path in sorted((ROOT / "tests").glob("*/test_*.py"))
        if path.parent.name not in ("report", "cli", "docs") and code in path.read_text(encoding="utf-8")
    ]
    return f"Tests: {', '.join(named) or UNTESTED}.\n"


def thresholds() -> str:
    """Table every δ, and the fewest texts."""
    known = committed()
    rows = [
        (f"[{code}]({finding_page(code)})", claim.text, f"{known.delta[code]:g}" if code in known.delta else "—")
        for code, claim in CLAIMS.items()
    ]
    return table(("finding", "claim", "δ"), rows) + f"\nFewest test texts of a verdict: **{known.minimum_texts}**.\n"


def verdict_table() -> str:
    """Table the rows of the verdict."""
    return table(("row", "condition", "verdict"), ((str(row.number), row.words, row.verdict) for row in TABLE))


def roles() -> str:
    """List the claims by what they do in the verdict."""
    meaning = {
        "decides": "its answer can decide between the verdicts",
        "caveat": "it can turn *can be shown* into *can be shown with caveats*, and no more",
        "context": "no row looks at it",
    }
    named = {role: ", ".join(code for code, claim in CLAIMS.items() if claim.role == role) for role in meaning}
    return table(("role", "what it means", "findings"), ((role, meaning[role], named[role]) for role in meaning))


def unmeasured() -> str:
    """List the claims that this version does not test."""
    return "\n".join(f"* {code}: {what}." for code, what in UNMEASURED.items()) + "\n"


def presets() -> str:
    """Table what each preset fixes."""
    columns = {name: _preset(name) for name in PRESETS}
    keys = dict.fromkeys(key for column in columns.values() for key in column)
    rows = [(f"`{key}`", *(str(column[key]).lower() for column in columns.values())) for key in keys]
    about = "".join(f"* `{name}`: {preset.source}.\n" for name, preset in PRESETS.items())
    return about + "\n" + table(("", *(f"`{name}`" for name in PRESETS)), rows)


def _preset(name: str) -> dict[str, Any]:
    model, fit = build_specs("mlp", name)
    sizes = ("embedding", "embedding_std", "boundaries")
    return asdict(fit) | {size: getattr(model, size) for size in sizes} | _by_part(name)


def _by_part(name: str) -> dict[str, Any]:
    """Say what a preset gives a part, or trains it with, that another preset does not."""
    usual = {row.name: row.defaults for row in MODELS}
    training = {(part, key) for one in PRESETS.values() for part, told in one.training.items() for key in told}
    options = {(part, key) for one in PRESETS.values() for part, told in one.parts.items() for key in told}
    trained = {
        f"{key} of {part}": PRESETS[name].training.get(part, {}).get(key, getattr(PRESETS[name].fit, key))
        for part, key in sorted(training)
    }
    return trained | {
        f"{part}({key})": PRESETS[name].parts.get(part, {}).get(key, usual[part][key]) for part, key in sorted(options)
    }


def schema_version() -> str:
    """State the version of the JSON."""
    return f"This page describes **schema version {SCHEMA}**.\n"


# ---------------------------------------------------------------- from results


def verified(name: str) -> Mapping[str, Any] | None:
    """Read a file of results, or nothing where it has not been made."""
    path = ROOT / "docs" / "verified" / f"{name}.json"
    found: Mapping[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return found


def calibration(stored: Mapping[str, Any] | None) -> str:
    """Table the gates, and every finding in each world."""
    if stored is None:
        return "Not measured yet: `make verify` writes `docs/verified/calibration.json`.\n"
    parts = [confirmation(stored)]
    for world in dict.fromkeys(group["world"] for group in stored["groups"]):
        rows = [row for group in stored["groups"] if group["world"] == world for row in _group(group)]
        counts = ("cells", "supported", "contradicted", "above zero")
        effects = ("mean effect", "median [2.5 %, 97.5 %] over cells")
        parts += [f"**World: {world}**\n", table(("encoder", "corpus", "finding", *counts, *effects), rows)]
    return "\n".join(parts)


def confirmation(stored: Mapping[str, Any] | None) -> str:
    """Table the gates alone."""
    if stored is None:
        return "Not measured yet: `make verify` writes `docs/verified/confirmation.json`.\n"
    first, last = stored["seeds"]
    hours = "" if stored["hours"] is None else f", {stored['hours']:.1f} hours"
    cost = f"{stored['cells']} cells, seeds {first} to {last}{hours}"
    return f"{cost}; {_versions(stored['environment'])}.\n\n{_gates(stored['gates'])}"


def _gates(gates: Iterable[Mapping[str, Any]]) -> str:
    held = {True: "holds", False: "**fails**"}
    rows = [(g["name"], f"{g['count']} of {g['of']}", str(g["limit"]), held[bool(g["holds"])]) for g in gates]
    return table(("what must hold", "counted", "limit", ""), rows)


def _group(group: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for code, (low, middle, high) in group["effect_quantiles"].items():
        counts = [str(group[kind].get(code, 0)) for kind in ("supported", "contradicted", "above_zero")]
        effects = f"{group['effect_mean'][code]:.3f}", f"{middle:.3f} [{low:.3f}, {high:.3f}]"
        yield group["encoder"], group["corpus"], code, str(group["n_cells"]), *counts, *effects


def _versions(environment: Mapping[str, Any]) -> str:
    versions = environment.get("versions", environment)
    return ", ".join(f"{name} {value}" for name, value in versions.items() if isinstance(value, str | int))


def random_attention(stored: Mapping[str, Any] | None) -> str:
    """Table each model of the worked example."""
    if stored is None:
        return "Not measured yet: the table is made from `docs/verified/random_attention.json`.\n"
    codes = list(dict.fromkeys(code for row in stored["rows"] for code in row["findings"]))
    rows = [_example(row, codes) for row in stored["rows"]]
    told = f"On `{stored['data']}`:\n\n" if "data" in stored else ""
    return told + table(("model", "accuracy", "τ gradient", "τ deletion", *codes), rows)


def _example(row: Mapping[str, Any], codes: Iterable[str]) -> list[str]:
    numbers = [_number(row[key]) for key in ("accuracy", "tau_gradient", "tau_deletion")]
    name = f"{row['model']}: `{row['spec']}`" if "spec" in row else f"`{row['model']}`"
    return [name, *numbers, *(_answer(row["findings"].get(code)) for code in codes)]


def _number(value: Any) -> str:
    """Write a number, or an estimate with its interval."""
    if isinstance(value, Mapping):
        return f"{value['value']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"
    return "—" if value is None else f"{value:.2f}"


def _answer(found: Mapping[str, Any] | None) -> str:
    """Write an answer with its effect, which is an estimate's ``value`` or is called by its name."""
    if found is None:
        return "—"
    effect = found.get("effect", found.get("value"))
    if effect is None:
        return str(found["verdict"])
    return f"{found['verdict']} {effect:.2f} [{found['low']:.2f}, {found['high']:.2f}], n = {found['n']}"


def published_counts(stored: Mapping[str, Any] | None) -> str:
    """Table the published corpora as counted here, beside each paper's table, and what their files held."""
    if stored is None:
        return "Not counted yet: `scripts/verify.py` writes `docs/verified/data.json`.\n"
    head = ("corpus", "recipe, or table", "train", "validation", "test", "words a text (train)", "vocabulary")
    about = ("corpus", "found of the official number", "left out by the clean recipe", "against the papers")
    return table(head, published.rows(stored)) + "\n" + table(about, published.found_rows(stored))


def quirks() -> str:
    """List what the paper recipes keep."""
    lines = []
    for name, form in FORMATS.items():
        if form.paper is not None:
            told = "; ".join(form.paper.quirks)
            lines.append(f"* `{name}`, words in at least {form.paper.min_count} training texts: {told}.\n")
    return "".join(lines)


# ---------------------------------------------------------------- the page of commands


def commands_page() -> str:
    """Document every command and flag as the command line knows them."""
    group: Any = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        "Made by `make docs` from the command line itself. Results go to stdout, progress and errors to stderr; "
        "[exit codes](schema.md#exit-codes) and JSON are on the page of [files](schema.md).\n",
        "    sightline COMMAND [OPTIONS]\n",
        _parameters(group),
    ]
    for name, command in group.commands.items():
        arguments = "".join(f" {p.metavar}" for p in command.params if not is_option(p))
        parts += [f"## {name}\n", f"    sightline {name}{arguments} [OPTIONS]\n", _help(command), _parameters(command)]
    return "\n".join(parts)


def _help(command: Any) -> str:
    return "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n")) + "\n"


def _parameters(command: Any) -> str:
    hints = get_type_hints(command.callback)
    rows = [(f"`{_spelled(p, hints)}`", _said(p)) for p in command.params if p.name in hints]
    return table(("flag or argument", ""), rows) if rows else ""


def _spelled(parameter: Any, hints: Mapping[str, Any]) -> str:
    if not is_option(parameter):
        return str(parameter.metavar)
    value = "" if parameter.is_flag else parameter.metavar or " or ".join(_choices(hints[parameter.name]))
    return f"{', '.join(parameter.opts)} {value}".rstrip()


def is_option(parameter: Any) -> bool:
    """Tell a flag from an argument."""
    return bool(parameter.opts[0].startswith("--"))


def _choices(hint: Any) -> list[str]:
    """Find the values of a `Literal`, also inside of an optional one."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in _choices(part)]


def _said(parameter: Any) -> str:
    """Give the help of a parameter, and its default where it has one to show."""
    shown = parameter.show_default
    default = shown if isinstance(shown, str) else parameter.default
    silent = shown is False or default is None or default is False
    end = " Required." if parameter.required else "" if silent else f" Default: {default}."
    return str(parameter.help).strip() + end


def flags() -> set[str]:
    """Give every flag of every command."""
    group: Any = typer.main.get_command(app)
    every = [*group.params, *(p for command in group.commands.values() for p in command.params)]
    return {flag for parameter in every for flag in parameter.opts if flag.startswith("--")} | {"--help"}
