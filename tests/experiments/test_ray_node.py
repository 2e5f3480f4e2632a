"""What a node of a cluster does with a run, and what comes of its answer; without Ray, which only
carries both.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from sightline._io.atomic_write import write_bytes
from sightline._io.checksums import is_whole
from sightline.config.part_syntax import Part
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core.errors import StoreError
from sightline.core.installation import bit_versions
from sightline.experiments.executors import ray_cluster
from sightline.experiments.executors.ray_node import (
    Order,
    mark_file,
    needed,
    sees,
    store_folders,
    work,
)
from sightline.experiments.grid import pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.training.control_models import trainings_of
from tests.experiments.one_run import SPEC, same

SMALL = replace(SPEC, measures=("need",), companions=("uniform",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("whole") / "store")
    assert run_stored(SMALL, store) == "done"
    return store


def order(spec: RunSpec, store: Store, **other: object) -> Order:
    usual = Order(spec, run_key(spec), str(Path.cwd()), str(store.root), "m", bit_versions())
    return replace(usual, **other)


def marked(store: Store, mark: str = "m") -> Store:
    write_bytes(mark_file(store.root, mark), mark.encode())
    return store


def test_a_node_that_sees_the_store_writes_there(tmp_path: Path, whole: Store) -> None:
    store = marked(Store(tmp_path / "store"))
    answer = work(order(SMALL, store))
    assert (answer.ending, answer.made, answer.description) == ("done", None, "")
    assert same(whole.audit(run_key(SMALL)), store.audit(run_key(SMALL)))


@pytest.mark.parametrize("mark", [None, "n"])
def test_another_folder_of_the_same_name_is_not_the_store(tmp_path: Path, mark: str | None) -> None:
    store = Store(tmp_path / "store")
    if mark:
        write_bytes(mark_file(store.root, "m"), mark.encode())
    assert not sees(order(SMALL, store))
    assert sees(order(SMALL, marked(store)))


def test_what_is_made_elsewhere_is_put_in_the_store_as_if_made_there(
    tmp_path: Path, whole: Store
) -> None:
    store = Store(tmp_path / "store")
    assert work(order(SMALL, store)).ending == "blind"
    answer = work(order(SMALL, store, sent=needed(SMALL, store)))
    assert (answer.ending, store.keys()) == ("done", ())
    store_folders(answer.made, SMALL, store)
    assert same(whole.audit(run_key(SMALL)), store.audit(run_key(SMALL)))
    trainings = [store.training_folder(training_key(one)) for one in trainings_of(SMALL)]
    assert [is_whole(folder) for folder in trainings] == [True, True]
    for folder in trainings:
        other = whole.training_folder(folder.name)
        assert (folder / "model.safetensors").read_bytes() == (
            other / "model.safetensors"
        ).read_bytes()


def test_a_failure_elsewhere_is_kept_here(tmp_path: Path) -> None:
    bad, store = (
        replace(SMALL, data=parse_data("planted:needle(n=160,length=600)")),
        Store(tmp_path / "store"),
    )
    answer = work(order(bad, store, sent={}))
    store_folders(answer.made, bad, store)
    assert (answer.ending, store.state(run_key(bad))) == ("failed", "failed")
    assert "max_tokens" in store.summary(run_key(bad)).error


def test_a_training_that_is_there_is_sent_and_not_made_again(
    tmp_path: Path, whole: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    shutil.copytree(whole.root / "trainings", store.root / "trainings")
    sent = needed(SMALL, store)
    assert len(sent) == 2
    monkeypatch.setattr(
        "sightline.experiments.training_jobs.fit", None
    )  # a training would break here
    answer = work(order(SMALL, store, sent=sent))
    assert answer.ending == "done"
    assert [place.partition("/")[0] for place in answer.made] == ["runs"]


def test_a_run_that_lends_its_attention_is_sent_along(tmp_path: Path, whole: Store) -> None:
    key = run_key(SMALL)
    borrower = replace(
        SMALL, model=replace(SMALL.model, source=Part("given", (("run", key),))), companions=()
    )
    sent = needed(borrower, whole)
    assert sorted(Path(place).name for place in sent) == sorted([key, training_key(SMALL)])
    store = Store(tmp_path / "store")
    assert work(order(borrower, store, sent=sent)).ending == "done"
    assert work(order(borrower, store, sent={})).ending == "failed"


def test_a_training_that_somebody_is_at_is_left_to_them(tmp_path: Path, whole: Store) -> None:
    store, mine, other = Store(tmp_path / "store"), *map(training_key, trainings_of(SMALL))
    made = {**needed(SMALL, whole), f"runs/{run_key(SMALL)[:2]}/{run_key(SMALL)}": run_files(whole)}
    with store.claim_training(mine):
        store_folders(made, SMALL, store)
    assert (is_whole(store.training_folder(mine)), is_whole(store.training_folder(other))) == (
        False,
        True,
    )
    assert store.state(run_key(SMALL)) == "done"


def run_files(store: Store) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.run_folder(run_key(SMALL)).iterdir()}


def test_nothing_but_the_run_and_its_trainings_is_taken(tmp_path: Path, whole: Store) -> None:
    store = Store(tmp_path / "store")
    with pytest.raises(
        StoreError, match=r"expected the run among what was sent, got runs/00/other"
    ):
        store_folders({"runs/00/other": run_files(whole)}, SMALL, store)
    assert list((store.root / "runs").glob("*")) == []


def test_another_version_or_build_is_unfit(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    older = work(order(SMALL, store, versions=bit_versions() | {"torch": "1.0"}))
    assert older.ending == "unfit"
    assert (
        f"has torch {bit_versions()['torch']}; install the versions of this machine there: sightline "
        in older.description
    )
    build = work(order(SMALL, store, key="0" * 16))
    assert (build.ending, "another build of sightline" in build.description) == ("unfit", True)


def test_texts_that_are_not_there_or_not_the_same_are_unfit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, elsewhere, store = tmp_path / "t.csv", tmp_path / "elsewhere", Store(tmp_path / "store")
    elsewhere.mkdir()
    table.write_text("text,label\n" + "good,1\nbad,0\n" * 40)
    monkeypatch.chdir(tmp_path)
    spec = pin(replace(SMALL, data=parse_data("csv:t.csv"), companions=()))
    sent = order(spec, store)
    monkeypatch.chdir(elsewhere)
    assert work(sent).ending == "blind"  # seen from where the command runs
    absent = work(replace(sent, folder=str(elsewhere)))
    assert (absent.ending, "csv:t.csv cannot be read on node" in absent.description) == (
        "unfit",
        True,
    )
    table.write_text(table.read_text() + "good,1\n")
    other = work(sent)
    assert (other.ending, "csv:t.csv has other bytes on node" in other.description) == (
        "unfit",
        True,
    )
    assert Path.cwd() == elsewhere


def test_vectors_that_are_not_there_are_unfit(tmp_path: Path) -> None:
    model = replace(SMALL.model, vectors=str(tmp_path / "vectors.txt"), vectors_digest="0" * 64)
    answer = work(order(replace(SMALL, model=model), Store(tmp_path / "store")))
    assert (answer.ending, "vectors.txt cannot be read on node" in answer.description) == (
        "unfit",
        True,
    )


def test_what_the_disk_of_a_node_refuses_ends_the_study(tmp_path: Path) -> None:
    store = marked(Store(tmp_path / "store"))
    (store.root / "trainings").write_text("a file where a folder should be")
    answer = work(order(SMALL, store))
    assert (answer.ending, "free some space" in answer.description) == ("unfit", True)


def test_a_killed_command_leaves_nothing_hidden_of_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")

    def aside(**given: object) -> str:
        raise AssertionError("a folder that a kill would leave")

    monkeypatch.setattr(tempfile, "mkdtemp", aside)
    with ray_cluster._marked(store) as mark:
        file = mark_file(store.root, mark)
        assert file.read_text() == mark
    assert not file.exists()
