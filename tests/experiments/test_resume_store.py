"""What is trained of a command that is stopped is found again, goes on to the bit, and is gone at
the end.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sightline._io.atomic_write import plain
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.experiments import checkpoints
from sightline.experiments.callbacks import Display
from sightline.experiments.checkpoints import EACH_STEP, TrainingCheckpoints
from sightline.experiments.locks import claim
from sightline.experiments.pipeline import Trained, train
from sightline.experiments.resume_store import WITH, UnfinishedTrainings
from sightline.training.resume_state import Epoch, State

MODEL, FIT = build_specs("mlp(hidden=4)", epochs=4)
SPEC = RunSpec(parse_data("planted:needle(n=60,length=6)"), MODEL, FIT)
OTHER = replace(SPEC, seed=1)
COMPANION = "control model (uniform attention)"


class Stopped(BaseException):
    """Stands for Ctrl-C."""


def run(
    folder: Path, stop: tuple[str, int] | None = None, spec: RunSpec = SPEC
) -> tuple[Trained | None, list[tuple[str, int]], UnfinishedTrainings]:
    """Train, up to an epoch of a model; give the epochs that were made."""
    kept, made = UnfinishedTrainings(folder, EACH_STEP), list[tuple[str, int]]()

    def record(name: str, epoch: Epoch, epochs: int) -> None:
        made.append((name, epoch.number))
        if made[-1] == stop:
            raise Stopped

    try:
        return (
            train(spec, Display(record), "cpu", lambda spec, make: kept.keep("cpu", spec, make)),
            made,
            kept,
        )
    except Stopped:
        kept.release()
        return None, made, kept


def same(one: Trained, other: Trained) -> bool:
    pairs = [
        (one.model, other.model),
        *zip(one.companions.values(), other.companions.values(), strict=True),
    ]
    weights = [(a.state_dict(), b.state_dict()) for a, b in pairs]
    return plain(one.record) == plain(other.record) and all(
        a[name].equal(b[name]) for a, b in weights for name in a
    )


@pytest.fixture(scope="module")
def undisturbed() -> Trained:
    return train(SPEC)


def test_a_stopped_training_goes_on_from_what_is_kept_of_it(
    tmp_path: Path, undisturbed: Trained
) -> None:
    folder = tmp_path / "model.partial"
    _, made, kept = run(folder, ("model", 1))
    assert made == [("model", 1)]
    assert kept.holds()
    found, made, kept = run(folder)
    assert made[0] == ("model", 2)
    assert same(found, undisturbed)
    kept.remove()
    assert not folder.exists()


def test_a_whole_model_is_not_trained_again_where_its_companion_was_stopped(
    tmp_path: Path, undisturbed: Trained
) -> None:
    run(tmp_path / "p", (COMPANION, 1))
    found, made, _ = run(tmp_path / "p")
    assert {name for name, _ in made} == {COMPANION}
    assert same(found, undisturbed)


def test_a_state_that_is_torn_or_made_otherwise_counts_as_none(
    tmp_path: Path, undisturbed: Trained
) -> None:
    folder = tmp_path / "p"
    run(folder, ("model", 1))
    state = next(folder.glob("partway/*/state.safetensors"))
    state.write_bytes(state.read_bytes()[:-1])
    found, made, _ = run(folder, ("model", 2))
    assert (found, made[0]) == (None, ("model", 1))
    mark = next(folder.glob(f"trainings/??/*{WITH}"))
    mark.write_text(mark.read_text().replace('"threads": 1', '"threads": 7'))
    assert UnfinishedTrainings(folder).threads([OTHER, SPEC]) == 7
    assert UnfinishedTrainings(folder).threads([OTHER]) is None
    found, made, _ = run(folder)
    assert made[0] == ("model", 1)
    assert same(found, undisturbed)


def test_states_are_written_for_a_twentieth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = [0.0]

    def write(aside: Path, state: State, device: str) -> None:
        aside.mkdir()
        ticks[0] += 1.0

    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: ticks[0])
    monkeypatch.setattr(checkpoints, "_write", write)
    kept, written = TrainingCheckpoints(tmp_path / "s"), list[float]()
    for _ in range(100):
        if kept.due():
            written.append(ticks[0])
            kept.keep(State((), {}))
        ticks[0] += 1.0
    assert written == [
        5.0,
        26.0,
        47.0,
        68.0,
        89.0,
    ]  # after five seconds, then twenty after each that took one


def test_a_second_command_leaves_the_folder_of_the_first_alone(
    tmp_path: Path, undisturbed: Trained
) -> None:
    run(tmp_path / "p", ("model", 1))
    with claim(tmp_path / "p" / "claims" / "command", wait=False):
        found, made, kept = run(tmp_path / "p")
        assert made[0] == ("model", 1)
        kept.remove()
    assert (tmp_path / "p").exists()
    assert same(found, undisturbed)


def test_what_there_is_for_a_training_is_told_before_it_begins(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    assert UnfinishedTrainings(folder).find("cpu", SPEC) == "nothing"
    run(folder, ("model", 1))
    for spec, message in ((SPEC, "kept"), (OTHER, "others")):
        kept = UnfinishedTrainings(folder)
        assert kept.find("cpu", spec) == message
        kept.release()
    with claim(folder / "claims" / "command", wait=False):
        assert UnfinishedTrainings(folder).find("cpu", SPEC) == "busy"
    mark = next(folder.glob(f"trainings/??/*{WITH}"))
    mark.write_text(mark.read_text().replace('"threads": 1', '"threads": 7'))
    assert UnfinishedTrainings(folder).find("cpu", SPEC) == "made otherwise"


def test_a_command_killed_before_anything_was_kept_begins_again_without_a_word(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "p"
    run(folder, ("model", 1))
    mark = next(folder.glob(f"trainings/??/*{WITH}"))
    for place in (*folder.glob("trainings/??/*"), *folder.glob("partway/*")):
        if place != mark:
            shutil.rmtree(place)
    assert UnfinishedTrainings(folder).find("cpu", SPEC) == "nothing"
    assert UnfinishedTrainings(folder).find("cpu", OTHER) == "others"


def test_what_another_command_keeps_stays(tmp_path: Path, undisturbed: Trained) -> None:
    folder = tmp_path / "p"
    run(folder, ("model", 1))
    _, _, kept = run(folder, spec=OTHER)
    assert kept.holds()
    kept.remove()
    assert not kept.holds()
    found, made, kept = run(folder)
    assert made[0] == ("model", 2)
    assert same(found, undisturbed)
    kept.remove()
    assert not folder.exists()


def test_what_a_killed_process_left_of_a_training_goes_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    run(folder, ("model", 1))
    _, _, kept = run(folder, spec=OTHER)
    left = [
        place.with_name(f".{place.name}.killed")
        for one in kept._used.values()
        for place in (one.whole, one.partway)
    ]
    for one in left:
        one.mkdir()
    kept.remove()
    assert folder.exists()  # with what the first command keeps
    assert not any(one.exists() for one in left)


def test_what_others_put_into_the_folder_stays_and_the_folder_can_be_used_again(
    tmp_path: Path,
) -> None:
    folder, notes = tmp_path / "p", tmp_path / "p" / "notes.txt"
    for left in (True, False):
        kept = UnfinishedTrainings(folder)
        assert kept.find("cpu", SPEC) == "nothing"
        notes.write_text("mine")
        if not left:
            notes.unlink()
        kept.remove()
        assert notes.exists() == folder.exists() == left
