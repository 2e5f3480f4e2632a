"""The explorer of the page: every audited text with its maps, as many of them as a page may hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from markupsafe import Markup

from sightline.report.numerals import count, number
from sightline.report.page.blocks import embedded, grouped, number_block, packed, text_block
from sightline.report.page.maps import HeldMap, held_maps
from sightline.report.page.ordering import by_disagreement, confidences, disagreements
from sightline.report.visible import one_line
from sightline.results import Results, TextRecord

SCHEMA = 1
"""Version of the data inside the page (docs/report.md); raised when a part changes its meaning."""
BUDGET = 30_000_000
"""Bytes of a whole page: what a mail takes and a browser opens at once."""
_ROW = 80  # bytes of the index a text, beside its id
_KINDS = ("texts", "numbers")
_INDEX = Markup('<script type="application/json" id="index">{}</script>\n')
_BLOCK = Markup('<script type="text/plain" id="{}">{}</script>\n')


@dataclass(frozen=True)
class Controls:
    """What the template needs: the choices of the filters, and what each map says."""

    labels: tuple[str, ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Carried:
    """The elements that carry the data of the explorer, how many texts are in them, and what is said of the rest."""

    elements: Markup
    held: int
    told: str


@dataclass
class _Held:
    """The texts that fit so far, in the order of the page."""

    rows: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    blocks: list[tuple[str, Markup]] = field(default_factory=list)
    left: int = 0


def controls(audit: Results, texts: bool) -> Controls:
    """List the labels to filter by and the maps to look at."""
    maps = held_maps(audit) if texts else []
    return Controls(tuple(_labels(audit)), tuple((each.kind.name, each.kind.told) for each in maps))


def carried(audit: Results, texts: bool, room: int) -> Carried:
    """Pack the texts with the largest disagreement, as many as fit into ``room`` bytes.

    Without ``texts`` nothing of a text is packed, not even the lengths of its words: ids, labels and numbers stay.
    """
    maps = held_maps(audit) if texts else []
    held = _filled(audit, maps, texts, room)
    index = Markup(embedded(_index(audit, maps, held, texts)))
    elements = [_INDEX.format(index), *(_BLOCK.format(name, body) for name, body in held.blocks)]
    return Carried(Markup("").join(elements), len(held.rows), _told(len(held.rows), len(audit.texts)))


def _labels(audit: Results) -> list[str]:
    return sorted({one_line(name) for record in audit.texts for name in (record.label, record.predicted)})


def _filled(audit: Results, maps: Sequence[HeldMap], texts: bool, room: int) -> _Held:
    held = _Held(left=room)
    for group in grouped(by_disagreement(audit).tolist(), audit.texts):
        bodies = _bodies(audit, maps, group) if texts else []
        cost = sum(map(len, bodies)) + sum(_ROW + 6 * len(audit.texts[index].id) for index in group)
        if cost <= held.left:
            _add(held, group, bodies, cost)
        elif len(group) > 1:  # one text that is too long for any page must not keep out those after it
            break
    return held


def _bodies(audit: Results, maps: Sequence[HeldMap], group: Sequence[int]) -> list[str]:
    return [packed(text_block([audit.texts[index] for index in group])), packed(number_block(group, maps))]


def _add(held: _Held, group: Sequence[int], bodies: Sequence[str], cost: int) -> None:
    here = len(held.firsts)
    held.firsts.append(len(held.rows))
    held.rows.extend(group)
    held.blocks += [(f"{kind}-{here}", Markup(body)) for kind, body in zip(_KINDS, bodies, strict=False)]
    held.left -= cost


def _index(audit: Results, maps: Sequence[HeldMap], held: _Held, texts: bool) -> dict[str, Any]:
    records = [audit.texts[row] for row in held.rows]
    labels = _labels(audit)
    place = {name: at for at, name in enumerate(labels)}
    return {
        "schema": SCHEMA,
        "texts": texts,
        "told": _told(len(held.rows), len(audit.texts)),
        "maps": [{"name": each.kind.name, "signed": each.kind.signed} for each in maps],
        "labels": labels,
        "firsts": held.firsts,
        "ids": _names(records),
        "label": [place[one_line(record.label)] for record in records],
        "predicted": [place[one_line(record.predicted)] for record in records],
        "right": [int(record.label == record.predicted) for record in records],
        "words": [len(record.tokens) for record in records],
        "disagreement": _numbers(disagreements(audit), held.rows),
        "confidence": _numbers(confidences(audit), held.rows),
        "orders": _orders(audit, np.array(held.rows, dtype=np.int64)),
    }


def _names(records: Sequence[TextRecord]) -> list[str]:
    """Name each text by its id, as it can be seen; where two would read alike, the later gets a number."""
    seen: dict[str, int] = {}
    names = []
    for record in records:
        name = one_line(record.id) or "(no id)"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _numbers(values: np.ndarray | None, rows: Sequence[int]) -> list[str] | None:
    return None if values is None else [number(float(values[row])) for row in rows]


def _orders(audit: Results, rows: np.ndarray) -> dict[str, list[int]]:
    """Give each order but that of the page itself as places in it; sorted here, where no digit is lost yet."""
    orders = {"data": np.argsort(rows, kind="stable").tolist()}
    sure = confidences(audit)
    if sure is not None:
        orders["unsure"] = np.argsort(sure[rows], kind="stable").tolist()
        orders["sure"] = np.argsort(-sure[rows], kind="stable").tolist()
    return orders


def _told(held: int, total: int) -> str:
    if held == total:
        return ""
    return (
        f"This page holds {count(held)} of the {count(total)} audited texts, those on which the maps disagree most: "
        f"more would make it larger than {BUDGET // 10**6} MB. All of them are in the saved audit "
        "(sightline audit --save DIR)."
    )
