"""Checks before a run of a store, whichever executor starts it, and errors of its disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sightline.core.errors import StoreError
from sightline.experiments.store import State, Store


def should_run(state: State, *, again: bool) -> bool:
    """Tell whether to make a run: it was never made, or it failed and ``again`` asks to
    repeat it.
    """
    return state == "missing" or (state == "failed" and again)


@contextmanager
def refused_by_the_disk(store: Store) -> Iterator[None]:
    """Turn errors of the disk into a `StoreError`, because every other run would meet them too."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{store.root}: {error.strerror or error}; free some space and run again"
        ) from error
