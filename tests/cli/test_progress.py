"""Progress in a file is a line a minute, with how far and how long; a terminal sees it move within
an epoch.
"""

import io
import time

import pytest
from rich.console import Console

from sightline.cli import progress
from sightline.cli.progress import Bars, Lines, RunCounter, reading_progress, runs_progress
from sightline.data.read_progress import report_progress
from sightline.training.resume_state import Epoch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands where it is put."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_the_first_step_at_once_and_then_a_line_a_minute(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines(60.0)
    for batch in range(1, 101):
        lines.batch("model", 1, 10, batch, 100)
        clock[0] += 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "training model: epoch 1 of at most 10, batch 1 of 100"
    assert len(rest) == 3
    assert rest[0] == "training model: epoch 1 of at most 10, batch 31 of 100, at most 32 min left"
    lines.batch("model", 1, 10, 100, 100)
    lines.epoch("model", Epoch(1, 0.7, 0.69, 0.5, 0.5), 10)
    lines.texts(32, 300)
    assert capsys.readouterr().err.splitlines()[-1] == "auditing: 32 of 300 texts"
    clock[0] += 60
    lines.texts(64, 300)
    assert capsys.readouterr().err == "auditing: 64 of 300 texts, about 7 min left\n"
    lines.texts(300, 300)
    assert capsys.readouterr().err == "auditing: 300 of 300 texts\n"


def test_the_next_lines_of_an_audit_name_what_it_measures(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines(60.0)
    lines.measures(["outputs"])
    lines.texts(200, 200)
    lines.measures(["transplant"])
    for done in (10, 55):
        lines.texts(done, 100)
        clock[0] += 60
    lines.measures(["transplant", "other maps"])
    lines.texts(10, 100)
    before, first, later, maps = capsys.readouterr().err.splitlines()
    assert before.endswith(", predictions: 200 of 200 texts")
    assert "Transfer" in first
    assert first.endswith(": 10 of 100 texts")
    assert later.endswith(": 55 of 100 texts, about 60 s left")  # as fast as the 45 before
    assert maps == first.replace("more tests:", "more tests, with other maps:")


def test_each_stage_of_an_audit_has_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    with progress._bars() as shown:
        bars = Bars(shown)
        for code, total in (("outputs", 200), ("transplant", 114), ("outputs", 86)):
            bars.measures([code])
            bars.texts(total, total)
        assert [(one.completed, one.total) for one in shown.tasks] == [(86, 86), (114, 114)]


def test_every_epoch_is_told_where_that_is_asked_for(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines(60.0, each_epoch=True)
    for number in (1, 2):
        lines.batch("model", number, 2, 1, 1)
        lines.epoch("model", Epoch(number, 0.7, 0.69, 0.5, 0.5), 2)
    assert capsys.readouterr().err.count("validation loss 0.6900") == 2


def test_a_bar_moves_within_an_epoch(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    with progress._bars() as shown:
        bars = Bars(shown)
        for done in (10, 50):
            clock[0] += 1
            bars.batch("model", 2, 10, done, 100)
        assert shown.tasks[0].completed == pytest.approx(1.5)
        bars.batch("model", 2, 10, 60, 100)  # no eye could follow
        assert shown.tasks[0].completed == pytest.approx(1.5)


def test_a_bar_tells_the_time_left_once_it_is_known(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    with progress._bars() as shown:
        bars = Bars(shown)
        bars.texts(10, 100)
        clock[0] += 1
        bars.texts(30, 100)
        early = shown.tasks[0].fields["note"]
        clock[0] += 19
        bars.texts(60, 100)
        later = shown.tasks[0].fields["note"]
        bars.texts(5, 100)  # the stage begins again
        clock[0] += 10
        bars.texts(15, 100)
        again = shown.tasks[0].fields["note"]
    assert "left" not in early
    assert "16 s left" in later  # 50 texts in 20 s
    assert "85 s left" in again


def test_what_is_read_is_told_as_long_as_somebody_watches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with reading_progress():
        report_progress("reading \x1b.csv, MiB", 1, 139)
    report_progress("reading others", 1, 139)
    with reading_progress(as_json=True):
        report_progress("reading others", 1, 139)
    assert capsys.readouterr().err == "reading ␛.csv, MiB: 1 of 139\n"


def test_a_study_says_at_once_what_there_is_to_make(capsys: pytest.CaptureFixture[str]) -> None:
    with runs_progress(4, 1):
        assert capsys.readouterr().err == (
            "4 runs to make, 1 unfinished training with a saved state\n"
        )


def test_a_study_shows_its_count_each_minute_while_no_run_ends(clock: list[float]) -> None:
    shown = list[str]()
    counter = RunCounter(4, lambda done, description: shown.append(description))
    counter.begin(0)
    for seconds in (59, 1, 30, 30):
        clock[0] += seconds
        counter.still()
    assert shown == [
        "4 runs to make",
        "0 of 4 runs, in 60 s so far",
        "0 of 4 runs, in 2 min so far",
    ]
    counter.ended("done", "")
    assert shown[-1] == "1 of 4 runs, 0.5 a minute, about 6 min left"
    for left in ("about 5 min left", "about 4 min left"):
        clock[0] += 60
        counter.still()
        assert shown[-1].endswith(left)
    clock[0] += 600  # longer than all three were expected to take
    counter.still()
    assert shown[-1] == "1 of 4 runs, 0.5 a minute, in 14 min so far"


def test_a_study_that_makes_one_long_run_writes_to_its_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", 0.01)
    with runs_progress(2):
        time.sleep(0.5)
    assert capsys.readouterr().err.count("\n0 of 2 runs, in 1 s so far") > 1
    time.sleep(0.05)
    assert not capsys.readouterr().err  # no line after the last run
