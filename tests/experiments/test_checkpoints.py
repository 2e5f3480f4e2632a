"""A training of a store that is stopped goes on from its last state, which is gone once it is
whole.
"""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sightline._io.checksums import seal
from sightline.config.presets import build_specs
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.core import installation
from sightline.experiments import checkpoints, run_in_store
from sightline.experiments.callbacks import Display
from sightline.experiments.checkpoints import EACH_STEP, TrainingCheckpoints
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.training.objective import SingleLabelLoss
from sightline.training.resume_state import State

MODEL, FIT = build_specs("mlp(hidden=4)", epochs=3)
SPEC = RunSpec(
    parse_data("planted:needle(n=60,length=6)"),
    MODEL,
    replace(FIT, batch_size=8),
    measures=("transplant",),
    limit=4,
)
KEY = training_key(SPEC)


class Stopped(BaseException):
    """Stands for a kill: nothing of the command runs after it."""


@pytest.fixture(autouse=True)
def _each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "PACE", EACH_STEP)


def done(store: Store, stop: tuple[int, int] = (0, 0)) -> list[tuple[int, int]]:
    """Do the run, up to a step of the model; give the steps of the model that were made."""
    made = list[tuple[int, int]]()

    def record(name: str, epoch: int, epochs: int, done: int, total: int) -> None:
        if name == "model":
            made.append((epoch, done))
        if made[-1] == stop:
            raise Stopped

    assert run_stored(SPEC, store, display=Display(on_batch=record)) == "done"
    return made


def stopped(store: Store, stop: tuple[int, int] = (2, 3)) -> Path:
    with pytest.raises(Stopped):
        done(store, stop)
    return store.partway_folder(KEY)


def left(store: Store) -> list[str]:
    return [path.name for path in (store.root / "partway").iterdir()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp("whole") / "s")
    done(store)
    return store


def same(one: Store, other: Store) -> bool:
    files = [
        (store.training_folder(KEY) / "model.safetensors").read_bytes() for store in (one, other)
    ]
    audits = [store.audit(run_key(SPEC)) for store in (one, other)]
    return files[0] == files[1] and audits[0].metrics == audits[1].metrics


def test_a_cell_goes_on_with_the_next_step_and_leaves_no_state(
    tmp_path: Path, whole: Store
) -> None:
    store = Store(tmp_path / "s")
    stopped(store)
    assert left(store) == [KEY]
    assert (store.keys(), store.check(), store.bytes_a_run()) == (
        (),
        (),
        0.0,
    )  # no run, and no part of one
    made = done(store)
    assert made[0] == (2, 4)
    assert left(store) == []
    assert same(store, whole)


@pytest.mark.parametrize("change", ["torn", "threads", "version"])
def test_a_state_that_is_torn_or_made_otherwise_is_made_anew(
    tmp_path: Path, whole: Store, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    store = Store(tmp_path / "s")
    folder = stopped(store)
    if change == "torn":
        (folder / "state.json").write_bytes((folder / "state.json").read_bytes()[:-1])
    elif change == "threads":
        monkeypatch.setattr(torch, "get_num_threads", lambda: 7)
        monkeypatch.setattr(torch, "set_num_threads", lambda threads: None)
    else:
        monkeypatch.setattr(installation, "version_of", lambda name: f"{name} of tomorrow")
    assert done(store)[0] == (1, 1)
    assert same(store, whole)


def test_a_state_is_left_out_where_there_is_no_room_and_the_training_goes_on(
    tmp_path: Path, whole: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(aside: Path, state: State, device: str) -> None:
        aside.mkdir()
        (aside / "half").write_text("")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints, "_write", full)
    store = Store(tmp_path / "s")
    done(store)
    assert left(store) == []
    assert same(store, whole)


def test_a_training_that_diverges_is_a_failure_with_its_step_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, calls = SingleLabelLoss.losses, [0]

    def losses(self, model, texts):
        calls[0] += 1
        return usual(self, model, texts) * (torch.nan if calls[0] > 8 else 1.0)

    monkeypatch.setattr(SingleLabelLoss, "losses", losses)
    store = Store(tmp_path / "s")
    assert run_stored(SPEC, store) == "failed"
    summary = store.summary(run_key(SPEC))
    assert summary.error.startswith(
        "ModelError: training diverged in epoch 2, step 4 of 5: the loss is nan"
    )
    assert left(store) == []
    assert not store.training_folder(KEY).exists()


def test_a_state_says_as_much_as_it_was_given(tmp_path: Path) -> None:
    kept = TrainingCheckpoints(tmp_path / "s", pace=EACH_STEP)
    assert kept.last() is None
    kept.keep(State((), {"a": torch.tensor([0.1, torch.nan])}, 3, 0.1 + 0.2))
    (tmp_path / ".s.killed-while-writing").mkdir()
    found = TrainingCheckpoints(tmp_path / "s").last()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]  # it may be as large as the state
    assert (found.epochs, found.batches, found.total) == ((), 3, 0.1 + 0.2)
    assert str(found.tensors["a"].tolist()) == str(torch.tensor([0.1, torch.nan]).tolist())
    assert TrainingCheckpoints(tmp_path / "s", "cuda").last() is None
    kept.clear()
    assert not any(tmp_path.iterdir())


def test_a_state_beside_a_training_that_is_whole_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was killed between the two has left it there."""
    store = Store(tmp_path / "s")
    with monkeypatch.context() as patch:
        patch.setattr(TrainingCheckpoints, "clear", lambda self: (_ for _ in ()).throw(Stopped()))
        with pytest.raises(Stopped):
            done(store)
    assert left(store) == [KEY]
    assert run_in_store.is_whole(store.training_folder(KEY))
    run_stored(SPEC, store)
    assert left(store) == []


def test_a_state_of_a_version_with_other_fields_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "partway"
    folder.mkdir()
    (folder / "state.json").write_text('{"made": {"sightline": "0.0.1"}, "steps": 3}')
    (folder / "state.safetensors").write_bytes(b"")
    seal(folder)
    assert TrainingCheckpoints(folder).last() is None
