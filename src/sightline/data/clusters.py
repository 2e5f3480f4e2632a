"""Which texts are no independent witnesses, because one source has given them all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from jaxtyping import Int

from sightline.types import Example


def clusters_of(examples: Sequence[Example]) -> Int[np.ndarray, " N"]:
    """Number the sources of texts, in order of appearance: the group that a corpus gives, else the words of the text.

    A premise under several hypotheses, or a document with several questions, is known by its words. The query is no
    source: where there are few, they are the conditions under which texts are looked at (docs/decisions/0034).

    Examples
    --------
    >>> from sightline.types import Example
    >>> texts = [Example(str(i), i, word, (word,), ((0, 1),), 0, group=group)
    ...          for i, (word, group) in enumerate([("a", ""), ("b", "story"), ("c", "story"), ("a", "")])]
    >>> clusters_of(texts).tolist()
    [0, 1, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    sources = (example.group or example.tokens for example in examples)
    return np.array([numbers.setdefault(source, len(numbers)) for source in sources], dtype=np.int64)
