"""A process that trains is killed at steps drawn by chance, and the one after it goes on:
`validation/resumed.py`, small.
"""

import random
from pathlib import Path

import pytest
import resumed

from sightline.experiments.store import PARTWAY, Store


@pytest.mark.slow
def test_a_training_that_is_killed_three_times_ends_with_the_bits_of_one_that_is_not(
    tmp_path: Path,
) -> None:
    """Some seconds: five processes, which share the start of torch."""
    spec = resumed.spec_of("an MLP with Gumbel noise", epochs=3)
    whole, store = Store(tmp_path / "whole"), Store(tmp_path / "killed")
    assert len(resumed.until(spec, whole, None)) == 90
    found = resumed.killed(spec, store, [7, 30, 55], random.Random(0))
    assert [kill.description < kill.next <= kill.description + 2 for kill in found] == [True] * 3
    assert resumed.content(whole, spec) == resumed.content(store, spec)
    assert not any((store.root / PARTWAY).iterdir())


def test_kills_are_drawn_within_epochs_and_at_their_ends() -> None:
    steps = [(epoch, done, 30) for epoch in range(1, 9) for done in range(1, 31)]
    drawn = resumed.drawn(steps, 20, random.Random(0))
    assert len(set(drawn)) == 20
    assert drawn == sorted(drawn)
    assert sum(step % 30 == 0 for step in drawn) >= 5
    assert max(drawn) < len(steps) - 10
