"""The page: everything an audit found as one HTML file that needs no network, and whole without its script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sightline.files import write_whole
from sightline.report import sentences
from sightline.report.figures import anchor, finding_figure
from sightline.report.numerals import count, interval
from sightline.report.page import rows as tables
from sightline.report.page.explorer import BUDGET, carried, controls
from sightline.report.page.tokens import token_view
from sightline.report.visible import visible
from sightline.results import Finding, Results

_MARKS = {"supported": "●", "contradicted": "✕", "inconclusive": "◐", "not applicable": "–"}
_TONES = {2: "bad", 3: "bad", 4: "good", 5: "caveat"}
_DATA = Markup("<!-- data -->")  # stands where the data will; no text of an audit can hold it, since they are escaped
_SCRIPTS = ("blocks.js", "listing.js", "words.js", "explorer.js")


@dataclass(frozen=True)
class FindingView:
    """A finding as the page shows it: all text, and one figure."""

    finding: Finding
    anchor: str
    mark: str
    answer: str
    effect: str
    n: str
    sentences: tuple[str, ...]
    reason: str
    chance: str
    change: str
    figure: Markup | None
    classes: tuple[tables.EstimateRow, ...]
    beside: tuple[tables.EstimateRow, ...]


def render(audit: Results, texts: bool = True, budget: int = BUDGET) -> str:
    """Draw an audit as one self-contained HTML page.

    Parameters
    ----------
    audit
        What was found; every number shown is one of its values, rounded.
    texts
        Whether to show the audited texts themselves; without them the page names texts by their ids and says so.
    budget
        Bytes the page may take; where the texts need more, those with the largest disagreement are in it.

    Returns
    -------
    str
        The page. Equal audits give equal pages. It refers to nothing outside itself, and its content security policy
        allows its own stylesheet and its own script and nothing else: no font, no request. All text of the audit is
        escaped, and characters that would hide or turn text are shown as signs.
    """
    template, shown = _environment().get_template("page.html.j2"), _shown_of(audit, texts)
    page = template.render(**shown, controls=controls(audit, texts), data=_DATA)
    found = carried(audit, texts, budget - len(page.encode("utf-8")))
    if not found.held:
        return template.render(**shown, controls=None, told=found.told)
    return page.replace(_DATA, found.elements)


def _shown_of(audit: Results, texts: bool) -> dict[str, Any]:
    """Gather what the template shows, but for the explorer."""
    style, script = _source("page.css"), _script()
    views = [_finding_view(finding) for finding in audit.findings]
    return {
        "audit": audit,
        "style": Markup(style),  # our own files, and their hashes are in the policy
        "script": Markup(script),
        "policy": _policy(style, script),
        "with_texts": texts,
        "question": sentences.QUESTION,
        "condition": sentences.row_condition(audit.verdict.row),
        "tone": _TONES.get(audit.verdict.row, "open"),
        "bearing": [view for view in views if view.finding.bears],
        "context": [view for view in views if not view.finding.bears],
        "links": {view.finding.code: view.anchor for view in views},
        "view": token_view(audit, texts),
        "metrics": tables.estimate_rows(audit.metrics),
        "estimates": tables.estimate_rows(audit.estimates),
        "missing": _missing(audit),
        "about": _about(audit),
        "settings": _settings(audit),
        "command": _command(audit.spec),
    }


def in_notebook(audit: Results) -> str:
    """Draw an audit as a block for a notebook: verdict and findings, without a script and without a stylesheet."""
    n = len(audit.texts)
    rows = sorted(map(_finding_view, audit.findings), key=lambda view: not view.finding.bears)
    template = _environment().get_template("notebook.html.j2")
    texts = f"{count(n)} {'text' if n == 1 else 'texts'} audited"
    return template.render(audit=audit, rows=rows, question=sentences.QUESTION, texts=texts)


def write_page(audit: Results, path: str | Path, texts: bool = True) -> Path:
    """Write the page to a file, all of it or nothing; an older page under that name is replaced."""
    page = render(audit, texts).encode("utf-8")
    return write_whole(path, lambda aside: _write(aside, page))


def _write(path: Path, page: bytes) -> None:
    path.write_bytes(page)  # bytes: the same file on every system


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sightline.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["opened"] = sentences.opened
    environment.tests["numbered"] = _numbered
    return environment


def _shown(value: Any) -> Any:
    """Pass every string the template writes through `visible`; markup made here is finished already."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _numbered(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


@cache
def _script() -> str:
    """Join our scripts into one that leaves no name behind."""
    return "\n".join(['(() => {\n"use strict";', *map(_source, _SCRIPTS), "})();\n"])


def _policy(style: str, script: str) -> str:
    """Allow the one stylesheet and the one script by their hashes, an empty icon, and nothing else.

    Trusted types refuse, where a browser knows them, whatever would turn a string into markup.
    """
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode("ascii")


def _finding_view(finding: Finding) -> FindingView:
    effect = finding.effect
    return FindingView(
        finding=finding,
        anchor=anchor(finding.code),
        mark=_MARKS[finding.verdict],
        answer=finding.verdict.replace(" ", "-"),
        effect="—" if effect is None else interval(effect),
        n="—" if effect is None else count(effect.n),
        sentences=tuple(sentences.sentences(finding)),
        reason=sentences.reason(finding),
        chance=sentences.chance(finding),
        change=sentences.what_would_change(finding),
        figure=finding_figure(finding),
        classes=tuple(tables.class_rows(finding)),
        beside=tuple(tables.estimate_rows(finding.beside)),
    )


def _missing(audit: Results) -> dict[str, list[tables.MissingRow]]:
    return {
        "undefined": tables.undefined_rows(audit),
        "skipped": tables.skipped_rows(audit),
        "failed": tables.failed_rows(audit),
    }


def _about(audit: Results) -> str:
    """Name the model and the data in one line, as far as the cards name them."""
    cards = {part: audit.cards.get(part) for part in ("model", "data")}
    named = {part: card.get("name") or card.get("source") for part, card in cards.items() if isinstance(card, Mapping)}
    return " · ".join(f"{part}: {name}" for part, name in named.items() if name)


def _settings(audit: Results) -> list[tuple[str, list[tuple[str, str]]]]:
    titles = {"data": "Data card", "model": "Model card"}
    groups: list[tuple[str, Any]] = [
        (titles.get(str(name), f"{str(name).capitalize()} card"), card) for name, card in audit.cards.items()
    ]
    groups += [
        ("Settings of the run", {key: value for key, value in audit.spec.items() if key != "command"}),
        ("Environment", audit.environment),
    ]
    rows = [(title, card if isinstance(card, Mapping) else {"value": card}) for title, card in groups]
    return [(title, tables.settings_rows(card)) for title, card in rows]


def _command(spec: Mapping[str, Any]) -> str:
    command = spec.get("command")
    return " ".join(map(str, command)) if isinstance(command, list | tuple) else str(command or "")
