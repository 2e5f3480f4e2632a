"""Free memory goes back to the system, at most so often as was asked."""

import ctypes

import pytest

from sightline._io import unused_memory
from sightline._io.unused_memory import Returning, give_back


def test_memory_goes_back_after_so_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    counts = Returning(100)
    monkeypatch.setattr(unused_memory, "give_back", lambda: given.append(1))
    for tokens in (60, 39, 1, 250, 99, 1):
        counts.ran(tokens)
    assert len(given) == 3


def test_where_the_allocator_cannot_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def library(name: str | None) -> object:
        asked.append(name)
        raise OSError

    monkeypatch.setattr(ctypes, "CDLL", library)
    give_back()
    assert asked == [None]
