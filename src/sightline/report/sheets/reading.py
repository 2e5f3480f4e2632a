"""One text as a model reads it, for the terminal: plain lines, and its words in colours."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.text import Text

from sightline.questions import MAPS
from sightline.reading import Reading
from sightline.report.numerals import number
from sightline.report.page.maps import called
from sightline.report.page.reading import AGAINST, FOR, UNKNOWN, chances, notes, rows_of
from sightline.report.page.tokens import STEPS
from sightline.report.sheets.columns import aligned
from sightline.report.visible import one_line, visible


def lines(reading: Reading) -> list[str]:
    """Give the text, the probabilities, the words with the number of each map, and what is to be known of them.

    Every line can be printed: what a terminal would obey has become a visible sign.
    """
    told = [
        *_text(reading),
        "",
        *_classes(reading),
        "",
        *_words(reading),
        "",
        *_legend(reading),
        "",
        *map(one_line, notes(reading)),
    ]
    return told


def shaded(reading: Reading) -> list[Text]:
    """Give the words in the colours of each map, for a terminal that has some."""
    out = []
    for row in rows_of(reading):
        line = Text.assemble((f"{row.name}: ", "bold"))
        for piece in row.pieces:
            line.append(visible(piece.text), style=_style(piece.shade))
        out.append(line)
    return out


def _text(reading: Reading) -> Iterator[str]:
    yield one_line(f"Text: {reading.text.text}")
    if reading.text.query is not None:
        yield one_line(f"Query: {' '.join(reading.text.query)}")
    if reading.before is not None:
        yield one_line(f"Before: {reading.before.text.text}")


def _classes(reading: Reading) -> list[str]:
    """List the classes, the predicted one marked, and what each had before."""
    columns = 3 if reading.before is None else 4
    rows = [["→" if one.predicted else "", one.name, one.chance, one.before] for one in chances(reading)]
    return aligned([row[:columns] for row in (["", "class", "probability", "before"], *rows)])


def _words(reading: Reading) -> list[str]:
    known = reading.known or (True,) * len(reading.text.tokens)
    rows = [["", "word", *map(called, reading.maps)]]
    for place, word in enumerate(reading.text.tokens):
        named = word if known[place] else f"{word} ({UNKNOWN})"
        rows.append([str(place), named, *(_number(float(values[place])) for values in reading.maps.values())])
    return aligned(rows)


def _style(shade: str) -> str:
    """Give the style of a word by its shade: ink and ground together, so that it can be read on any terminal."""
    strength, _, unknown = shade.partition(" ")
    styles = ["underline"] if unknown else []
    if strength[1:].isdigit() and int(strength[1:]):
        mixed = _mixed(AGAINST if strength.startswith("n") else FOR, int(strength[1:]) / STEPS)
        styles.append(f"black on rgb({mixed})")
    return " ".join(styles)


def _mixed(colour: str, share: float) -> str:
    """Mix a colour with white."""
    return ",".join(str(round(255 - share * (255 - int(part)))) for part in colour.split())


def _number(value: float) -> str:
    return "—" if math.isnan(value) else number(value)


def _legend(reading: Reading) -> list[str]:
    return [f"{called(name)}: {MAPS[name].told}" for name in reading.maps]
