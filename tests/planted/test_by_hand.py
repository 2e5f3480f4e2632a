"""Attention that decides everything and attention that decides nothing, by construction, get
opposite answers.

A small version of what ``validation/verify.py --only exact`` counts over 200 seeds.
"""

import pytest

from tests.planted.by_hand import WORLDS, effects


@pytest.mark.parametrize("name", WORLDS)
def test_permutation_and_least_mass_tell_them_apart(name: str) -> None:
    found, world = effects(name, 0), WORLDS[name]
    for code in ("SL-202", "SL-203"):
        assert world.right(code, found[code]), (code, found[code], world.wanted)
