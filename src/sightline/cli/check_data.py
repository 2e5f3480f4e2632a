"""``sightline check-data``: read data as an audit would, and describe them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.api.check import check_data as card_of
from sightline.cli import flags
from sightline.cli.flag_groups import Texts, grouped
from sightline.cli.output import emit, print_lines
from sightline.cli.progress import reading_progress
from sightline.report.column_layout import aligned
from sightline.report.sanitize import one_line, shortened

LABELS_SHOWN = 8


@grouped
def check_data(texts: Texts, seed: flags.Seed = 0, as_json: flags.Json = False) -> None:
    """Read data as an audit would, and print what was found, dropped and cut; nothing is trained or
    written.
    """
    source = texts.source()
    with reading_progress(as_json=as_json):
        card = card_of(source, seed)
    if as_json:
        return emit(card)
    return print_lines(card_lines(card))


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Lay out a card for a terminal: its splits as a table, then every other field that is set."""
    grouped = any("groups" in split for split in card["splits"].values())
    head = ("split", "texts", *(["groups"] if grouped else []), "words a text", "labels")
    splits = [_row(name, split, grouped=grouped) for name, split in card["splits"].items()]
    shown = ("source", "splits", "notes", "before_cutting")
    rest = {name: value for name, value in card.items() if name not in shown}
    lines = [
        f"{name.replace('_', ' ')}: {_shown(value)}"
        for name, value in rest.items()
        if value not in (None, {}, [])
    ]
    notes = [f"note: {note}" for note in card.get("notes", ())]
    tables = [*aligned([head, *splits]), "", *length_lines(card.get("before_cutting", {}))]
    return [one_line(f"source: {card['source']}"), "", *tables, *map(one_line, lines + notes)]


def length_lines(before: Mapping[str, Any]) -> list[str]:
    """Lay out how long texts are before cutting, and what is lost; nothing if texts are
    never cut.
    """
    head = ("before cutting", "median", "95 %", "longest", "texts cut", "words lost")
    rows = [
        (
            split,
            *(str(found[name]) for name in ("median", "q95", "max", "cut")),
            f"{found['lost']:.1%}",
        )
        for split, found in before.items()
    ]
    return [*aligned([head, *rows]), ""] if rows else []


def _row(name: str, split: Mapping[str, Any], *, grouped: bool) -> tuple[str, ...]:
    tokens, labels = split["tokens"], split["labels"]
    lengths = f"{tokens['min']} to {tokens['max']}, median {tokens['median']}" if tokens else ""
    shown = [f"{shortened(label, 30)} {n}" for label, n in list(labels.items())[:LABELS_SHOWN]]
    more = f", and {len(labels) - LABELS_SHOWN} more" if len(labels) > LABELS_SHOWN else ""
    groups = [_grouped(split.get("groups", {"n": 0, "without": 0}))] if grouped else []
    return name, str(split["n"]), *groups, lengths, ", ".join(shown) + more


def _grouped(groups: Mapping[str, int]) -> str:
    return f"{groups['n']}" + (f", {groups['without']} without" if groups["without"] else "")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items() if item is not None)
    return f"{value:.3f}" if isinstance(value, float) else str(value)
