"""Numbers in place of hashes in saved looks: a list of the ids of all patients, or of the words of a
language, is enough to find those behind their hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Num

from sightline.core.example import Example
from sightline.core.results import Bracket, Ragged, Values
from sightline.measures.batch_words import type_number
from sightline.measures.trace_arrays import cluster_of

Array = np.ndarray


@dataclass(frozen=True)
class HashTable:
    """The hashes in the arrays of measures, by quantity, in the order in which the texts have them.

    A measure needs the hashes themselves, because its random draws and the order of its sums depend
    on them. The same texts give the same table, so a resumed audit finds them again.
    """

    hashes: Mapping[str, Num[Array, " H"]]

    @staticmethod
    def of(texts: Iterable[Example]) -> HashTable:
        """Collect the hashes of groups and words of texts."""
        known = tuple(texts)
        words = [
            type_number(one) for one in dict.fromkeys(w for text in known for w in text.tokens)
        ]
        clusters = [*dict.fromkeys(map(cluster_of, known))]
        types = np.array(words, dtype=float)
        return HashTable(
            {"cluster": np.array(clusters, dtype=np.int64), "type": types, "types": types}
        )

    def numbered(self, quantity: str, value: Values) -> Values | None:
        """Replace hashes by their places in the table; None for other values."""
        if quantity not in self.hashes or isinstance(value, Bracket):
            return None
        hashes, found = self.hashes[quantity], _numbers(value)
        order = np.argsort(hashes)
        places = order[np.searchsorted(hashes, found, sorter=order).clip(max=len(hashes) - 1)]
        known = (hashes[places] == found).all()
        return _with_numbers(value, places.astype(hashes.dtype)) if known else None

    def restored(self, quantity: str, value: Values) -> Values:
        """Find the hashes at their places again."""
        places, hashes = _numbers(value), self.hashes[quantity]
        if not ((places >= 0) & (places < len(hashes))).all():
            raise ValueError(f"{quantity}: expected numbers below {len(hashes)}")
        return _with_numbers(value, hashes[places.astype(np.int64)])


def _numbers(value: Values) -> Array:
    return value.flat if isinstance(value, Ragged) else np.asarray(value)


def _with_numbers(value: Values, numbers: Array) -> Values:
    return Ragged(numbers, value.lengths) if isinstance(value, Ragged) else numbers
