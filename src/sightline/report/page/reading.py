"""One text as a model reads it, for a notebook: a fragment that styles nothing but itself and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sightline.questions import MAPS
from sightline.reading import WARNING, Reading
from sightline.report.instead import families
from sightline.report.numerals import count, number
from sightline.report.page.frame import template
from sightline.report.page.maps import called
from sightline.report.page.tokens import STEPS, Piece, pieces, shades
from sightline.report.sentences import headline

UNKNOWN = "unknown"
"""What stands behind the shade of a word that the model does not know."""
FOR, AGAINST = "214 137 16", "92 138 190"
"""The colours of the page, as red, green and blue; half of them shines through, so that dark paper stays dark."""
_DOTTED, _UNDERLINED = "border-bottom:2px dotted currentcolor", "text-decoration:underline"


@dataclass(frozen=True)
class Row:
    """One map over the text: what it is called, what it says of a word, and the words with their shades."""

    name: str
    told: str
    signed: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Chance:
    """A class with its probability, and what that was before, where there was something before."""

    name: str
    chance: str
    before: str
    predicted: bool


def rows_of(reading: Reading) -> list[Row]:
    """Shade the words by each map; a word that the model does not know is marked in every row."""
    known = reading.known or (True,) * len(reading.text.tokens)
    rows = []
    for name, values in reading.maps.items():
        signed = MAPS[name].signed
        classes = [
            f"{shade}{'' if knows else f' {UNKNOWN}'}"
            for shade, knows in zip(shades(values, signed), known, strict=True)
        ]
        rows.append(Row(called(name), MAPS[name].told, signed, tuple(pieces(reading.text, classes))))
    return rows


def chances(reading: Reading) -> Iterator[Chance]:
    """Give each class with its probability, in the order of the model."""
    before = {} if reading.before is None else reading.before.probabilities
    for name, chance in reading.probabilities.items():
        earlier = number(before[name]) if name in before else ""
        yield Chance(name, number(chance), earlier, name == reading.text.predicted)


def notes(reading: Reading) -> list[str]:
    """Say what was cut, unknown and absent, that one text is no evidence, and what an audit found."""
    told = []
    if reading.cut:
        told.append(f"Cut: the last {count(reading.cut)} {'word was' if reading.cut == 1 else 'words were'} not read.")
    if reading.known is None:
        told.append("This model does not say which words it knows.")
    elif reading.unknown:
        told.append(f"Words that the model does not know: {', '.join(reading.unknown)}.")
    told += [f"No {called(name)}: {why}." for name, why in reading.absent.items()]
    return [*told, f"{WARNING}: {reading.advice}", *_audited(reading)]


def in_notebook(reading: Reading) -> str:
    """Draw a reading as a block for a notebook, without a script and without a stylesheet."""
    return template("reading.html.j2").render(
        reading=reading,
        chances=list(chances(reading)),
        rows=rows_of(reading),
        style=style_of,
        legend=_legend(reading),
        notes=notes(reading),
    )


def style_of(shade: str) -> str:
    """Give the style of a word by its shade; what lies between words has none."""
    strength, _, unknown = shade.partition(" ")
    styles = [_DOTTED] if unknown else []
    if strength[1:].isdigit() and int(strength[1:]):
        colour = AGAINST if strength.startswith("n") else FOR
        styles.insert(0, f"background:rgb({colour} / {int(strength[1:]) * 50 // STEPS}%)")
    return ";".join([*styles, _UNDERLINED] if strength.startswith("n") and strength != "na" else styles)


def _legend(reading: Reading) -> list[tuple[str, str]]:
    """Say what the colours and lines mean, each with its own."""
    signs = [(style_of("n7"), "against")] if any(MAPS[name].signed for name in reading.maps) else []
    unknown = [(style_of(f"s0 {UNKNOWN}"), "not known to the model")] if reading.unknown else []
    first = "for the predicted class (or just much)" if signs else "much"
    return [(style_of("s7"), first), *signs, *unknown]


def _audited(reading: Reading) -> Iterator[str]:
    if reading.audit is None:
        return
    yield f"Its audit, of {count(len(reading.audit.texts))} texts: attention {headline(reading.audit.verdict)}"
    for family in families(reading.audit.maps):
        yield f"Which map may be shown, of those that say {family.title}: {family.answer}"
    if reading.doubt:
        yield reading.doubt
