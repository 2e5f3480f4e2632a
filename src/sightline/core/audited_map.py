"""The map under audit: attention, or the map that a model shows instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

ATTENTION = "attention"
_NAMED = re.compile(r"\b(?:the )?attention(?: map| weights)?\b(?!-)", re.IGNORECASE)
_ATTENDED = re.compile(r"\bmost attended\b")


@dataclass(frozen=True)
class AuditedMap:
    """The map shown instead of attention, for a model that gives predictions only.

    ``noun`` is its name in sentences, ``description`` what its numbers mean. ``same_as`` names the
    identical map of `sightline.config.word_maps.MAPS`: agreement with that map is no evidence.
    """

    noun: str
    description: str
    same_as: str = ""


def reword_for_map(text: str, noun: str) -> str:
    """Rewrite one of our sentences about attention for the audited map; never use it on a user's
    text.

    >>> reword_for_map("Attention must not be shown", "the score map"), reword_for_map("attention", "attention")
    ('The score map must not be shown', 'attention')
    >>> reword_for_map("Show the attention map", "the score map")
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
