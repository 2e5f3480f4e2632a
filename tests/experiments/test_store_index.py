"""The index: unchanged runs are not read again, changed ones are, and without it nothing is lost
but time.
"""

import json
import multiprocessing
import os
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline._io.checksums import MANIFEST, _digest
from sightline.config.run_keys import run_key
from sightline.core.errors import StoreError
from sightline.core.results import Measurement
from sightline.experiments import store as storing
from sightline.experiments import store_index as indexing
from sightline.experiments.long_table import all_numbers, main_numbers, text_numbers
from sightline.experiments.pipeline import run
from sightline.experiments.store import INDEX, Store
from tests.experiments.one_run import SPEC
from tests.report.audits import LEARNED, map_row

KEYS = tuple(run_key(replace(SPEC, seed=seed)) for seed in (1, 2, 3))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three runs that were written a while ago; to be copied, not changed."""
    store, audit = Store(tmp_path_factory.mktemp("kept") / "store"), run(SPEC)[1]
    for seed in (1, 2, 3):
        store.write_run(replace(SPEC, seed=seed), audit, 1.0)
    (store.root / INDEX).unlink()
    for file in store.root.rglob("*"):
        os.utime(file, (1e9, 1e9))
    return store.root


@pytest.fixture
def store(kept: Path, tmp_path: Path) -> Store:
    return Store(shutil.copytree(kept, tmp_path / "store"))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which runs are read."""
    read: list[str] = []
    real = storing.read_whole
    monkeypatch.setattr(
        storing,
        "read_whole",
        lambda folder, name, **how: read.append(Path(folder).name) or real(folder, name, **how),
    )
    return read


def test_what_is_unchanged_is_not_read_again(store: Store, reads: list[str]) -> None:
    first = store.find(KEYS)
    assert (sorted(reads), list(first)) == (sorted(KEYS), list(KEYS))
    assert store.find(KEYS) == first
    assert store.summaries() == tuple(first[key] for key in sorted(KEYS))
    assert len(reads) == 3


def test_what_was_written_here_need_not_be_read(
    store: Store, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(SPEC, seed=4)
    store.write_failure(other, "no such text", 1.0)
    store.write_run(replace(SPEC, seed=5), store.audit(KEYS[0]), 1.0)
    monkeypatch.setattr(indexing, "_SETTLED", 0)  # as if it were a while ago
    found = store.find([run_key(other), run_key(replace(SPEC, seed=5))])
    assert [one.state for one in found.values()] == ["failed", "done"]
    assert reads == []


def test_a_list_does_not_vouch_for_the_rest_of_a_run(store: Store, reads: list[str]) -> None:
    (store.run_folder(KEYS[0]) / "arrays.npz").write_bytes(b"torn")
    os.utime(store.run_folder(KEYS[0]) / "arrays.npz", (1e9, 1e9))
    assert len(store.summaries()) == len(store.summaries()) == 3
    assert len(reads) == 3
    assert list(store.find(KEYS)) == list(KEYS[1:])
    assert len(reads) == 6


@pytest.mark.parametrize(
    "name", ["audit.json", "arrays.npz", "texts.jsonl", "summary.json", MANIFEST]
)
def test_a_change_of_size_or_time_is_looked_into(store: Store, reads: list[str], name: str) -> None:
    store.find(KEYS)
    file = store.run_folder(KEYS[0]) / name
    content = file.read_bytes()
    file.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert list(store.find(KEYS)) == list(KEYS[1:])
    file.write_bytes(content)
    assert list(store.find(KEYS)) == list(KEYS)
    file.write_bytes(content[:-1])
    os.utime(file, (1e9, 1e9))
    assert list(store.find(KEYS)) == list(KEYS[1:])
    assert len(reads) == 6


@pytest.mark.parametrize(("shorter", "time"), [(0, 1.1e9), (1, 1e9)])
def test_a_change_of_size_alone_or_of_time_alone_is_seen(
    store: Store, shorter: int, time: float
) -> None:
    """Long after the change, so that the file is not read for its youth."""
    store.find(KEYS)
    file = store.run_folder(KEYS[0]) / "arrays.npz"
    content = file.read_bytes()
    file.write_bytes(bytes([content[0] ^ 1]) + content[1 : len(content) - shorter])
    os.utime(file, (time, time))
    assert list(store.find(KEYS)) == list(KEYS[1:])


def test_what_rots_unseen_is_found_where_it_is_opened_or_checked(store: Store) -> None:
    store.find(KEYS)
    file = store.run_folder(KEYS[0]) / "arrays.npz"
    content = file.read_bytes()
    file.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    os.utime(file, (1e9, 1e9))
    assert list(store.find(KEYS)) == list(KEYS)  # this is what an index costs
    assert store.state(KEYS[0]) == "missing"
    with pytest.raises(StoreError, match="torn or changed"):
        store.audit(KEYS[0])
    assert store.check() == (KEYS[0],)
    assert list(store.find(KEYS)) == list(KEYS[1:])


def test_what_was_written_just_now_is_not_trusted_by_its_time(
    store: Store, reads: list[str]
) -> None:
    os.utime(store.run_folder(KEYS[0]) / "audit.json")
    for _ in range(2):
        assert list(store.find(KEYS)) == list(KEYS)
    assert reads.count(KEYS[0]) == 2


@pytest.mark.parametrize("content", [b"", b"no index", b"SQLite format 3\0 but torn", None])
def test_an_index_that_cannot_be_used_is_written_again(
    store: Store, reads: list[str], content: bytes | None
) -> None:
    first = store.find(KEYS)
    file = store.root / INDEX
    if content is None:
        with sqlite3.connect(file) as rows:
            rows.execute("DROP TABLE runs3")
            rows.execute("CREATE TABLE runs3 (other)")
    else:
        file.write_bytes(content)
    for _ in range(3):
        assert store.find(KEYS) == first
    assert len(reads) <= 9


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs3 SET summary = substr(summary, 1, 40)",
        "UPDATE runs3 SET summary = '{\"more\": 1, ' || substr(summary, 2)",
        "UPDATE runs3 SET summary = '[]'",
        "UPDATE runs3 SET summary = NULL",
        "ALTER TABLE runs3 ADD COLUMN more TEXT",
    ],
)
def test_a_row_that_does_not_fit_is_read_from_its_run(store: Store, change: str) -> None:
    first = store.find(KEYS)
    with sqlite3.connect(store.root / INDEX) as rows:
        rows.execute(change)
    assert store.find(KEYS) == store.find(KEYS) == first


def test_an_index_of_an_older_version_is_left_and_a_new_one_written(
    store: Store, reads: list[str]
) -> None:
    with sqlite3.connect(store.root / INDEX) as rows:
        rows.execute(
            "CREATE TABLE runs3 (key TEXT PRIMARY KEY, stamp TEXT, whole INT, summary TEXT)"
        )
        now = indexing.stamp(store.run_folder(KEYS[0]))
        rows.execute("INSERT INTO runs3 VALUES (?, ?, 1, '{}')", (KEYS[0], now))
    assert store.find(KEYS) == store.find(KEYS)
    assert sorted(reads) == sorted(KEYS)


def test_a_store_that_cannot_be_written_works_without(
    store: Store, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(indexing.sqlite3, "connect", refuse)
    assert store.find(KEYS) == store.find(KEYS)
    assert len(reads) == 6
    assert not (store.root / INDEX).exists()


def look(root: Path, times: int) -> None:
    for _ in range(times):
        (root / INDEX).unlink(missing_ok=True)
        assert len(Store(root).find(KEYS)) == 3


@pytest.mark.slow
def test_several_processes_use_it_at_once(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    crew = [context.Process(target=look, args=(store.root, 20)) for _ in range(2)]
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    assert [one.exitcode for one in crew] == [0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda item: item["metrics"]["accuracy"].update(value=[1]),
            r"metrics\.accuracy\.value: expected a .*number",
        ),
        (lambda item: item.update(seed="x"), r"seed: expected a whole number"),
        (lambda item: item.update(findings=[]), r"findings"),
        (lambda item: item.pop("verdict"), r"missing field 'verdict'"),
    ],
)
def test_a_summary_that_holds_something_else_is_named_with_its_field(
    store: Store, change: object, message: str
) -> None:
    file = store.run_folder(KEYS[0]) / "summary.json"
    before = _digest(file.read_bytes())
    item = json.loads(file.read_text())
    change(item)
    file.write_text(json.dumps(item))
    manifest = file.with_name(MANIFEST)
    lines = manifest.read_text().partition("# seal ")[0].replace(before, _digest(file.read_bytes()))
    manifest.write_text(f"{lines}# seal {_digest(lines.encode())}\n")
    for read in (store.summaries, lambda: store.find(KEYS), lambda: store.state(KEYS[0])):
        with pytest.raises(StoreError, match=f"summary.json: .*{message}.*use a new folder"):
            read()


def test_bytes_of_a_run_are_those_of_runs_and_whole_trainings(store: Store) -> None:
    used = sum(file.stat().st_size for file in store.root.rglob("*") if file.is_file())
    assert store.bytes_a_run() == used / 3
    training = store.training_folder("ab12")
    training.mkdir(parents=True)
    (training / "weights").write_bytes(bytes(3000))
    partway = store.partway_folder("cd34")
    partway.mkdir(parents=True)
    (partway / "state").write_bytes(bytes(9000))
    assert store.bytes_a_run() == used / 3 + 1000


def test_every_number_of_a_run_is_a_row(store: Store) -> None:
    summary, audit = store.summary(KEYS[0]), store.audit(KEYS[0])
    main = {one.quantity: one for one in main_numbers(summary)}
    assert main["accuracy"].estimate() == audit.metrics["accuracy"]
    assert main["SL-101"].estimate() == next(f.score for f in audit.findings if f.code == "SL-101")
    every = {one.quantity: one for one in all_numbers(summary, audit, {"seed": "1"})}
    assert main.keys() | audit.estimates.keys() <= every.keys()
    assert every["SL-101.number"].value == next(
        f.number.value for f in audit.findings if f.code == "SL-101"
    )
    assert every["SL-101.number"].axes == {"seed": "1"}
    compared = replace(audit, maps=(map_row("gradient", "passed", 0.4),), learned=LEARNED)
    more = {one.quantity: one.value for one in all_numbers(summary, compared)}
    assert {
        name: value for name, value in more.items() if name.startswith(("learned.", "maps."))
    } == {
        "learned.guessing": 0.509,
        "learned.above": 0.306,
        "maps.gradient.carried": 0.4,
        "maps.gradient.deleted": 0.4 * 0.8,
        "maps.gradient.replaced": 0.4 * 0.7,
    }
    texts = [one for one in text_numbers(summary, audit) if one.quantity == "outputs.predicted"]
    assert [one.text for one in texts] == [text.id for text in audit.texts]
    assert [one.value for one in texts] == audit.measurements["outputs"].values[
        "predicted"
    ].tolist()


def test_groups_of_texts_are_rows_of_numbers_and_no_hashes(store: Store) -> None:
    """Ids of patients could be found behind hashes."""
    summary, audit = store.summary(KEYS[0]), store.audit(KEYS[0])
    assert summary is not None
    outputs = audit.measurements["outputs"]
    assert isinstance(outputs, Measurement)
    hashes = np.array([2**62 + number // 2 for number in range(len(audit.texts))])
    grouped = replace(outputs, values={**outputs.values, "cluster": hashes})
    found = text_numbers(summary, replace(audit, measurements={"outputs": grouped}))
    numbers = [one.value for one in found if one.quantity == "outputs.cluster"]
    assert numbers == [1 + number // 2 for number in range(len(audit.texts))]
