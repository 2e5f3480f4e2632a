"""The map that an audit is about: attention, or the one that stands in its place where a model shows
none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ATTENTION = "attention"
_NAMED = re.compile(r"\b(?:the )?attention(?: map| weights)?\b(?!-)", re.IGNORECASE)
_ATTENDED = re.compile(r"\bmost attended\b")


@dataclass(frozen=True)
class AuditedMap:
    """The map in the place of attention, for a model of which only answers are known.

    ``noun`` is what sentences call it, ``description`` what its numbers are. ``same_as`` names the
    map of `sightline.config.word_maps.MAPS` that it is itself: agreement with that one is
    agreement with itself, and no evidence.
    """

    noun: str
    description: str
    same_as: str = ""


def worded(text: str, noun: str) -> str:
    """Let a sentence of ours about attention speak of the audited map; never for words of a user.

    >>> worded("Attention must not be shown", "the score map"), worded("attention", "attention")
    ('The score map must not be shown', 'attention')
    >>> worded("Show the attention map", "the score map")
    'Show the score map'
    """
    if noun == ATTENTION:
        return text
    return _ATTENDED.sub(
        "most highlighted",
        _NAMED.sub(lambda found: _as_opened(noun, found[0]), text),
    )


def _as_opened(noun: str, before: str) -> str:
    return noun[:1].upper() + noun[1:] if before[:1].isupper() else noun
