"""What goes before a run of a store, whoever begins it: whether it is wanted; and what the disk
refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sightline.core.errors import StoreError
from sightline.experiments.store import State, Store


def wanted(state: State, *, again: bool) -> bool:
    """Tell whether a run is to be done: it never was, or failed and is to be done ``again``."""
    return state == "missing" or (state == "failed" and again)


@contextmanager
def refused_by_the_disk(store: Store) -> Iterator[None]:
    """Turn what the disk refuses into a `StoreError`: it would refuse every other run."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{store.root}: {error.strerror or error}; free some space and run again"
        ) from error
