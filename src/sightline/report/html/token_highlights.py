"""The texts as they were read, with their words shaded by each map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from jaxtyping import Float

from sightline.core.results import TextRecord
from sightline.report.html.long_text_excerpt import MOST, Range, folded, heaviest
from sightline.report.html.view_model import HeldTexts
from sightline.report.map_names import Map
from sightline.report.number_format import count, number
from sightline.report.sanitize import shortened

SHOWN, STEPS, NAMED = 20, 10, 3
MOST_CHARACTERS = 120_000
"""Most characters of a text that are drawn without the script; the explorer and the saved audit
have all."""
GAP = "gap"
"""The class of a sign that replaces left-out words."""


@dataclass(frozen=True)
class HighlightSpan:
    """A piece of a text: a word with the class of its shade, text between words (no class), or a
    gap.
    """

    text: str
    shade: str = ""


@dataclass(frozen=True)
class TextMap:
    """One map over one text: what is shown at first, the whole if that is more, and the heaviest
    words.
    """

    name: str
    start: tuple[HighlightSpan, ...]
    whole: tuple[HighlightSpan, ...] = ()
    heaviest: tuple[tuple[str, str], ...] = ()
    signed: bool = False


@dataclass(frozen=True)
class TextView:
    """One text of the page; without rows if texts are left out."""

    id: str
    label: str
    predicted: str
    disagreement: str
    words: str
    rows: tuple[TextMap, ...]
    query: str = ""
    sums: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class TokenView:
    """The chosen texts, how they were chosen, and what is missing."""

    texts: tuple[TextView, ...]
    chosen: str
    notes: tuple[str, ...]


def token_view(held: HeldTexts, texts: bool = True) -> TokenView:
    """Choose the texts on which the maps disagree most, and shade their words by each map."""
    order = held.order[:SHOWN].tolist()
    views = [text_view(held, index, _rows(held, index) if texts else ()) for index in order]
    how = "those on which the maps disagree most"
    if held.disagreement is None:
        how = "the first, because no disagreement was measured"
    chosen = f"{count(len(order))} of {count(len(held.records))} texts: {how}."
    return TokenView(tuple(views), chosen, (*held.absent, *_unmarked(held.records)))


def shades(values: np.ndarray, signed: bool = False) -> list[str]:
    """Turn the values of one text into classes ``s0`` (nothing) to ``s10`` (its largest), NaN into
    ``na``.

    In a signed map, values below zero become ``n1`` to ``n10``, and the largest is by absolute
    value. Only values of 0 or less get ``s0``, so that small shares stay visible.
    """
    sizes = np.abs(values) if signed else values
    finite = sizes[np.isfinite(sizes)]
    largest = float(finite.max()) if finite.size else 0.0
    letters = np.where(signed & (values < 0), "n", "s").tolist()
    return [
        _shade(float(size), largest, letter) for size, letter in zip(sizes, letters, strict=True)
    ]


def _shade(value: float, largest: float, letter: str) -> str:
    if not math.isfinite(value):
        return "na"
    if value <= 0 or largest <= 0:
        return "s0"
    return f"{letter}{max(1, math.ceil(STEPS * value / largest - 1e-6))}"


def _unmarked(records: Sequence[TextRecord]) -> tuple[str, ...]:
    """Say that no text has a rationale, if so."""
    if not records or any(record.rationale is not None for record in records):
        return ()
    return ("These texts have no rationales (words that people marked).",)


def text_view(held: HeldTexts, index: int, rows: tuple[TextMap, ...]) -> TextView:
    """Describe a text, with the maps that were drawn over it."""
    record = held.records[index]
    query = " ".join(record.query or ()) if rows else ""
    disputed = "" if held.disagreement is None else number(float(held.disagreement[index]))
    sums = held.sums.texts[index] if held.sums and rows else None
    words = count(len(record.tokens))
    return TextView(record.id, record.label, record.predicted, disputed, words, rows, query, sums)


def _rows(held: HeldTexts, index: int) -> tuple[TextMap, ...]:
    return text_maps(held.records[index], [(each.kind, each.rows[index]) for each in held.shown])


def text_maps(
    record: TextRecord, maps: Sequence[tuple[Map, Float[np.ndarray, " T"]]]
) -> tuple[TextMap, ...]:
    """Draw one text by each map, and by its rationale, if any; without both, plain.

    A long text shows its most highlighted words of all maps, the same stretches in each row.
    """
    marks = (
        None
        if record.rationale is None
        else ["ev" if marked else "s0" for marked in record.rationale]
    )
    ranges = _folded(record, maps)
    rows = [_map_row(kind, record, values, ranges) for kind, values in maps]
    if marks is not None:
        rows.append(_row("evidence", record, marks, ranges))
    return tuple(rows) or (_row("text", record, ["s0"] * len(record.tokens), ranges),)


def _folded(record: TextRecord, maps: Sequence[tuple[Map, Float[np.ndarray, " T"]]]) -> list[Range]:
    sizes = [len(between) + len(word) for between, word in stretches(record)][:-1]
    marks = np.flatnonzero(record.rationale or ()).tolist()[:MOST]
    return folded(
        [*chain(*(heaviest(values, kind.signed, MOST) for kind, values in maps)), *marks], sizes
    )


def _map_row(
    kind: Map, record: TextRecord, values: Float[np.ndarray, " T"], ranges: Sequence[Range]
) -> TextMap:
    row = _row(kind.name, record, shades(values, kind.signed), ranges)
    return replace(row, heaviest=_heaviest(record, values, kind.signed), signed=kind.signed)


def _row(name: str, record: TextRecord, classes: Sequence[str], ranges: Sequence[Range]) -> TextMap:
    start = tuple(_printable(highlight_spans(record, classes, ranges)))
    whole = list(ranges) == [(0, len(record.offsets))]
    return TextMap(
        name, start, () if whole else tuple(_printable(highlight_spans(record, classes)))
    )


def stretches(record: TextRecord) -> Iterator[tuple[str, str]]:
    """Give the text before each word and the word itself; last the rest of the text and "".

    Where offsets overlap or leave the text, the word is cut to what remains, which may be nothing.
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


def highlight_spans(
    record: TextRecord, classes: Sequence[str], ranges: Sequence[Range] | None = None
) -> Iterator[HighlightSpan]:
    """Cut a text at its words; joined again, the pieces are the text or its ``ranges`` and gaps."""
    *words, (rest, _) = stretches(record)
    at = 0
    for start, stop in [(0, len(words))] if ranges is None else ranges:
        yield from _gap(start - at)
        for (between, word), shade in zip(words[start:stop], classes[start:stop], strict=False):
            yield from (
                HighlightSpan(text, kind) for text, kind in ((between, ""), (word, shade)) if text
            )
        at = stop
    yield from _gap(len(words) - at)
    if rest and at == len(words):
        yield HighlightSpan(rest)


def _gap(words: int) -> Iterator[HighlightSpan]:
    if words:
        yield HighlightSpan(
            f" … {count(words)} {'word' if words == 1 else 'words'} left out …", GAP
        )


def _printable(all_pieces: Iterable[HighlightSpan]) -> Iterator[HighlightSpan]:
    """Stop after a limit: a text is drawn once for each map, and the page has to stay small."""
    left = MOST_CHARACTERS
    for piece in all_pieces:
        yield replace(piece, text=piece.text[:left])
        left -= len(piece.text)
        if left < 0:
            yield HighlightSpan(" […]")
            return


def _heaviest(record: TextRecord, values: np.ndarray, signed: bool) -> tuple[tuple[str, str], ...]:
    """Name the words with the largest values, for readers who do not see shades."""
    named = [
        (shortened(record.tokens[i], 24), float(values[i])) for i in heaviest(values, signed, NAMED)
    ]
    return tuple(
        (word, ("+" if signed and value > 0 else "") + number(value)) for word, value in named
    )
