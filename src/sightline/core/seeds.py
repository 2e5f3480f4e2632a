"""Randomness as an argument: a seed for each (run, stage, item), so order and workers cannot
matter.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def seed_for(seed: int, stage: str, index: int | str = 0) -> int:
    """Derive the seed of one item at one stage of a run.

    The seed depends on its three arguments alone, so texts may be visited in any order, in any
    batch and by any number of workers. Guarantees a value in ``[0, 2**63)``.

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
