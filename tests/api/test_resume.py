"""What an audit that stops early keeps is gone once its output is written."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.api.hooks import Hooks
from sightline.api.resume import looks_until_written
from sightline.api.run_options import Stopping
from sightline.audits.look_storage import FILE, aside_name
from sightline.core.errors import ModelError
from tests.report.audits import audit

EARLY = Stopping(budget=5.0)


def test_looks_go_with_what_a_killed_process_left_of_them(tmp_path: Path) -> None:
    with looks_until_written(tmp_path / "out.partial", EARLY, Hooks()) as looks:
        for seed in ("0", "1"):
            (looks.of(seed) / f".{FILE}.killed").mkdir(parents=True)
        (looks.of("0") / FILE).touch()
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_stay_where_looks_were_kept(tmp_path: Path) -> None:
    with looks_until_written(tmp_path / "out.partial", EARLY, Hooks()) as looks:
        looks.of("0").mkdir(parents=True)
        (looks.of("0") / FILE).touch()
        (looks.of("0") / "notes.txt").touch()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["notes.txt"]


def test_looks_of_another_audit_stay_and_are_named(tmp_path: Path) -> None:
    notes: list[str] = []
    hooks = Hooks(on_resume=notes.append)
    with looks_until_written(tmp_path / "out.partial", EARLY, hooks) as looks:
        looks.of("0").mkdir(parents=True)
        (looks.of("0") / FILE).touch()
        (looks.of("0") / aside_name("0f" * 32, FILE)).touch()
    assert [path.name for path in tmp_path.rglob("*.npz")] == [aside_name("0f" * 32, FILE)]
    assert len(notes) == 1
    with looks_until_written(tmp_path / "out.partial", EARLY, hooks):
        pass
    assert len(notes) == 3  # that looks are there, and that they stay


def test_looks_of_another_seed_stay(tmp_path: Path) -> None:
    other = tmp_path / "out.partial-looks" / "1" / FILE
    other.parent.mkdir(parents=True)
    other.touch()
    with looks_until_written(tmp_path / "out.partial", EARLY, Hooks()) as looks:
        looks.of("0").mkdir()
        (looks.of("0") / FILE).touch()
    assert list(tmp_path.rglob("*.npz")) == [other]


def test_looks_of_an_audit_that_failed_stay(tmp_path: Path) -> None:
    def stopped() -> None:
        with looks_until_written(tmp_path / "out.partial", EARLY, Hooks()) as looks:
            looks.of("0").mkdir(parents=True)
            (looks.of("0") / FILE).touch()
            raise ModelError("it was stopped")

    with pytest.raises(ModelError):
        stopped()
    assert any(path.name == FILE for path in tmp_path.rglob("*"))


def test_a_stop_before_the_first_look_names_what_was_kept_before(tmp_path: Path) -> None:
    notes: list[str] = []

    def stopped() -> None:
        kept = tmp_path / "out.partial"
        with looks_until_written(kept, EARLY, Hooks(on_resume=notes.append)):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert notes == []
    (tmp_path / "out.partial-looks" / "0").mkdir(parents=True)
    (tmp_path / "out.partial-looks" / "0" / FILE).touch()
    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert [note.startswith("stopped: ") for note in notes] == [False, True]
    assert all(str(tmp_path / "out.partial-looks") in note for note in notes)


@pytest.mark.parametrize(
    ("stopped", "settled", "stays"),
    [("budget", False, True), ("budget", True, False), ("settled", True, False)],
)
def test_looks_of_an_audit_that_its_budget_ended_stay(
    tmp_path: Path, stopped: str, settled: bool, stays: bool
) -> None:
    notes: list[str] = []
    about = {"sequential": {"stopped": stopped, "settled": settled}}
    hooks = Hooks(on_resume=notes.append)
    with looks_until_written(tmp_path / "out.partial", EARLY, hooks) as looks:
        for seed in ("0", "1"):
            looks.of(seed).mkdir(parents=True)
            (looks.of(seed) / FILE).touch()
        looks.ended("1", replace(audit(), spec=about))
    left = [path.parent.name for path in tmp_path.rglob(FILE)]
    assert left == (["1"] if stays else [])
    assert len(notes) == stays
