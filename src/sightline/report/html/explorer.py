"""The explorer of the page: the audited texts with their maps, as many as fit into the page."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from sightline.core.results import TextRecord
from sightline.report.html.data_blocks import Filled, filled
from sightline.report.html.logit_decomposition import LogitSums
from sightline.report.html.view_model import HeldMap, HeldTexts
from sightline.report.number_format import count, number
from sightline.report.sanitize import one_line

SCHEMA = 1
"""Version of the data inside the page (docs/report-files.md); raised when a part changes its
meaning."""
BUDGET = 30_000_000
"""Most bytes of a page: what an e-mail can carry and a browser opens at once."""
_INDEX = Markup('<script type="application/json" id="index">{}</script>\n')
_BLOCK = Markup('<script type="text/plain" id="{}">{}</script>\n')


@dataclass(frozen=True)
class MapChoice:
    """One map of the switch: its names for the page, the reader and the script, and what its
    numbers mean.
    """

    key: str
    name: str
    description: str
    first: bool
    recommended: bool


@dataclass(frozen=True)
class Controls:
    """The choices of the filters and of the switch, for the template."""

    labels: tuple[str, ...]
    maps: tuple[MapChoice, ...]


@dataclass(frozen=True)
class ExplorerData:
    """The elements that carry the data of the explorer, their number of texts, and a note on the
    rest.
    """

    elements: Markup
    held: int
    description: str


def embedded(value: Any) -> str:
    r"""Write JSON that can stand inside a script element: no tag or comment begins or ends in it.

    >>> embedded(["</script><!-- é"])
    '["\\u003c/script\\u003e\\u003c!-- \\u00e9"]'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))  # in ASCII
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def controls(held: HeldTexts, texts: bool, recommended: Collection[str] = ()) -> Controls:
    """List the labels to filter by, and the maps to choose from, of which some are recommended."""
    maps = held.maps if texts else ()
    return Controls(
        tuple(_labels(held.records)),
        tuple(_choice(each, held.first, recommended) for each in maps),
    )


def pack_explorer_data(held: HeldTexts, texts: bool, room: int) -> ExplorerData:
    """Pack what fits into ``room`` bytes. Without ``texts``, only ids, labels and numbers of whole
    texts are packed.
    """
    packed = filled(held, texts, room)
    description = _describe(len(packed.rows), held)
    index = _INDEX.format(Markup(embedded(_index(held, packed, texts, description))))
    elements = [index, *(_BLOCK.format(name, Markup(body)) for name, body in packed.blocks)]
    return ExplorerData(Markup("").join(elements), len(packed.rows), description)


def _choice(each: HeldMap, first: Collection[str], best: Collection[str]) -> MapChoice:
    name = each.kind.quantity
    return MapChoice(name, each.kind.name, each.description, name in first, name in best)


def _labels(records: Sequence[TextRecord]) -> list[str]:
    return sorted(
        {one_line(name) for record in records for name in (record.label, record.predicted)}
    )


def _index(held: HeldTexts, packed: Filled, texts: bool, description: str) -> dict[str, Any]:
    records = [held.records[row] for row in packed.rows]
    labels = _labels(held.records)
    place = {name: at for at, name in enumerate(labels)}
    maps = held.maps if texts else ()
    return {
        "schema": SCHEMA,
        "texts": texts,
        "note": description,
        "maps": [_map(each, held.first) for each in maps],
        "sums": _sums(held.sums) if held.sums and texts else None,
        "labels": labels,
        "firsts": packed.firsts,
        "ids": _names(records),
        "label": [place[one_line(record.label)] for record in records],
        "predicted": [place[one_line(record.predicted)] for record in records],
        "right": [int(record.label == record.predicted) for record in records],
        "words": [len(record.tokens) for record in records],
        "disagreement": _numbers(held.disagreement, packed.rows),
        "confidence": _numbers(held.confidence, packed.rows),
        "orders": _orders(held.confidence, np.array(packed.rows, dtype=np.int64)),
    }


def _map(each: HeldMap, first: Collection[str]) -> dict[str, Any]:
    kind = each.kind
    return {
        "key": kind.quantity,
        "name": kind.name,
        "signed": kind.signed,
        "first": kind.quantity in first,
    }


def _sums(sums: LogitSums) -> dict[str, Any]:
    return {"title": sums.title, "terms": sums.terms, "none": sums.none}


def _names(records: Sequence[TextRecord]) -> list[str]:
    """Name each text by its visible id; if two look the same, the later one gets a number."""
    seen: dict[str, int] = {}
    names = []
    for record in records:
        name = one_line(record.id) or "(no id)"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _numbers(values: np.ndarray | None, rows: Sequence[int]) -> list[str] | None:
    return None if values is None else [number(float(values[row])) for row in rows]


def _orders(sure: np.ndarray | None, rows: np.ndarray) -> dict[str, list[int]]:
    """Give each order but the page's own as positions in the page; sorted here, before rounding."""
    orders = {"data": np.argsort(rows, kind="stable").tolist()}
    if sure is not None:
        orders["unsure"] = np.argsort(sure[rows], kind="stable").tolist()
        orders["sure"] = np.argsort(-sure[rows], kind="stable").tolist()
    return orders


def _describe(packed: int, held: HeldTexts) -> str:
    total = len(held.records)
    if packed == total:
        return ""
    which = "the first" if held.disagreement is None else "those on which the maps disagree most"
    return (
        f"This page holds {count(packed)} of the {count(total)} audited texts, {which}: more would "
        f"make it larger than {BUDGET // 10**6} MB. All of them are in the saved audit (sightline "
        "audit --save DIR)."
    )
