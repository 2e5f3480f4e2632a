"""The store: whole runs or none, damage noticed, failures kept by name, trainings shared, two
processes apart.
"""

import json
import multiprocessing
import re
import resource
import shutil
import subprocess
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sightline._io.checksums import MANIFEST, is_whole, read_whole, sweep_aside, write_sealed
from sightline.audits.audit_result import Audit
from sightline.config.json_reader import read_as
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_model
from sightline.config.specs import RunSpec
from sightline.core.errors import DataError, StoreError
from sightline.core.results import Ragged
from sightline.experiments import run_in_store as keeping
from sightline.experiments import store as storing
from sightline.experiments.callbacks import Display
from sightline.experiments.locks import claim
from sightline.experiments.missing_values import why_absent
from sightline.experiments.pipeline import run
from sightline.experiments.run_in_store import keep_training, run_stored
from sightline.experiments.store import Store
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.experiments.children import hold
from tests.experiments.one_run import SPEC, same

KEY = run_key(SPEC)


def kept_in(audit: Audit, code: str) -> bool:
    return any(finding.code == code for finding in audit.findings)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store in which one run is done; to be copied, not changed."""
    store = Store(tmp_path_factory.mktemp("once") / "store")
    assert run_stored(SPEC, store) == "done"
    return store


@pytest.fixture
def done(once: Store, tmp_path: Path) -> Store:
    shutil.copytree(once.root, tmp_path / "done")
    return Store(tmp_path / "done")


def test_a_run_of_a_store_has_one_thread_whoever_makes_it(store: Store) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert run_stored(SPEC, store) == "done"
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert store.audit(KEY).environment["threads"] == 1


def test_audits_with_equal_bytes_differ_if_lengths_types_or_names_do(done: Store) -> None:
    audit = done.audit(KEY)
    outputs = audit.measurements["outputs"]
    weights, probability = outputs.values["attention"], outputs.values["probability"]
    assert same(audit, audit)
    for changed in (
        {"attention": Ragged(weights.flat, np.concatenate([weights.lengths, [0]]))},
        {"probability": probability.view(np.int64)},
        {"probability": probability[:, None]},
        {"another": probability},
    ):
        other = replace(outputs, values={**outputs.values, **changed})
        assert not same(
            audit, replace(audit, measurements={**audit.measurements, "outputs": other})
        )


def test_a_run_is_kept_as_it_was(done: Store) -> None:
    kept = done.audit(KEY)
    assert same(kept, run(SPEC)[1])
    assert done.state(KEY) == "done"
    summary = done.summary(KEY)
    assert (summary.key, summary.verdict) == (KEY, kept.verdict.level)
    assert summary.estimate("accuracy") == kept.metrics["accuracy"]
    assert summary.estimate("SL-101") == next(f.score for f in kept.findings if f.code == "SL-101")
    lacking = [finding.code for finding in kept.findings if finding.score is None]
    assert summary.absent == {
        code: why_absent(code, kept)
        for code in AUDIT_TESTS
        if code in lacking or not kept_in(kept, code)
    }
    assert "SL-106" in summary.absent
    assert summary.seconds > 0
    assert kept.spec["run"] == json.loads(json.dumps(SPEC.to_json()))


def test_a_done_run_is_not_done_again(done: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "run", lambda *_, **__: pytest.fail("ran again"))
    assert run_stored(SPEC, done) == "done"


@pytest.mark.parametrize(
    "name", ["audit.json", "arrays.npz", "texts.jsonl", "summary.json", MANIFEST]
)
@pytest.mark.parametrize("damage", ["cut", "flip", "gone"])
def test_any_damage_is_noticed(done: Store, name: str, damage: str) -> None:
    file = done.run_folder(KEY) / name
    content = file.read_bytes()
    middle = len(content) // 2
    if damage == "gone":
        file.unlink()
    else:
        flipped = content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]
        file.write_bytes(content[:-1] if damage == "cut" else flipped)
    assert done.state(KEY) == "missing"
    assert done.find([KEY]) == {}


def test_what_is_damaged_is_done_again(done: Store) -> None:
    before = done.audit(KEY)
    (done.run_folder(KEY) / "arrays.npz").write_bytes(b"")
    assert run_stored(SPEC, done) == "done"
    assert same(done.audit(KEY), before)


def test_a_failure_is_kept_by_name_and_redone_on_request(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise DataError("no such text", "reviews.csv", 7)

    monkeypatch.setattr(keeping, "run", broken)
    assert run_stored(SPEC, store) == "failed"
    assert store.summary(KEY).error == "DataError: reviews.csv:7: no such text"
    written = json.loads((store.run_folder(KEY) / "spec.json").read_text())
    assert (
        read_as(
            RunSpec, {name: value for name, value in written.items() if name != "meaning"}, "spec"
        )
        == SPEC
    )
    monkeypatch.undo()
    assert run_stored(SPEC, store) == "failed"
    assert run_stored(SPEC, store, again=True) == "done"
    assert store.summary(KEY).error == ""


def test_what_the_disk_refuses_is_raised_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, value: object) -> None:
        if path.name == "summary.json":
            raise OSError(28, "No space left on device")
        path.write_text(json.dumps(value, default=str))

    monkeypatch.setattr(storing, "_write_json", full)
    with pytest.raises(StoreError, match="No space left on device; free some space and run again"):
        run_stored(SPEC, store)
    monkeypatch.undo()
    assert store.state(KEY) == "missing"
    assert list(store.run_folder(KEY).parent.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "room"), [("model.safetensors", "trainings"), ("arrays.npz", "runs")]
)
def test_a_file_that_finds_no_room_is_no_failure_of_its_run(
    done: Store, name: str, room: str
) -> None:
    size = max(path.stat().st_size for path in done.root.rglob(name))
    shutil.rmtree(done.root / "runs")
    shutil.rmtree(done.root / room, ignore_errors=True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, before[1]))
    try:
        with pytest.raises(StoreError, match="File too large; free some space and run again"):
            run_stored(SPEC, done)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.state(KEY) == "missing"
    assert [path for path in done.root.rglob(name) if room in path.parts] == []
    assert run_stored(SPEC, done) == "done"


def test_a_companion_is_a_training_shared_between_runs(store: Store) -> None:
    shown = replace(SPEC, model=parse_model("mlp(hidden=4)+additive+random"))
    for spec in (SPEC, shown, replace(SPEC, limit=20)):
        assert run_stored(spec, store) == "done"
    averaging = replace(SPEC, model=parse_model("mlp(hidden=4)+additive+uniform"))
    trained = {path.name for path in (store.root / "trainings").glob("??/*")}
    assert trained == {training_key(SPEC), training_key(shown), training_key(averaging)}
    assert len(list((store.root / "runs").glob("??/*"))) == 3


def test_a_training_is_read_back_where_it_is_whole(store: Store) -> None:
    made: list[str] = []

    def training(spec: RunSpec, make: object) -> object:
        return keep_training(
            store, spec, lambda states: made.append(training_key(spec)) or make(states)
        )

    first = run(SPEC, Display(), keep=training)[1]
    assert same(run(SPEC, Display(), keep=training)[1], first)
    assert len(made) == 2  # the model and its companion, once each
    weights = store.training_folder(training_key(SPEC)) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert same(run(SPEC, Display(), keep=training)[1], first)
    assert len(made) == 3


def left_of(folder: Path, name: str = "killed") -> Path:
    """What a process leaves beside a folder that is killed while it writes or replaces it."""
    left = folder.with_name(f".{folder.name}.{name}")
    (left / "new").mkdir(parents=True)
    return left


def never(states: object) -> Any:
    raise AssertionError("it is made already")


def test_a_writer_that_was_killed_after_a_training_was_in_place_leaves_nothing(
    done: Store,
) -> None:
    key = training_key(SPEC)
    folder, partway = done.training_folder(key), done.partway_folder(key)
    left = [left_of(folder), left_of(folder, "sightline-old"), left_of(partway)]
    keep_training(done, SPEC, never)
    assert not any(one.exists() for one in left)
    assert is_whole(folder)


def test_a_sweep_removes_what_no_living_process_writes(done: Store) -> None:
    training, other = training_key(SPEC), run_key(replace(SPEC, seed=2))
    places = [done.run_folder(KEY), done.training_folder(training), done.partway_folder(training)]
    left = [left_of(place, name) for place in places for name in ("killed", "sightline-old")]
    left += [left_of(done.run_folder(other)), left_of(done.root / "store.json")]
    written = left_of(done.run_folder(run_key(replace(SPEC, seed=3))))
    strange = [done.root / "runs" / KEY[:2] / ".nfs01", done.root / "partway" / ".keep"]
    for file in strange:
        file.touch()
    before = {path: path.read_bytes() for path in done.run_folder(KEY).iterdir()}
    with done.claim_run(run_key(replace(SPEC, seed=3))) as mine:
        assert mine
        done.sweep()
        assert written.exists()
    assert not any(one.exists() for one in left)
    assert all(file.exists() for file in strange)
    assert {path: path.read_bytes() for path in done.run_folder(KEY).iterdir()} == before
    assert done.check() == ()
    done.sweep()
    assert not written.exists()


def test_a_sweep_gives_a_folder_its_name_back(done: Store) -> None:
    folder = done.run_folder(KEY)
    folder.rename(folder.with_name(f".{KEY}.sightline-old"))
    done.sweep()
    assert done.state(KEY) == "done"


def test_a_store_that_cannot_be_locked_keeps_what_was_left(done: Store) -> None:
    left = left_of(done.run_folder(KEY))
    shutil.rmtree(done.root / "claims")
    (done.root / "claims").touch()
    done.sweep()
    assert left.exists()


def test_a_store_may_be_made_by_two_processes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one writes its mark and sweeps while this one writes."""
    real = storing.write_whole

    def swept(path: Path, write: object) -> None:
        real(path, write)
        raise FileNotFoundError(path)

    monkeypatch.setattr(storing, "write_whole", swept)
    assert Store(tmp_path / "store").keys() == ()
    monkeypatch.setattr(storing, "write_whole", lambda path, write: swept(path, never))
    with pytest.raises(AssertionError):
        Store(tmp_path / "other")


def test_a_claim_keeps_others_out_until_its_process_ends(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    file = tmp_path / "claims" / "run"
    holder = context.Process(target=hold, args=(file, held, release))
    holder.start()
    assert held.wait(30)
    with claim(file, wait=False) as mine:
        assert not mine
    holder.kill()  # whoever dies with a claim gives it back
    holder.join()
    with claim(file, wait=False) as mine:
        assert mine


def test_a_run_that_another_process_claims_is_left_to_it(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    holder = context.Process(
        target=hold, args=(store.root / "claims" / f"run-{KEY}", held, release)
    )
    holder.start()
    assert held.wait(30)
    assert run_stored(SPEC, store) == "missing"
    release.set()
    holder.join()
    assert run_stored(SPEC, store) == "done"


def test_a_sealed_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def half(aside: Path) -> None:
        aside.mkdir()
        (aside / "a").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sealed(tmp_path / "run", half)
    assert list(tmp_path.iterdir()) == []
    write_sealed(tmp_path / "run", lambda aside: (aside.mkdir(), (aside / "a").write_text("x"))[0])
    assert is_whole(tmp_path / "run")
    assert not is_whole(tmp_path / "other")
    (tmp_path / ".run.left").mkdir()
    sweep_aside(tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum on this machine")
def test_other_tools_can_check_a_run_too(done: Store) -> None:
    folder = done.run_folder(KEY)
    check = ["sha256sum", "--strict", "-c", MANIFEST]
    assert subprocess.run(check, cwd=folder, capture_output=True, check=False).returncode == 0
    (folder / "audit.json").write_text("{}")
    result = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    assert (result.returncode, "audit.json: FAILED" in result.stdout) == (1, True)


def test_a_file_is_read_in_the_pass_that_checks_all(done: Store) -> None:
    folder = done.run_folder(KEY)
    assert read_whole(folder, "audit.json") == (folder / "audit.json").read_bytes()
    assert read_whole(folder, "strange.json") is None
    (folder / "arrays.npz").write_bytes(b"")
    assert read_whole(folder, "audit.json") is None


def test_a_strange_folder_and_another_layout_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match="exists and is not a store"):
        Store(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "mine.txt").write_text("of another tool")
    with pytest.raises(StoreError, match="exists and is not a store"):
        Store(tmp_path)
    Store(tmp_path / "s")
    (tmp_path / "s" / "store.json").write_text('{"layout": 9}')
    with pytest.raises(StoreError, match="layout 9, this version reads 2"):
        Store(tmp_path / "s")


@pytest.mark.parametrize("content", [None, "", "[", "{}", '{"layout": "x"}'])
def test_a_store_without_a_whole_mark_says_what_it_must_hold(
    done: Store, content: str | None
) -> None:
    mark = done.root / "store.json"
    mark.unlink() if content is None else mark.write_text(content)
    for opened in (Store, Store.there):
        with pytest.raises(StoreError, match=r"store\.json: ") as caught:
            opened(done.root)
        assert "new folder" not in str(caught.value)
    (right,) = re.findall(r"\{.*?\}", str(caught.value).rpartition("holds only")[2])
    mark.write_text(right)
    assert Store(done.root).keys() == (KEY,)


def test_runs_are_listed_by_key_and_the_torn_are_left_out(done: Store) -> None:
    other = replace(SPEC, seed=2)
    run_stored(other, done)
    assert [s.key for s in done.summaries()] == sorted([KEY, run_key(other)])
    (done.run_folder(KEY) / "summary.json").write_text("{}")
    assert [s.key for s in done.summaries()] == [run_key(other)]


def test_arrays_of_a_run_are_whole_and_typed(done: Store) -> None:
    with np.load(done.run_folder(KEY) / "arrays.npz", allow_pickle=False) as stored:
        assert stored["outputs/attention/flat"].dtype == np.float64
        assert stored["outputs/predicted"].dtype == np.int64


def test_a_failure_that_cannot_be_kept_is_the_disks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **options: object) -> None:
        raise ValueError("a run that fails")

    monkeypatch.setattr("sightline.experiments.run_in_store.run", fail)
    (store.root / "runs").write_text("a file where a folder should be")
    with pytest.raises(StoreError, match="free some space"):
        run_stored(SPEC, store)


def test_a_claim_that_cannot_be_laid_is_no_failure_of_its_run(store: Store) -> None:
    (store.root / "claims" / f"training-{training_key(SPEC)}").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"cannot be locked .*use a store that can be written"):
        run_stored(SPEC, store)
    assert store.state(KEY) == "missing"


@pytest.mark.parametrize("name", ["seconds", "absent", "setting"])
def test_a_summary_with_fewer_fields_is_refused(name: str) -> None:
    whole = asdict(storing.Summary(KEY, "d", "m", 0, "done", 1.0))
    assert storing._read(storing.Summary, json.dumps(whole).encode(), Path("summary.json"))
    del whole[name]
    with pytest.raises(StoreError, match=f"missing field '{name}'.*; use a new folder"):
        storing._read(storing.Summary, json.dumps(whole).encode(), Path("summary.json"))
