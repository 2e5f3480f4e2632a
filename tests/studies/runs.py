"""Make the runs of a study in tests."""

from collections.abc import Iterable

from sightline.config.specs import RunSpec
from sightline.experiments.executors.local import Serial
from sightline.experiments.store import Store


def run_all(specs: Iterable[RunSpec], store: Store) -> None:
    """Make runs in a store, one after the other; none may fail."""
    for done in Serial().run([*specs], store, again=True):
        assert done.ending == "done", store.root
