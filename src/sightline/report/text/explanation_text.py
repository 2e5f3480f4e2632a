"""One text as a model reads it, on the terminal: lines, and its words in colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from sightline.core.explanation import Explanation
from sightline.report.column_layout import aligned
from sightline.report.html.explanation_view import (
    AGAINST,
    FOR,
    MapView,
    chances,
    notes,
    rows_of,
    word_rows,
)
from sightline.report.html.token_highlights import STEPS
from sightline.report.sanitize import one_line, visible


def lines(reading: Explanation) -> list[str]:
    """Give the text, the probabilities, the words with the number of each map, and notes.

    Control characters become visible signs.
    """
    sentences = [
        *_text(reading),
        "",
        *_classes(reading),
        "",
        *aligned(word_rows(reading)),
        "",
        *_legend(reading),
        "",
        *map(one_line, notes(reading)),
    ]
    return sentences


def newest(reading: Explanation) -> Text:
    """Give the words in the colours of the latest map."""
    return _coloured(rows_of(reading)[-1])


def scales(reading: Explanation) -> list[Text]:
    """Explain the colours of the maps."""
    found = dict[tuple[tuple[str, str], ...], list[str]]()
    for row in rows_of(reading):
        if not row.nothing:
            found.setdefault(row.scale, []).append(row.name)
    return [_scale(scale, names) for scale, names in found.items()]


def _coloured(row: MapView) -> Text:
    """Write the words in their colours, or say that there is nothing to colour."""
    line = Text.assemble((f"{row.name}: ", "bold"), row.nothing)
    for piece in () if row.nothing else row.pieces:
        line.append(visible(piece.text), style=_style(piece.shade))
    return line


def _scale(scale: Sequence[tuple[str, str]], names: Sequence[str]) -> Text:
    """Write which number has which colour, and in which maps."""
    line = Text("colours:")
    for shade, label in scale:
        line.append(" ").append(f" {label} ", style=_style(shade))
    return line.append(f"  in {', '.join(names)}")


def _text(reading: Explanation) -> Iterator[str]:
    yield one_line(f"Text: {reading.text.text}")
    if reading.text.query is not None:
        yield one_line(f"Query: {' '.join(reading.text.query)}")
    if reading.before is not None:
        yield one_line(f"Before: {reading.before.text.text}")


def _classes(reading: Explanation) -> list[str]:
    """List the classes with the predicted one marked, and their earlier probabilities."""
    columns = 3 if reading.before is None else 4
    rows = [
        ["→" if one.predicted else "", one.name, one.chance, one.before] for one in chances(reading)
    ]
    return aligned([row[:columns] for row in (["", "class", "probability", "before"], *rows)])


def _style(shade: str) -> str:
    """Give the style of a word by its shade; it sets ink and background, to be readable on any
    terminal.
    """
    strength, _, unknown = shade.partition(" ")
    styles = ["underline"] if unknown else []
    if strength[1:].isdigit() and int(strength[1:]):
        mixed = _mixed(AGAINST if strength.startswith("n") else FOR, int(strength[1:]) / STEPS)
        styles.append(f"black on rgb({mixed})")
    return " ".join(styles)


def _mixed(colour: str, share: float) -> str:
    """Mix a colour with white."""
    return ",".join(str(round(255 - share * (255 - int(part)))) for part in colour.split())


def _legend(reading: Explanation) -> list[str]:
    """Say what the numbers of each map mean, and whether all are too small to be seen."""
    return [
        f"{row.name}: {row.description}{f'. {row.nothing}' if row.nothing else ''}"
        for row in rows_of(reading)
    ]
