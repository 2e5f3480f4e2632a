"""20 Newsgroups, by-date version, baseball against hockey: one raw message in each file.

``20news-bydate-train/rec.sport.baseball/98657``. The rules below remove headers, quotations and
footers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, PaperRecipe, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.jain_wallace_cleaning import (
    OUR_WORDS,
    drawn_by_class,
    general,
    split_signs,
)
from sightline.data.corpora.numbered_files import Numbered
from sightline.data.readers.archives import File

LABELS = ("baseball", "hockey")
PUBLISHED = {
    "train, baseball": 597,
    "train, hockey": 600,
    "test, baseball": 397,
    "test, hockey": 399,
}
EXPECTED = (
    "messages such as 20news-bydate-train/rec.sport.baseball/98657, of both groups in train and "
    "test"
)
SEED = 13478
_MESSAGE = re.compile(
    r"20news-bydate-(?P<split>train|test)/rec\.sport\.(?P<label>baseball|hockey)/(?P<id>\d+)$"
)
_QUOTED = re.compile(r"\s*(?:[A-Za-z]{0,4}[>|]|[:}] ?\S)")
_SAYS = re.compile(
    r"(?:writes|wrote|says|said)\s*:?\s*$|^In article\b|^\s*Quoting\b|@\S+\s.*\bwrites\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*[-_=*~]{2,}\s*$")
_SIGNATURE_LINES = 12
NOTHING_LEFT = "nothing left but headers, quotations and footers"


MESSAGES = Numbered(_MESSAGE, LABELS, LABELS, PUBLISHED, EXPECTED, "messages")


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read the messages of both groups, without the ones that are empty after cleaning."""
    cutter = WordCutter()

    def text_of(file: File, match: re.Match[str], label: int) -> Text:
        body = strip(file.text("latin-1"), every_footer=recipe == "paper")
        cut = cutter.by(recipe, body, lambda text: split_signs(general(text)))
        return Text(
            f"20news/{match['split']}/{match['label']}/{match['id']}",
            match["split"],
            label,
            *cut,
            file.shown,
            1,
        )

    texts, found = MESSAGES.read(path, text_of)
    kept = tuple(text for text in texts if text.tokens)
    return Corpus(kept, LABELS, found, PUBLISHED, {NOTHING_LEFT: len(texts) - len(kept)})


def strip(message: str, *, every_footer: bool = False) -> str:
    """Remove headers, quotations and the footer from a message.

    Headers end at the first empty line. Quoted lines begin with > or |, perhaps after initials; the
    line that introduces a quotation is removed too. A footer is the part after a ruled line near
    the end (``--``). With ``every_footer``, as in the papers, it is the last block after an empty
    or ruled line, whatever its content.
    """
    message = message.replace("\r\n", "\n")
    head, gap, body = message.partition("\n\n")
    if not gap:
        body = "" if re.match(r"[\w-]+:", head) else head
    lines = [line for line in body.split("\n") if not (_QUOTED.match(line) or _SAYS.search(line))]
    return "\n".join(_without_footer(lines, every_footer)).strip()


def _without_footer(lines: list[str], every_footer: bool) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    for place in range(len(lines) - 1, 0, -1):
        ruled = _RULE.match(lines[place]) is not None
        if every_footer and (ruled or not lines[place].strip()):
            return lines[:place]
        if not every_footer and ruled and len(lines) - place <= _SIGNATURE_LINES:
            return lines[:place]
    return lines


FORMAT = Format(
    wanted=MESSAGES.wanted,
    read=read,
    paper=PaperRecipe(
        min_count=2,
        divide=drawn_by_class({"test": (0.2, SEED), "validation": (0.2, SEED)}),
        lengths=(6, 500),
        quirks=(
            (
                "the split by date is given up: messages are pooled and divided again, so a "
                "thread may be in two splits"
            ),
            "the last block of a message counts as a footer, whatever it says",
            OUR_WORDS,
            (
                "which messages are drawn differs from the published draw, whose order of files "
                "is not recorded"
            ),
        ),
    ),
)
