"""``sightline check-data``: read data as an audit would, and say what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.api.data import read_source
from sightline.cli import flags
from sightline.cli.display import reading_progress
from sightline.cli.output import emit, say
from sightline.data.corpora.own_rule import DIVIDED, EVERY_ROW
from sightline.findings.thresholds import committed
from sightline.report.sheets.columns import aligned
from sightline.report.visible import one_line, shortened

LABELS_SHOWN = 8


def check_data(
    data: flags.DataOrFiles = None,
    train: flags.Train = None,
    validation: flags.Validation = None,
    test: flags.Test = None,
    text: flags.Text = "text",
    label: flags.Label = "label",
    split: flags.Split = "split",
    rationale: flags.Rationale = "rationale",
    query: flags.Query = "",
    id: flags.Id = "",
    group: flags.Group = "",
    on_copies: flags.OnCopies = "refuse",
    recipe: flags.Recipe = "clean",
    max_tokens: flags.MaxTokens = 512,
    seed: flags.Seed = 0,
    as_json: flags.Json = False,
) -> None:
    """Read data as an audit would, and print what was found, dropped and cut; nothing is trained or written."""
    from sightline.data.loading import load  # noqa: PLC0415  (as late as it is needed)

    columns = {"text": text, "label": label, "split": split, "rationale": rationale, "query": query}
    columns |= {"id": id, "group": group, "on_copies": on_copies}
    spec = read_source(data, train, validation, test, **columns, recipe=recipe, max_tokens=max_tokens)
    with reading_progress(as_json=as_json):
        card = with_warning(with_advice(load(spec, seed, training=False).card))
    if as_json:
        return emit(card)
    return say(card_lines(card))


def with_advice(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add to the notes of a card that is divided by the seed which models are audited on all of it."""
    if not any(note.startswith(DIVIDED) for note in card["notes"]):
        return card
    return {**card, "notes": [*card["notes"], f"for a model that was trained on none of these texts, {EVERY_ROW}"]}


def with_warning(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add to the notes of a card that its test texts are too few for any verdict, where they are."""
    n, least = card["splits"]["test"]["n"], committed().least
    if n >= least:
        return card
    told = f"{n} test texts: a verdict rests on at least {least}, so an audit of these will say that it cannot tell"
    return {**card, "notes": [*card["notes"], told]}


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Lay a card out for a terminal: its splits as a table, then everything else that is not empty."""
    head = ("split", "texts", "words a text", "labels")
    splits = [_row(name, split) for name, split in card["splits"].items()]
    shown = ("source", "splits", "notes", "before_cutting")
    rest = {name: value for name, value in card.items() if name not in shown}
    told = [f"{name.replace('_', ' ')}: {_shown(value)}" for name, value in rest.items() if value not in (None, {}, [])]
    notes = [f"note: {note}" for note in card.get("notes", ())]
    tables = [*aligned([head, *splits]), "", *length_lines(card.get("before_cutting", {}))]
    return [one_line(f"source: {card['source']}"), "", *tables, *map(one_line, told + notes)]


def length_lines(before: Mapping[str, Any]) -> list[str]:
    """Lay out how long texts are before they are cut, and what is lost; nothing where none are ever cut."""
    head = ("before cutting", "median", "95 %", "longest", "texts cut", "words lost")
    rows = [
        (split, *(str(found[name]) for name in ("median", "q95", "max", "cut")), f"{found['lost']:.1%}")
        for split, found in before.items()
    ]
    return [*aligned([head, *rows]), ""] if rows else []


def _row(name: str, split: Mapping[str, Any]) -> tuple[str, str, str, str]:
    tokens, labels = split["tokens"], split["labels"]
    lengths = f"{tokens['min']} to {tokens['max']}, median {tokens['median']}" if tokens else ""
    shown = [f"{shortened(label, 30)} {n}" for label, n in list(labels.items())[:LABELS_SHOWN]]
    more = f", and {len(labels) - LABELS_SHOWN} more" if len(labels) > LABELS_SHOWN else ""
    return name, str(split["n"]), lengths, ", ".join(shown) + more


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items() if item is not None)
    return f"{value:.3f}" if isinstance(value, float) else str(value)
