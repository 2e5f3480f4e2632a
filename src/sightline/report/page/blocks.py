"""What the page carries for its explorer: an index in plain JSON, and blocks of texts and of numbers, packed.

Nothing is computed: texts become visible, words become places in them, numbers are rounded to three digits. A block is
JSON in gzip in base64, so that a page of 10,000 texts stays small and a browser unpacks only what it shows.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.report.page.maps import HeldMap
from sightline.report.page.tokens import stretches
from sightline.report.visible import visible
from sightline.results import TextRecord

TEXTS_A_BLOCK, WORDS_A_BLOCK, CHARACTERS_A_BLOCK = 100, 8192, 262_144


def embedded(value: Any) -> str:
    r"""Write JSON that can stand inside a script element: no tag and no comment can begin or end in it.

    >>> embedded(["</script><!-- é"])
    '["\\u003c/script\\u003e\\u003c!-- \\u00e9"]'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))  # in ASCII
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def packed(text: str) -> str:
    """Pack a text; equal texts give equal blocks."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def grouped(order: Sequence[int], texts: Sequence[TextRecord]) -> Iterator[list[int]]:
    """Share texts out to blocks in their order: so many texts, words and characters each, or one long text alone."""
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
    """Write texts as they are shown, each with the places of its words, people's marks, and its query if any."""
    return json.dumps([_told(record) for record in records], ensure_ascii=False, separators=(",", ":"))


def _told(record: TextRecord) -> list[Any]:
    marks = None if record.rationale is None else "".join("01"[marked] for marked in record.rationale)
    parts = [(visible(between), visible(word)) for between, word in stretches(record)]
    places = [_units(part) for pair in parts[:-1] for part in pair]
    asked = [] if record.query is None else [visible(" ".join(record.query))]
    return ["".join(between + word for between, word in parts), places, marks, *asked]


def _units(text: str) -> int:
    """Count as JavaScript does: in units of UTF-16, of which an emoji takes two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def number_block(indices: Sequence[int], maps: Sequence[HeldMap]) -> str:
    """Write for each text one list of numbers a map."""
    rows = (",".join(_rounded(each.rows[index]) for each in maps) for index in indices)
    return f"[{','.join(f'[{row}]' for row in rows)}]"


def _rounded(values: Float[np.ndarray, " T"]) -> str:
    """Write numbers with three significant digits; undefined ones as null, endless ones so that they are read as such.

    One formatting call a text: a page of long texts holds tens of millions of numbers.
    """
    text = ",".join(["%.3g"] * len(values)) % tuple(values.tolist())
    return f"[{text.replace('nan', 'null').replace('inf', '1e999')}]"
