"""No file of an audit holds a hash of a patient's id or of a word: trying all of them reverses it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sightline
from sightline.audits import one_look, run
from sightline.audits.audit_storage import ARRAYS
from sightline.audits.look_hashes import HashTable
from sightline.audits.look_storage import FILE
from sightline.audits.sequential import _Looking
from sightline.core.protocols import Auditable
from sightline.core.results import Measurement, Ragged
from sightline.data.dataset import Dataset
from sightline.measures.batch_words import type_number
from sightline.measures.default_measures import default_measures
from sightline.measures.trace_arrays import cluster_of
from sightline.numerics.text_clusters import numbered_in_order
from sightline.verdict.evidence import Evidence
from sightline.verdict.thresholds import default_thresholds

HASH = 2**40
"""Hashes are larger; indices, counts and scores are not."""
ASKED = ("types", "own_word", "information", "input_information")
"""Measures that store words or groups, and are not taken by default."""


class StopError(Exception):
    """Ctrl-C, in a test."""


@pytest.fixture(scope="module")
def trained() -> tuple[Auditable, Dataset]:
    data = sightline.load("planted:reviews(n=400,sentences=2)")
    groups = [f"patient {max(place // 2, place - 10)}" for place in range(len(data.test))]
    test = tuple(replace(text, group=group) for text, group in zip(data.test, groups, strict=True))
    data = replace(data, test=test)
    return sightline.train(data, "mlp(hidden=8)+additive", companions="none", epochs=6).model, data


@pytest.fixture(autouse=True)
def several_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_look, "FEW_WORDS", 0)


def hashes_in(file: Path) -> list[str]:
    with np.load(file) as stored:
        return [name for name in stored.files if (stored[name].astype(float) > HASH).any()]


def test_looks_hold_no_hash_and_resume_with_the_same_numbers(
    trained: tuple[Auditable, Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = trained
    measures = [*default_measures(), *default_measures(chosen=ASKED)[1:]]
    given: dict[str, Any] = {"max_texts": 70, "seed": 0, "measures": measures}
    whole = sightline.audit(model, data, **given)

    def stop(looking: _Looking, why: str) -> None:
        raise StopError

    with monkeypatch.context() as patch:
        patch.setattr(_Looking, "_ended", stop)
        with pytest.raises(StopError):
            sightline.audit(model, data, **given, kept_in=tmp_path)
    files = sorted(tmp_path.iterdir())
    assert FILE in {file.name for file in files}
    kept = set[str]()
    for file in files:
        assert hashes_in(file) == []
        with np.load(file) as stored:
            kept |= {*stored.files}
    wanted = {"outputs/rows/cluster", "transplant/looked/types/flat", "own_word/looked/cluster"}
    assert wanted <= kept
    again = sightline.audit(model, data, **given, kept_in=tmp_path)
    for name, found in whole.measurements.items():
        if isinstance(found, Measurement):
            resumed: Any = again.measurements[name]
            for quantity, value in found.values.items():
                if isinstance(value, np.ndarray):
                    np.testing.assert_allclose(resumed.values[quantity], value, 1e-9, 1e-12)


def test_looks_with_hashes_of_an_older_version_are_not_used(
    trained: tuple[Auditable, Dataset],
) -> None:
    table = HashTable.of(trained[1].test)
    with pytest.raises(ValueError, match="cluster"):
        table.restored("cluster", np.array([cluster_of(trained[1].test[0])]))


def test_hashes_are_found_again_and_other_values_are_left_alone(
    trained: tuple[Auditable, Dataset],
) -> None:
    texts = trained[1].test[:6]
    table = HashTable.of(texts)
    clusters = np.array([cluster_of(text) for text in texts])
    numbers = table.numbered("cluster", clusters)
    assert isinstance(numbers, np.ndarray)
    assert numbers.tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(table.restored("cluster", numbers), clusters)
    words = np.array([type_number(word) for text in texts for word in text.tokens])
    ragged = Ragged(words, np.array([len(text.tokens) for text in texts]))
    kinds = table.numbered("types", ragged)
    assert isinstance(kinds, Ragged)
    assert kinds.flat.max() < len({*words})
    found = table.restored("types", kinds)
    assert isinstance(found, Ragged)
    np.testing.assert_array_equal(found.flat, words)
    assert table.numbered("types", np.array([0.5])) is None
    assert table.numbered("probability", clusters) is None


def test_a_saved_audit_has_no_hash_and_its_intervals_are_the_same(
    trained: tuple[Auditable, Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = trained
    audit = sightline.audit(model, data, max_texts=70, seed=0)
    audit.save(tmp_path / "a")
    assert hashes_in(tmp_path / "a" / ARRAYS) == []
    monkeypatch.setattr(run, "_without_hashes", dict)
    with_hashes = sightline.audit(model, data, max_texts=70, seed=0)
    outputs: list[Any] = [one.measurements["outputs"] for one in (with_hashes, audit)]
    before, after = (np.asarray(one.values["cluster"]) for one in outputs)
    np.testing.assert_array_equal(numbered_in_order(before), after)
    assert len(np.unique(after)) < len(after) < HASH < before.max()
    first, second = (
        Evidence(one.measurements, data.label_names, default_thresholds(), 0).clusters
        for one in (with_hashes, audit)
    )
    np.testing.assert_array_equal(first, second)
