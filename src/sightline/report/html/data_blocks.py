"""The data of a page: blocks of texts and numbers, compressed, as many as fit.

Nothing is computed: texts become visible, words become positions in them, and numbers are rounded
to three digits. A block is gzipped JSON in base64. So a page of 10,000 texts stays small, and a
browser unpacks only what it shows.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.core.results import TextRecord
from sightline.report.html.token_highlights import stretches
from sightline.report.html.view_model import HeldMap, HeldTexts
from sightline.report.sanitize import visible

_ROW = 80  # bytes of the index for each text, without its id
_KINDS = ("texts", "numbers")
TEXTS_A_BLOCK, WORDS_A_BLOCK, CHARACTERS_A_BLOCK = 100, 8192, 262_144


@dataclass
class Filled:
    """The texts that fit so far, in the order of the page: their rows, the first row of each block,
    and the blocks.
    """

    left: int
    rows: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    blocks: list[tuple[str, str]] = field(default_factory=list)

    def add(self, group: Sequence[int], bodies: Sequence[str], cost: int) -> None:
        """Add one block of texts and, if texts are shown, the block of their numbers."""
        here = len(self.firsts)
        self.firsts.append(len(self.rows))
        self.rows.extend(group)
        self.blocks += [
            (f"{kind}-{here}", body) for kind, body in zip(_KINDS, bodies, strict=False)
        ]
        self.left -= cost


def filled(held: HeldTexts, texts: bool, room: int) -> Filled:
    """Pack the texts with the largest disagreement, as many as fit into ``room`` bytes.

    Without ``texts``, nothing of a text is packed, not even the lengths of its words.
    """
    taken = Filled(left=room)
    for group in grouped(held.order.tolist(), held.records):
        bodies = _bodies(held, group) if texts else []
        cost = sum(map(len, bodies)) + sum(
            _ROW + 6 * len(held.records[index].id) for index in group
        )
        if cost <= taken.left:
            taken.add(group, bodies, cost)
        elif (
            len(group) > 1
        ):  # a single text that is too long for any page must not keep out later texts
            break
    return taken


def _bodies(held: HeldTexts, group: Sequence[int]) -> list[str]:
    sums = held.sums.texts if held.sums else ()
    return [
        packed(text_block([held.records[index] for index in group])),
        packed(number_block(group, held.maps, sums)),
    ]


def packed(text: str) -> str:
    """Compress a text; equal texts give equal blocks."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def grouped(order: Sequence[int], texts: Sequence[TextRecord]) -> Iterator[list[int]]:
    """Divide texts into blocks in their order, limited by texts, words and characters; a long text
    has its own block.
    """
    group: list[int] = []
    words = characters = 0
    for index in order:
        more = len(texts[index].tokens), len(texts[index].text)
        full = words + more[0] > WORDS_A_BLOCK or characters + more[1] > CHARACTERS_A_BLOCK
        if group and (full or len(group) == TEXTS_A_BLOCK):
            yield group
            group, words, characters = [], 0, 0
        group.append(index)
        words, characters = words + more[0], characters + more[1]
    if group:
        yield group


def text_block(records: Sequence[TextRecord]) -> str:
    """Write texts as shown, each with the positions of its words, its rationale, and its query, if
    any.
    """
    return json.dumps(
        [_describe(record) for record in records], ensure_ascii=False, separators=(",", ":")
    )


def _describe(record: TextRecord) -> list[Any]:
    marks = (
        None if record.rationale is None else "".join("01"[marked] for marked in record.rationale)
    )
    parts = [(visible(between), visible(word)) for between, word in stretches(record)]
    places = [_units(part) for pair in parts[:-1] for part in pair]
    asked = [] if record.query is None else [visible(" ".join(record.query))]
    return ["".join(between + word for between, word in parts), places, marks, *asked]


def _units(text: str) -> int:
    """Count as JavaScript does, in UTF-16 units, of which an emoji takes two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def number_block(indices: Sequence[int], maps: Sequence[HeldMap], sums: Sequence[Any] = ()) -> str:
    """Write for each text one list of numbers a map, and its written sums, if there are any."""
    rows = (
        ",".join(
            [
                *(_rounded(each.rows[index]) for each in maps),
                *map(json.dumps, sums[index : index + 1]),
            ]
        )
        for index in indices
    )
    return f"[{','.join(f'[{row}]' for row in rows)}]"


def _rounded(values: Float[np.ndarray, " T"]) -> str:
    """Write numbers with three significant digits; undefined ones as null, infinite ones so that
    they are read as infinite.

    One formatting call a text, because a page of long texts has tens of millions of numbers.
    """
    text = ",".join(["%.3g"] * len(values)) % tuple(values.tolist())
    return f"[{text.replace('nan', 'null').replace('inf', '1e999')}]"
