"""The texts themselves, as they were read, with the words shaded by what each map says of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sightline.report.numerals import count, number
from sightline.report.visible import shortened
from sightline.results import Audit, Failed, Measurement, NotApplicable, Ragged, TextRecord

SHOWN, FIRST_WORDS, FIRST_CHARACTERS, STEPS = 20, 120, 1200, 10
MAPS = (("attention", "attention"), ("gradient", "gradient"), ("deletion", "leave-one-out"))


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


def token_view(audit: Audit, texts: bool = True) -> TokenView:
    """Choose the texts on which the maps disagree most, and shade their words by each map."""
    measured, reason = _agreement(audit)
    order, chosen = _choice(audit, measured)
    disagreements = _disagreements(audit, measured)
    maps, notes = _maps(audit, measured)
    views = []
    for index in order:
        record = audit.texts[index]
        rows = tuple(_rows(record, {key: arrays[index] for key, arrays in maps.items()})) if texts else ()
        views.append(_view(record, rows, "" if disagreements is None else number(float(disagreements[index]))))
    return TokenView(tuple(views), chosen, tuple([reason] if reason else notes))


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


def _agreement(audit: Audit) -> tuple[Measurement | None, str]:
    outcome = audit.measurements.get("agreement")
    if isinstance(outcome, Measurement):
        return outcome, ""
    why = "it is not part of this audit"
    if isinstance(outcome, NotApplicable):
        why = f"not applicable: {outcome.reason}"
    if isinstance(outcome, Failed):
        why = f"it failed: {outcome.error}"
    return None, f"The maps over the words were not measured ({why}), so there are no shades to show."


def _choice(audit: Audit, measured: Measurement | None) -> tuple[list[int], str]:
    values = _disagreements(audit, measured)
    order = np.arange(len(audit.texts)) if values is None else np.argsort(-values, kind="stable")
    how = (
        "the first, because no disagreement was measured" if values is None else "those on which the maps disagree most"
    )
    shown = min(SHOWN, len(audit.texts))
    return order[:shown].tolist(), f"{count(shown)} of {count(len(audit.texts))} texts: {how}."


def _disagreements(audit: Audit, measured: Measurement | None) -> np.ndarray | None:
    values = None if measured is None else measured.values.get("disagreement")
    return values if isinstance(values, np.ndarray) and values.shape == (len(audit.texts),) else None


def _maps(audit: Audit, measured: Measurement | None) -> tuple[dict[str, list[np.ndarray]], list[str]]:
    """Take the maps that fit the texts word by word; say of the others why they are not shown."""
    maps: dict[str, list[np.ndarray]] = {}
    notes = []
    words = [len(record.tokens) for record in audit.texts]
    for key, name in MAPS if measured is not None else ():
        values = measured.values.get(key) if measured is not None else None
        if isinstance(values, Ragged) and values.lengths.tolist() == words:
            maps[key] = values.rows()
        elif isinstance(values, Ragged):
            notes.append(f"The {name} map is not shown: its lengths are not those of the texts.")
        else:
            notes.append(f"The {name} map was not measured.")
    if audit.texts and not any(record.rationale is not None for record in audit.texts):
        notes.append("People’s marks (evidence) are not known for these texts.")
    return maps, notes


def _view(record: TextRecord, rows: tuple[MapRow, ...], disagreement: str) -> TextView:
    query = " ".join(record.query or ()) if rows else ""
    return TextView(record.id, record.label, record.predicted, disagreement, count(len(record.tokens)), rows, query)


def _rows(record: TextRecord, maps: dict[str, np.ndarray]) -> Iterator[MapRow]:
    names = dict(MAPS)
    for key, values in maps.items():
        yield _row(names[key], record, shades(values), _heaviest(record, values))
    if record.rationale is not None:
        yield _row("evidence", record, ["ev" if marked else "s0" for marked in record.rationale], ())
    if not maps and record.rationale is None:
        yield _row("text", record, ["s0"] * len(record.tokens), ())


def _row(name: str, record: TextRecord, classes: Sequence[str], heaviest: tuple[tuple[str, str], ...]) -> MapRow:
    all_pieces = tuple(pieces(record, classes))
    cut = _fold(all_pieces)
    return MapRow(name, all_pieces[:cut], all_pieces[cut:], heaviest)


def pieces(record: TextRecord, classes: Sequence[str]) -> Iterator[Piece]:
    """Cut a text at its words; joined together again the pieces are the text.

    Where offsets overlap or leave the text, the word is cut to what is left of it.
    """
    at = 0
    for (start, end), shade in zip(record.offsets, classes, strict=False):
        begin, stop = max(start, at), min(end, len(record.text))
        if begin >= stop:
            continue
        if begin > at:
            yield Piece(record.text[at:begin])
        yield Piece(record.text[begin:stop], shade)
        at = stop
    if at < len(record.text):
        yield Piece(record.text[at:])


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
    order = np.argsort(-values, kind="stable")[:most].tolist()
    named = [(shortened(record.tokens[i], 24), float(values[i])) for i in order if values[i] > 0]
    return tuple((word, number(value)) for word, value in named)
