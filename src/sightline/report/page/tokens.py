"""The texts themselves, as they were read, with the words shaded by what each map says of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from sightline.maths.ties import settled
from sightline.report.numerals import count, number
from sightline.report.page.held import HeldMap, HeldTexts
from sightline.report.visible import shortened
from sightline.results import TextRecord

SHOWN, FIRST_WORDS, FIRST_CHARACTERS, STEPS = 20, 120, 1200, 10
MOST_CHARACTERS = 120_000
"""How much of one text is drawn where no script runs; the explorer and the saved audit have all of it."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a text: a word with the class of its shade, or what lies between words (no class)."""

    text: str
    shade: str = ""


@dataclass(frozen=True)
class MapRow:
    """One map over one text: its beginning, the rest where the text is long, and its heaviest words."""

    name: str
    start: tuple[Piece, ...]
    rest: tuple[Piece, ...]
    heaviest: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TextView:
    """One text of the page; without rows where texts are left out."""

    id: str
    label: str
    predicted: str
    disagreement: str
    words: str
    rows: tuple[MapRow, ...]
    query: str = ""


@dataclass(frozen=True)
class TokenView:
    """The chosen texts, how they were chosen, and what is missing."""

    texts: tuple[TextView, ...]
    chosen: str
    notes: tuple[str, ...]


def token_view(held: HeldTexts, texts: bool = True) -> TokenView:
    """Choose the texts on which the maps disagree most, and shade their words by each map."""
    order = held.order[:SHOWN].tolist()
    views = [text_view(held, index, tuple(_rows(held, index)) if texts else ()) for index in order]
    how = "those on which the maps disagree most"
    if held.disagreement is None:
        how = "the first, because no disagreement was measured"
    chosen = f"{count(len(order))} of {count(len(held.records))} texts: {how}."
    return TokenView(tuple(views), chosen, (*held.absent, *_unmarked(held.records)))


def shades(values: np.ndarray) -> list[str]:
    """Turn the values of one text into classes ``s0`` (none of it) to ``s10`` (its largest), NaN into ``na``.

    Only a value that is not positive gets ``s0``: a small share stays visible.
    """
    finite = values[np.isfinite(values)]
    largest = float(finite.max()) if finite.size else 0.0
    return [_shade(float(value), largest) for value in values]


def _shade(value: float, largest: float) -> str:
    if not math.isfinite(value):
        return "na"
    if value <= 0 or largest <= 0:
        return "s0"
    return f"s{max(1, math.ceil(STEPS * value / largest - 1e-6))}"


def _unmarked(records: Sequence[TextRecord]) -> tuple[str, ...]:
    """Say that nobody marked the evidence, where nobody did."""
    if not records or any(record.rationale is not None for record in records):
        return ()
    return ("People’s marks (evidence) are not known for these texts.",)


def text_view(held: HeldTexts, index: int, rows: tuple[MapRow, ...]) -> TextView:
    """Say what a text is, beside the maps that were drawn over it."""
    record = held.records[index]
    query = " ".join(record.query or ()) if rows else ""
    disputed = "" if held.disagreement is None else number(float(held.disagreement[index]))
    return TextView(record.id, record.label, record.predicted, disputed, count(len(record.tokens)), rows, query)


def _rows(held: HeldTexts, index: int) -> Iterator[MapRow]:
    record, maps = held.records[index], [each for each in held.maps if each.kind.printed]
    for each in maps:
        yield map_row(each, record, index)
    if record.rationale is not None:
        yield _row("evidence", record, ["ev" if marked else "s0" for marked in record.rationale], ())
    if not maps and record.rationale is None:
        yield _row("text", record, ["s0"] * len(record.tokens), ())


def map_row(each: HeldMap, record: TextRecord, index: int) -> MapRow:
    """Draw one map over one text."""
    return _row(each.kind.name, record, shades(each.rows[index]), _heaviest(record, each.rows[index]))


def _row(name: str, record: TextRecord, classes: Sequence[str], heaviest: tuple[tuple[str, str], ...]) -> MapRow:
    all_pieces = tuple(_printable(pieces(record, classes)))
    cut = _fold(all_pieces)
    return MapRow(name, all_pieces[:cut], all_pieces[cut:], heaviest)


def stretches(record: TextRecord) -> Iterator[tuple[str, str]]:
    """Give for each word what lies before it and the word, as both stand in the text; last the rest and nothing.

    Where offsets overlap or leave the text, the word is cut to what is left of it, which may be nothing.
    """
    at = 0
    for start, end in record.offsets:
        begin, stop = max(start, at), min(end, len(record.text))
        if begin >= stop:
            yield "", ""
            continue
        yield record.text[at:begin], record.text[begin:stop]
        at = stop
    yield record.text[at:], ""


def pieces(record: TextRecord, classes: Sequence[str]) -> Iterator[Piece]:
    """Cut a text at its words; joined together again the pieces are the text."""
    for (between, word), shade in zip(stretches(record), chain(classes, repeat("")), strict=False):
        if between:
            yield Piece(between)
        if word:
            yield Piece(word, shade)


def _printable(all_pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Stop after as much as paper can take: a text is drawn once for each map, and the page has a size to keep."""
    left = MOST_CHARACTERS
    for piece in all_pieces:
        yield replace(piece, text=piece.text[:left])
        left -= len(piece.text)
        if left < 0:
            yield Piece(" […]")
            return


def _fold(all_pieces: Sequence[Piece]) -> int:
    """Count the pieces shown at once: all of a short text, the first words of a long one."""
    words = characters = 0
    for index, piece in enumerate(all_pieces):
        words += bool(piece.shade)
        characters += len(piece.text)
        if words > FIRST_WORDS or characters > FIRST_CHARACTERS:
            return index
    return len(all_pieces)


def _heaviest(record: TextRecord, values: np.ndarray, most: int = 3) -> tuple[tuple[str, str], ...]:
    """Name the words with the largest values, for eyes and ears that shades do not reach."""
    order = np.argsort(-settled(values, np.ones(values.shape, dtype=bool)), kind="stable")[:most].tolist()
    named = [(shortened(record.tokens[i], 24), float(values[i])) for i in order if values[i] > 0]
    return tuple((word, number(value)) for word, value in named)
