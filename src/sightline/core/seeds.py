"""Seeds derived from (run, stage, item), so that order and workers cannot change a random draw."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def seed_for(seed: int, stage: str, index: int | str = 0) -> int:
    """Derive the seed of one item at one stage of a run.

    The seed depends on the three arguments only, so texts may be processed in any order, batch or
    worker. The result is in ``[0, 2**63)``.

    >>> seed_for(0, "permutation", 7) == seed_for(0, "permutation", 7)
    True
    >>> seed_for(0, "permutation", 7) == seed_for(0, "permutation", 8)
    False
    """
    digest = hashlib.blake2b(f"{seed}\x1f{stage}\x1f{index}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


@dataclass(frozen=True)
class Seeds:
    """The seed of a run, from which every random draw of an audit is derived."""

    seed: int

    def generator(self, stage: str, index: int | str = 0) -> np.random.Generator:
        """Make the random generator of one item at one stage."""
        return np.random.default_rng(seed_for(self.seed, stage, index))
