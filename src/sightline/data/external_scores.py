"""Read word scores of another tool from a table with ``id``, ``word``, ``score`` and optionally
``position``.

The rows of an id list every word of its text in order, or every word that the model sees, or give
each word's position, from 0. A text is scored completely or not at all, because a missing score
would have to be guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline._io.safe_open import naming_what_needs_memory
from sightline.config.user_tables import IN_LINES, table_kind
from sightline.core.error_excerpts import list_values, show
from sightline.core.errors import DataError, SpecError, setting
from sightline.core.example import Example
from sightline.data.readers.csv_jsonl import Record, Records, read_rows, table_digest
from sightline.data.readers.table_columns import not_a_character

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)
_POSITION = re.compile(r"\d{1,9}", re.ASCII)
_HOLDS = "id, word and score"
_WHICH_WORDS = (
    "words are split by sightline's tokeniser: texts.jsonl of an audit kept with --save lists them"
)
_WHICH_IDS = (
    "texts.jsonl of an audit kept with --save lists the ids; a text of a table is FILE:LINE"
)


@dataclass(frozen=True)
class Scores:
    """The scores of a file, one array for each text id; the number of ids that match no audited
    text, and of texts without scores.
    """

    file: str
    digest: str
    by_id: Mapping[str, Float[np.ndarray, " W"]]
    unknown: int
    without: int

    def about(self) -> dict[str, Any]:
        """Describe the file in plain values, with the unmatched ids and texts."""
        return {
            "file": self.file,
            "digest": self.digest,
            "texts": len(self.by_id),
            "notes": list(self._notes()),
        }

    def _notes(self) -> Iterator[str]:
        if self.unknown:
            yield f"{self.unknown} of the ids with scores name no text of this audit"
        if self.without:
            yield f"{self.without} audited texts have no scores, and are undefined in that map"


@dataclass(frozen=True)
class _Scored:
    """One parsed row; ``position`` is None if the row gives none."""

    line: int
    id: str
    word: str
    score: float
    position: int | None


def scores_kind(file: str | Path) -> str:
    """Give the format of a file of scores by its ending."""
    if (kind := table_kind(str(file))) not in IN_LINES:
        endings = ", ".join(f".{one}" for one in IN_LINES)
        raise SpecError(
            f"{file}: expected a file that ends in {endings}, plain or .gz", field="scores"
        )
    return kind


def read_scores(file: str | Path, texts: Sequence[Example], seen: Sequence[Example] = ()) -> Scores:
    """Read a file of scores and match it with the audited texts; the first mismatch is an error.

    ``seen`` are the same texts with only the words that the model sees. A text may be scored on
    all of its words, or on these.
    """
    with naming_what_needs_memory(file):
        return _read(str(file), texts, seen)


def _read(path: str, texts: Sequence[Example], seen: Sequence[Example]) -> Scores:
    rows = read_rows(path, scores_kind(path), _HOLDS)
    _check_columns(rows)
    scored: dict[str, list[_Scored]] = {}
    for one in (_understood(path, row) for row in rows.records):
        scored.setdefault(one.id, []).append(one)
    audited = {text.id: text for text in texts}
    known = [name for name in scored if name in audited]
    if not known:
        found, wanted = show(next(iter(scored))), show(next(iter(audited), None))
        raise DataError(
            f"expected ids of audited texts, such as {wanted}, got {found}; {_WHICH_IDS}", path
        )
    for text in seen:
        if len(scored.get(text.id, ())) == len(text.tokens):
            audited[text.id] = text
    by_id = {name: _whole(path, audited[name], scored[name]) for name in known}
    return Scores(
        path, table_digest(path), by_id, len(scored) - len(known), len(audited) - len(known)
    )


def _check_columns(rows: Records) -> None:
    for column in ("id", "word", "score"):
        if column not in rows.columns:
            message = f"expected the columns {_HOLDS}, got {list_values('column', rows.columns)}; rename them"
            raise DataError(message, rows.file, 1)


def _understood(file: str, row: Record) -> _Scored:
    cells = row.cells
    return _Scored(
        row.line,
        _id(file, row.line, cells.get("id")),
        _word(file, row.line, cells.get("word")),
        _score(file, row.line, cells.get("score")),
        _position(file, row.line, cells.get("position")),
    )


def _id(file: str, line: int, cell: Any) -> str:
    if type(cell) is int:
        return str(cell)
    if not isinstance(cell, str) or not cell:
        raise DataError(
            f"expected the id of a text in 'id', got {show(cell)}; {_WHICH_IDS}", file, line
        )
    return cell


def _word(file: str, line: int, cell: Any) -> str:
    if not isinstance(cell, str) or not_a_character(cell):
        raise DataError(f"expected a word in 'word', got {show(cell)}; {_WHICH_WORDS}", file, line)
    return cell


def _score(file: str, line: int, cell: Any) -> float:
    written = isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None
    try:
        score = float(cell) if written or type(cell) in (int, float) else math.nan
    except OverflowError:  # JSON allows whole numbers of any length
        score = math.inf
    if not math.isfinite(score):
        message = (
            f"expected a finite number in 'score', got {show(cell)}; write 0 only where the tool "
            "found nothing"
        )
        raise DataError(message, file, line)
    return score


def _position(file: str, line: int, cell: Any) -> int | None:
    if cell is None or cell == "":
        return None
    whole = type(cell) is int or (isinstance(cell, str) and _POSITION.fullmatch(cell) is not None)
    if not whole or int(cell) < 0:
        message = (
            f"expected the place of a word in 'position', a whole number from 0, got {show(cell)}"
        )
        raise DataError(
            f"{message}; leave it empty where rows name every word in order", file, line
        )
    return int(cell)


def _whole(file: str, text: Example, scored: Sequence[_Scored]) -> Float[np.ndarray, " W"]:
    """Sort the scores of one text by word position; each word needs exactly one score."""
    scores, lines = np.full(len(text.tokens), np.nan), [0] * len(text.tokens)
    in_order = scored[0].position is None
    for row, one in enumerate(scored):
        if (one.position is None) != in_order:
            wrong = (
                f"text {show(text.id)}: expected a position in all of its rows or in none, got both"
            )
            raise DataError(f"{wrong}; write them all, or leave the column out", file, one.line)
        place = row if one.position is None else one.position
        _check_word(file, text, one, place)
        if lines[place]:
            wrong = (
                f"{_at(text, place)}: expected one score, got a second, the first is in line "
                f"{lines[place]}"
            )
            raise DataError(f"{wrong}; keep one", file, one.line)
        scores[place], lines[place] = one.score, one.line
    if 0 in lines:
        first, n = lines.index(0), len(lines) - lines.count(0)
        wrong = (
            f"text {show(text.id)}: expected a score for each of its {len(lines)} words, got {n}"
        )
        missing = f"the first without is word {first} (from 0), {show(text.tokens[first])}"
        raise DataError(
            f"{wrong}; score the others too, or leave the text out; {missing}", file, scored[0].line
        )
    return scores


def _check_word(file: str, text: Example, one: _Scored, place: int) -> None:
    """Refuse a row whose word differs from the text at its position, or whose position does not
    exist.
    """
    if place >= len(text.tokens):
        wrong = (
            f"text {show(text.id)}: expected words 0 to {len(text.tokens) - 1}, got word {place}, "
            f"{show(one.word)}"
        )
        raise DataError(
            f"{wrong}; of a longer text leave out what lies beyond {setting('max_tokens')} or the "
            "length of the model",
            file,
            one.line,
        )
    if one.word.casefold() != text.tokens[place].casefold():
        wrong = f"{_at(text, place)}: expected {show(text.tokens[place])}, got {show(one.word)}"
        raise DataError(f"{wrong}; {_WHICH_WORDS}", file, one.line)


def _at(text: Example, place: int) -> str:
    return f"text {show(text.id)}, word {place} (from 0)"
