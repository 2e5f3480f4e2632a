"""One text as a model reads it, for a notebook: an HTML fragment without stylesheet and script."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from operator import not_

from sightline.config.word_maps import MAPS
from sightline.core.audited_map import ATTENTION
from sightline.core.explanation import Explanation
from sightline.core.results import BY_ABSENCE, CANNOT_TELL, MUST_NOT, Results
from sightline.report.advice import NO_WORD, NOT_YET, first_of_all
from sightline.report.alternative_maps import families
from sightline.report.html.colour_scale import none_of_size, scale_of, shades_of
from sightline.report.html.page_template import template
from sightline.report.html.token_highlights import STEPS, HighlightSpan, highlight_spans
from sightline.report.map_names import map_title
from sightline.report.number_format import count, number, percentage
from sightline.report.sentences import headline, quoted, quoted_start

UNKNOWN = "unknown"
"""Follows the shade of a word that the model does not know."""
UNSEEN = "not seen"
"""Follows a word that the model does not see."""
FOR, AGAINST = "214 137 16", "92 138 190"
"""Colours of the page, as red, green and blue; they are partly transparent, so that a dark page
stays dark."""
_OPAQUE, _STRONG = 60, 5
"""Opacity of the deepest shade in per cent; and the shade from which on the line under a word
against the class is as dark as its ink."""
_DOTTED, _UNDERLINED = "border-bottom:2px dotted currentcolor", "text-decoration:underline"
_FAINT = f"{_UNDERLINED} rgb(128 128 128 / 55%)"


NAMED = 8
"""Most words that a note names."""
OPEN = 25
"""Most words of a text whose numbers are shown at once; longer tables are folded."""


@dataclass(frozen=True)
class MapView:
    """One map over the text: its name, what its numbers mean, the shaded words, and the scale of
    the shades.

    If all numbers are too small to be seen, ``nothing`` says so, and no word is coloured.
    """

    name: str
    description: str
    pieces: tuple[HighlightSpan, ...]
    scale: tuple[tuple[str, str], ...]
    nothing: str


@dataclass(frozen=True)
class Chance:
    """A class, its probability, and its earlier probability, if any."""

    name: str
    chance: str
    before: str
    predicted: bool


def rows_of(reading: Explanation) -> list[MapView]:
    """Shade the words by each map; words that the model does not know are marked in every row."""
    known = reading.known or (True,) * len(reading.text.tokens)
    rows = []
    for name, values in reading.maps.items():
        kind = MAPS[name]
        classes = [
            f"{shade}{'' if knows else f' {UNKNOWN}'}"
            for shade, knows in zip(shades_of(values, kind), known, strict=True)
        ]
        shown = tuple(highlight_spans(reading.text, classes))
        rows.append(
            MapView(
                *_described(reading, name),
                shown,
                tuple(scale_of(kind)),
                none_of_size(values, kind),
            )
        )
    return rows


def _described(reading: Explanation, name: str) -> tuple[str, str]:
    """Give the name of a map and what its numbers mean."""
    if name == ATTENTION and reading.audited is not None:
        return reading.audited.noun, reading.audited.description
    return map_title(name), MAPS[name].description


def word_rows(reading: Explanation) -> list[list[str]]:
    """Give each word with its position and its number in every map, below a row of titles."""
    known = reading.known or (True,) * len(reading.text.tokens)
    rows = [["", "word", *(_described(reading, name)[0] for name in reading.maps)]]
    for place, word in enumerate(reading.text.tokens):
        odd = UNSEEN if not reading.sees[place] else "" if known[place] else UNKNOWN
        named = f"{word} ({odd})" if odd else word
        rows.append(
            [
                str(place),
                named,
                *(_number(float(values[place])) for values in reading.maps.values()),
            ]
        )
    return rows


def chances(reading: Explanation) -> Iterator[Chance]:
    """Give each class with its probability, in the order of the model."""
    before = {} if reading.before is None else reading.before.probabilities
    for name, chance in reading.probabilities.items():
        earlier = number(before[name]) if name in before else ""
        yield Chance(name, number(chance), earlier, name == reading.text.predicted)


def notes(reading: Explanation) -> list[str]:
    """Say what was unknown, cut and missing, that one text is no evidence, and what an audit
    found.
    """
    lines = list(_unknown(reading))
    if reading.cut:
        lines.append(
            f"Cut: the last {count(reading.cut)} "
            f"{'word was' if reading.cut == 1 else 'words were'} not read."
        )
    if reading.elsewhere and "attention" in reading.maps:
        lines.append(
            f"Tokens of no word, such as [CLS], have {percentage(reading.elsewhere)} of the attention; the "
            "weights of the words are shares of the rest."
        )
    lines += list(_unseen(reading))
    lines += [f"No {map_title(name)}: {why}." for name, why in reading.absent.items()]
    return [*lines, reading.warning, *_audited(reading)]


def in_notebook(reading: Explanation) -> str:
    """Draw an explanation as a block for a notebook, without script and stylesheet."""
    return template("reading.html.j2").render(
        reading=reading,
        chances=list(chances(reading)),
        rows=rows_of(reading),
        style=style_of,
        legend=_legend(reading),
        words=word_rows(reading),
        opened=len(reading.text.tokens) <= OPEN,
        notes=notes(reading),
    )


def style_of(shade: str) -> str:
    """Give the style of a word by its shade; text between words has none."""
    strength, _, unknown = shade.partition(" ")
    step = int(strength[1:]) if strength[1:].isdigit() else 0
    against = step and strength.startswith("n")
    ground = (
        f"background:rgb({AGAINST if against else FOR} / {step * _OPAQUE // STEPS}%)"
        if step
        else ""
    )
    line = (_UNDERLINED if step >= _STRONG else _FAINT) if against else ""
    return ";".join(filter(None, (ground, _DOTTED if unknown else "", line)))


def _unknown(reading: Explanation) -> Iterator[str]:
    """Say how many words the model does not know: it reads all of them as the same word."""
    if reading.known is None:
        yield "This model does not say which words it knows."
        return
    n, missing = len(reading.known), reading.known.count(False)
    if missing == n:
        none = "does not know the one word" if n == 1 else f"knows none of the {count(n)} words"
        yield (
            f"The model {none} of this text: any other unknown words in their place would get "
            "the same prediction."
        )
    elif missing:
        named = ", ".join(map(quoted_start, reading.unknown))
        yield f"The model does not know {count(missing)} of the {count(n)} words: {named}."


def _unseen(reading: Explanation) -> Iterator[str]:
    """Say which words have no number, and possible reasons."""
    tokens = reading.text.tokens
    at_end = sum(1 for _ in takewhile(not_, reversed(reading.sees)))
    read = len(tokens) - min(at_end, reading.cut)  # what was cut has its own sentence
    without = [word for word, seen in zip(tokens[:read], reading.sees, strict=False) if not seen]
    if not without:
        return
    names = list(dict.fromkeys(map(quoted_start, without)))
    named = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    have = "has" if len(without) == 1 else "have"
    yield (
        f"Not seen: {count(len(without))} of the {count(len(tokens))} words {have} no number, "
        "because the model has no token of its own for "
        f"{'it' if len(without) == 1 else 'them'}: {named}."
    )


def _number(value: float) -> str:
    return "—" if math.isnan(value) else number(value)


def _legend(reading: Explanation) -> list[tuple[str, str]]:
    """Explain the colours and lines, each in its own style."""
    signs = [(style_of("n7"), "against")] if any(MAPS[name].signed for name in reading.maps) else []
    unknown = [(style_of(f"s0 {UNKNOWN}"), "not known to the model")] if reading.unknown else []
    first = "for the predicted class (or just much)" if signs else "much"
    return [(style_of("s7"), first), *signs, *unknown]


def _audited(reading: Explanation) -> Iterator[str]:
    if reading.audit is None:
        return
    yield (
        f"Its audit, of {count(len(reading.audit.texts))} texts, says about "
        f"{reading.audit.verdict.of_map}: {headline(reading.audit.verdict)}"
    )
    if first := first_of_all(reading.audit):
        yield NOT_YET
        yield first
    else:
        yield from _shown(reading.text.predicted, reading.audit)
    if reading.doubt:
        yield reading.doubt


def _shown(predicted: str, audit: Results) -> Iterator[str]:
    """Say which map may be shown of a text of this predicted class."""
    verdict, level = audit.verdict, audit.for_text(predicted)
    if level == CANNOT_TELL and not audit.was_predicted(predicted):
        # The maps of the audit were compared on texts of other classes.
        yield (
            f"Do not show {verdict.of_map} of this text yet: no audited text was predicted "
            f"{quoted(predicted)}"
        )
        return
    if level == BY_ABSENCE:
        yield (
            f"Show no map of this text: it is predicted {quoted(predicted)} by absence, and {NO_WORD}"
        )
    elif level == MUST_NOT:
        yield f"Do not show {verdict.of_map} of this text"
    elif level == CANNOT_TELL:
        yield f"Do not show {verdict.of_map} of this text yet: its audit could not tell"
    for family in families(audit.maps, verdict):
        yield f"Which map may be shown for {family.title}: {family.answer}"
