"""Make the runs of a study in tests, on data of their own."""

from collections.abc import Iterable
from types import ModuleType

import pytest

from sightline.config.specs import DataSpec, RunSpec
from sightline.experiments.executors.local import Serial
from sightline.experiments.store import Store


def run_all(specs: Iterable[RunSpec], store: Store) -> None:
    """Make runs in a store, one after the other; none may fail."""
    for done in Serial().run([*specs], store, again=True):
        assert done.ending == "done", store.root


def read_instead(patch: pytest.MonkeyPatch, data: DataSpec, *studies: ModuleType) -> None:
    """Let studies read these data for every corpus."""
    for study in studies:
        patch.setattr(study, "data_of", lambda *asked: data)
