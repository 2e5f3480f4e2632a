"""The page: everything an audit found as one HTML file that needs no network and runs no script."""

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

from sightline.archive import write_whole
from sightline.report import tables, words
from sightline.report.figures import anchor, finding_figure
from sightline.report.numerals import count, interval
from sightline.report.tokens import token_view
from sightline.report.visible import visible
from sightline.results import Audit, Finding

_MARKS = {"supported": "●", "contradicted": "✕", "inconclusive": "◐", "not applicable": "–"}
_TONES = {2: "bad", 3: "bad", 4: "good", 5: "caveat"}


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


def render(audit: Audit, texts: bool = True) -> str:
    """Draw an audit as one self-contained HTML page.

    Parameters
    ----------
    audit
        What was found; every number shown is one of its values, rounded.
    texts
        Whether to show the audited texts themselves; without them the page names texts by their ids and says so.

    Returns
    -------
    str
        The page. Equal audits give equal pages. It refers to nothing outside itself, and its content security policy
        allows its own stylesheet and nothing else: no script, no font, no request. All text of the audit is escaped,
        and characters that would hide or turn text are shown as signs.
    """
    style = _source("page.css")
    views = [_finding_view(finding) for finding in audit.findings]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            audit=audit,
            style=Markup(style),  # our own file, and its hash is in the policy
            policy=_policy(style),
            with_texts=texts,
            question=words.QUESTION,
            condition=words.row_condition(audit.verdict.row),
            tone=_TONES.get(audit.verdict.row, "open"),
            bearing=[view for view in views if view.finding.bears],
            context=[view for view in views if not view.finding.bears],
            links={view.finding.code: view.anchor for view in views},
            view=token_view(audit, texts),
            metrics=tables.estimate_rows(audit.metrics),
            estimates=tables.estimate_rows(audit.estimates),
            missing=_missing(audit),
            about=_about(audit),
            settings=_settings(audit),
            command=_command(audit.spec),
        )
    )


def write_page(audit: Audit, path: str | Path, texts: bool = True) -> Path:
    """Write the page to a file, all of it or nothing; an older page under that name is replaced."""
    page = render(audit, texts).encode("utf-8")
    return write_whole(path, lambda aside: _write(aside, page))


def _write(path: Path, page: bytes) -> None:
    path.write_bytes(page)  # bytes: the same file on every system


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("sightline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["opened"] = words.opened
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


def _policy(style: str) -> str:
    """Allow the one stylesheet by its hash, an empty icon, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


def _finding_view(finding: Finding) -> FindingView:
    effect = finding.effect
    return FindingView(
        finding=finding,
        anchor=anchor(finding.code),
        mark=_MARKS[finding.verdict],
        answer=finding.verdict.replace(" ", "-"),
        effect="—" if effect is None else interval(effect),
        n="—" if effect is None else count(effect.n),
        sentences=tuple(words.sentences(finding)),
        reason=words.reason(finding),
        chance=words.chance(finding),
        change=words.what_would_change(finding),
        figure=finding_figure(finding),
        classes=tuple(tables.class_rows(finding)),
        beside=tuple(tables.estimate_rows(finding.beside)),
    )


def _missing(audit: Audit) -> dict[str, list[tables.MissingRow]]:
    return {
        "undefined": tables.undefined_rows(audit),
        "skipped": tables.skipped_rows(audit),
        "failed": tables.failed_rows(audit),
    }


def _about(audit: Audit) -> str:
    """Name the model and the data in one line, as far as the cards name them."""
    cards = {part: audit.cards.get(part) for part in ("model", "data")}
    named = {part: card.get("name") or card.get("source") for part, card in cards.items() if isinstance(card, Mapping)}
    return " · ".join(f"{part}: {name}" for part, name in named.items() if name)


def _settings(audit: Audit) -> list[tuple[str, list[tuple[str, str]]]]:
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
