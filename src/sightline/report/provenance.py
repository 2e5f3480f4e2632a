"""How an audit was made: model, data, settings and command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import PureWindowsPath
from typing import Any

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.core.results import Results
from sightline.report.number_format import texts


def provenance_line(audit: Results) -> str:
    """Name model, data, number of texts and day in one line, as far as known."""
    names = {part: card_name(audit, part) for part in ("model", "data")}
    known = [f"{part}: {name}" for part, name in names.items() if name]
    return " · ".join(filter(None, [*known, texts(len(audit.texts)), audit_date(audit.spec)]))


def audit_date(spec: Mapping[str, Any]) -> str:
    """Write the day of an audit, such as ``26 Nov 2026``; for a run in a store, the day it was
    kept.
    """
    found = str(spec.get("date") or spec.get("kept") or "")
    try:
        day = date.fromisoformat(found)
    except ValueError:
        return found
    return f"{day.day} {day:%b %Y}"


def card_name(audit: Results, part: str) -> str:
    """Name the model or the data as its card does, files without folders; empty without a name."""
    card = audit.cards.get(part)
    found = (card.get("name") or card.get("source")) if isinstance(card, Mapping) else None
    return without_folders(str(found or ""))


def without_folders(source: str) -> str:
    """Remove the folders from the files that texts come from; the settings have them.

    >>> without_folders("files:train=csv:/home/me/a.csv,test=csv:b/c.csv"), without_folders("sst:/data/sst")
    ('files:train=csv:a.csv,test=csv:c.csv', 'sst:sst')
    """
    try:
        places = parse_data(source).places
    except SpecError:
        return source  # texts that were passed in have their own name
    for place in sorted(places, key=len, reverse=True):
        source = source.replace(place, PureWindowsPath(place).name or place)  # knows both slashes
    return source


def settings(audit: Results) -> list[tuple[str, list[tuple[str, str]]]]:
    """List the cards, the settings of the run and its environment, each as rows under a title."""
    titles = {"data": "Data card", "model": "Model card"}
    groups: list[tuple[str, Any]] = [
        (titles.get(str(name), f"{str(name).capitalize()} card"), card)
        for name, card in audit.cards.items()
    ]
    groups += [
        (
            "Settings of the run",
            {key: value for key, value in audit.spec.items() if key != "command"},
        ),
        ("Environment", audit.environment),
    ]
    rows = [
        (title, card if isinstance(card, Mapping) else {"value": card}) for title, card in groups
    ]
    return [(title, settings_rows(card)) for title, card in rows]


def command(spec: Mapping[str, Any]) -> str:
    """Write the command that made the audit, if known."""
    words = spec.get("command")
    return " ".join(map(str, words)) if isinstance(words, list | tuple) else str(words or "")


def settings_rows(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Flatten nested settings to rows of ``outer.inner`` and value.

    >>> settings_rows({"fit": {"epochs": 20, "amsgrad": False}, "limit": None})
    [('fit.epochs', '20'), ('fit.amsgrad', 'false'), ('limit', 'none')]
    """
    return list(_flat(settings, ""))


def _flat(settings: Mapping[str, Any], outer: str) -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        name = f"{outer}.{key}" if outer else str(key)
        if _is_part(value):
            yield name, _part(value)
        elif isinstance(value, Mapping) and value:
            yield from _flat(value, name)
        else:
            yield name, _setting(value)


def _is_part(value: Any) -> bool:
    """Recognise a named part with its options (`config.Part` as JSON), which is written on one
    line.
    """
    return (
        isinstance(value, Mapping)
        and set(value) == {"name", "options"}
        and isinstance(value["options"], list | tuple)
    )


def _part(value: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{key}={_setting(option)}" for key, option in value["options"])
    return f"{value['name']}({inside})" if inside else str(value["name"])


def _setting(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple) and not any(
        isinstance(item, list | tuple | Mapping) for item in value
    ):
        return ", ".join(map(_setting, value)) or "none"
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str) if value else "none"
    return str(value) if value != "" else "(empty)"
