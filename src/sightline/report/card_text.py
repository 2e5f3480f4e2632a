"""A card as Markdown or HTML: plain parts that survive a paste, with all markup escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from markupsafe import escape

from sightline.report.card import HEAD, Card
from sightline.report.sanitize import one_line, visible


def card_markdown(card: Card) -> str:
    """Write a card in GitHub's Markdown."""
    parts = [
        f"**{_word(card.title)}**",
        _bullets(f"{name}: {value}" for name, value in card.facts.items()),
    ]
    for title, sentences in card.lists.items():
        parts += [f"**{_word(title)}**", _bullets(sentences)]
    if card.rows:
        rows = (HEAD, (":---",) * len(HEAD), *(tuple(map(_word, row)) for row in card.rows))
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    parts += ["**To repeat it**", _fenced(card.command)] if card.command else []
    parts += ["**Methods**", _word(card.methods)] if card.methods else []
    parts.append(_bullets(card.works))
    return "\n\n".join(filter(None, parts)) + "\n"


def card_html(card: Card) -> str:
    """Write a card as an HTML fragment for any page: no style, no script, no id."""
    parts = [_element("h2", card.title)]
    if card.facts:
        parts.append(_list(f"{name}: {value}" for name, value in card.facts.items()))
    for title, sentences in card.lists.items():
        parts += [_element("h3", title), _list(sentences)]
    if card.rows:
        rows = ["".join(_element("th", cell) for cell in HEAD)]
        rows += ["".join(_element("td", cell) for cell in row) for row in card.rows]
        parts.append("<table>\n" + "".join(f"<tr>{row}</tr>\n" for row in rows) + "</table>")
    if card.command:
        parts += [
            _element("h3", "To repeat it"),
            f"<pre><code>{escape(_typed(card.command))}</code></pre>",
        ]
    parts += [_element("h3", "Methods"), _element("p", card.methods)] if card.methods else []
    parts += [_list(card.works)] if card.works else []
    return "\n".join(["<article>", *parts, "</article>"]) + "\n"


def _word(text: str) -> str:
    """Escape words for Markdown, so that nothing in them is markup; most look unchanged."""
    escaped = re.sub(
        r"[\\`*_{}\[\]#~|$!@]|:(?=//)|\.(?<=www\.)|&(?=[#a-zA-Z])", r"\\\g<0>", one_line(text)
    )
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {_word(one)}" for one in sentences)


def _fenced(code: str) -> str:
    """Write a command as typed, between fences longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}\n{_typed(code)}\n{fence}"


def _typed(code: str) -> str:
    """Put a command on one line, with all its blanks: a name in it may have several."""
    return visible(code).replace("\n", " ")


def _element(kind: str, text: str) -> str:
    return f"<{kind}>{escape(one_line(text))}</{kind}>"


def _list(sentences: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"{_element('li', one)}\n" for one in sentences) + "</ul>"


CARDS: Mapping[str, Callable[[Card], str]] = {".md": card_markdown, ".html": card_html}
"""The writer of a card, by the file name's ending."""
