"""Progress of a run on stderr: bars on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from sightline.api.hooks import Display, watch_progress
from sightline.report.number_format import count_phrase, duration
from sightline.report.sanitize import one_line

if TYPE_CHECKING:
    from sightline.api.hooks import Epoch, LookState

SECONDS_BETWEEN = 60.0
"""One line a minute: log files are read afterwards, and slow work is watched by the minute."""
_FRAME = 0.1
_SETTLED = 3.0
"""Seconds after which a bar tells the time left; before, the estimate jumps."""
AUDIT = "auditing"
"""The stage of an audit that takes every measure at once."""


@contextmanager
def progress(
    *, quiet: bool = False, verbose: bool = False, as_json: bool = False
) -> Iterator[Display]:
    """Show the progress of a run; with JSON on stdout, only on a terminal."""
    terminal = sys.stderr.isatty()
    if quiet or (as_json and not terminal):
        yield Display(on_data=_note)
    elif terminal and not verbose:
        with _bars() as shown, watch_progress((bars := Bars(shown)).reading):
            yield Display(bars.epoch, bars.texts, bars.batch, bars.look, bars.note, bars.measures)
    else:
        lines = Lines(SECONDS_BETWEEN, each_epoch=verbose)
        with watch_progress(lines.reading):
            yield Display(lines.epoch, lines.texts, lines.batch, lines.look, _note, lines.measures)


@contextmanager
def reading_progress(*, as_json: bool = False) -> Iterator[None]:
    """Show how far a large file is read, for commands that only read; needs no torch."""
    if sys.stderr.isatty():
        with _bars() as shown, watch_progress(Bars(shown).reading):
            yield
    elif as_json:
        yield
    else:
        with watch_progress(Lines(SECONDS_BETWEEN).reading):
            yield


def _bars() -> Progress:
    # A label is shown literally, even if it looks like markup.
    stage, note = (
        TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[note]}")
    )
    columns = (stage, BarColumn(), note, TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _note(note: str) -> None:
    print(one_line(f"note: {note}"), file=sys.stderr, flush=True)


def _of_look(state: LookState) -> str:
    from sightline.report.sequential_note import look_line  # noqa: PLC0415  (numpy)

    return one_line(look_line(state))


def _of_measures(codes: Sequence[str]) -> str:
    from sightline.report.sequential_note import measures_line  # noqa: PLC0415  (numpy)

    return measures_line(codes)


class StageClock:
    """Estimates the time that a stage still takes from its time so far, counted from the first step
    that was shown.
    """

    def __init__(self, share: float, now: float) -> None:
        self.first, self.began, self.reached = share, now, share

    def left(self, share: float, now: float, bound: str = "about ") -> str:
        """Describe the time left, with a comma before it; empty before a second step and at the
        end.
        """
        if not self.first < share < 1:
            return ""
        seconds = (now - self.began) / (share - self.first) * (1 - share)
        return f", {bound}{duration(seconds)} left"


class Bars:
    """A bar for each training, and one for each stage of an audit."""

    def __init__(self, shown: Progress) -> None:
        self.shown = shown
        self.tasks: dict[str, TaskID] = {}
        self.clocks: dict[str, StageClock] = {}
        self.reached, self.moved_at = "", 0.0
        self.audit = AUDIT

    def epoch(self, name: str, epoch: Epoch, epochs: int) -> None:
        """Move the bar of a training."""
        self.reached = f", accuracy {epoch.accuracy:.3f}"
        self._train(name, epoch.number, epochs, f"epoch {epoch.number}{self.reached}")

    def batch(self, name: str, epoch: int, epochs: int, done: int, total: int) -> None:
        """Move the bar of a training within an epoch, as often as an eye can follow."""
        if (now := time.monotonic()) - self.moved_at >= _FRAME:
            self.moved_at = now
            reached = self.reached if epoch > 1 else ""
            self._train(name, epoch - 1 + done / total, epochs, f"epoch {epoch}{reached}")

    def reading(self, stage: str, done: int, total: int) -> None:
        """Move the bar of reading, as often as an eye can follow."""
        if (now := time.monotonic()) - self.moved_at >= _FRAME:
            self.moved_at = now
            self._move(one_line(stage), done, total, f"{done:,} of {total:,}")

    def measures(self, codes: Sequence[str]) -> None:
        """Name what the next bar of the audit is about."""
        self.audit = _of_measures(codes)

    def texts(self, done: int, total: int) -> None:
        """Move the bar of the audit."""
        self._move(self.audit, done, total, f"{done} of {total} texts")

    def look(self, state: LookState) -> None:
        """Print the state of a look above the bars."""
        self.shown.console.print(_of_look(state), markup=False, highlight=False)

    def note(self, note: str) -> None:
        """Print a note on the texts above the bars."""
        self.shown.console.print(one_line(f"note: {note}"), markup=False, highlight=False)

    def _train(self, name: str, done: float, epochs: int, description: str) -> None:
        """Move the bar of a training, which may stop before its last epoch."""
        self._move(f"training {name}", done, epochs, description, "at most ")

    def _move(
        self, stage: str, done: float, total: int, description: str, bound: str = "about "
    ) -> None:
        now, share = time.monotonic(), done / max(total, 1)
        if stage not in self.tasks:
            self.tasks[stage] = self.shown.add_task(stage, total=total, note=description)
        clock = self.clocks.get(stage)
        if clock is None or share < clock.reached:  # the same stage, once more
            clock = self.clocks[stage] = StageClock(share, now)
        clock.reached = share
        if now - clock.began >= _SETTLED:
            description += clock.left(share, now, bound)
        self.shown.update(self.tasks[stage], completed=done, total=total, note=description)


class Lines:
    """Prints the first step of each stage, then one line every so many seconds, and the
    last text.
    """

    def __init__(self, seconds_between: float, *, each_epoch: bool = False) -> None:
        self.seconds_between, self.each_epoch = seconds_between, each_epoch
        self.stage, self.told_at = "", 0.0
        self.clock = StageClock(0.0, 0.0)
        self.audit = AUDIT

    def epoch(self, name: str, epoch: Epoch, epochs: int) -> None:
        """Print the validation result of an epoch."""
        reached = f"validation loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.3f}"
        text = f"epoch {epoch.number} of at most {epochs}, {reached}"
        self._tell(
            f"training {name}", text, epoch.number / epochs, "at most ", must=self.each_epoch
        )

    def batch(self, name: str, epoch: int, epochs: int, done: int, total: int) -> None:
        """Print how far a training is within an epoch."""
        text = f"epoch {epoch} of at most {epochs}, batch {done} of {total}"
        self._tell(f"training {name}", text, (epoch - 1 + done / total) / epochs, "at most ")

    def reading(self, stage: str, done: int, total: int) -> None:
        """Print how much of a large file is read."""
        self._tell(one_line(stage), f"{done:,} of {total:,}", done / max(total, 1))

    def measures(self, codes: Sequence[str]) -> None:
        """Name what the next lines of the audit are about."""
        self.audit, self.stage = _of_measures(codes), ""

    def texts(self, done: int, total: int) -> None:
        """Print how many texts are audited."""
        self._tell(self.audit, f"{done} of {total} texts", done / max(total, 1), must=done == total)

    def look(self, state: LookState) -> None:
        """Print the state of a look."""
        print(_of_look(state), file=sys.stderr, flush=True)

    def _tell(
        self,
        stage: str,
        description: str,
        share: float,
        bound: str = "about ",
        *,
        must: bool = False,
    ) -> None:
        now, new = time.monotonic(), stage != self.stage
        if new:
            self.clock = StageClock(share, now)
        if must or new or now - self.told_at >= self.seconds_between:
            print(
                f"{stage}: {description}{self.clock.left(share, now, bound)}",
                file=sys.stderr,
                flush=True,
            )
            self.stage, self.told_at = stage, now


@contextmanager
def runs_progress(
    total: int, states: int = 0, *, quiet: bool = False
) -> Iterator[Callable[[str, str], None]]:
    """Show how many runs of a study are done, how fast, and how long the rest takes; call it with
    each ending.
    """
    if quiet or total == 0:
        yield lambda ending, description: None
    elif sys.stderr.isatty():
        with _bars() as shown:
            counter = RunCounter(total, RunBar(shown, total))
            counter.begin(states)
            yield counter.ended
    else:
        counter = RunCounter(
            total, lambda done, description: print(description, file=sys.stderr, flush=True)
        )
        counter.begin(states)
        with _each_minute(counter):
            yield counter.ended


@contextmanager
def _each_minute(counter: RunCounter) -> Iterator[None]:
    """Show the count again while no run ends: a run may take hours, and says nothing meanwhile."""
    over = Event()

    def watch() -> None:
        while not over.wait(counter.told_at + SECONDS_BETWEEN - time.monotonic()):
            counter.still()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class RunBar:
    """One bar for all runs."""

    def __init__(self, shown: Progress, total: int) -> None:
        self.shown = shown
        self.task = shown.add_task("runs", total=total, note="")

    def __call__(self, done: int, description: str) -> None:
        """Move the bar."""
        self.shown.update(self.task, completed=done, note=description)


class RunCounter:
    """Counts the runs of a study as they end, and describes the count."""

    def __init__(self, total: int, show: Callable[[int, str], None]) -> None:
        self.total, self.show = total, show
        self.done = self.failed = 0
        self.began = self.ended_at = self.told_at = time.monotonic()

    def begin(self, states: int) -> None:
        """Say how many runs there are to make, and what a stopped study left."""
        trainings = count_phrase(states, "unfinished training")
        found = f", {trainings} with a saved state" if states else ""
        self.show(0, f"{count_phrase(self.total, 'run')} to make{found}")

    def ended(self, ending: str, description: str) -> None:
        """Count one ending; a killed run waits for another worker and is not done."""
        self.done += ending != "killed"
        self.failed += ending == "failed"
        self.ended_at = time.monotonic()
        self._tell(description)

    def still(self) -> None:
        """Show the count if nothing was shown for a minute."""
        if time.monotonic() - self.told_at >= SECONDS_BETWEEN:
            self._tell("")

    def _tell(self, description: str) -> None:
        self.told_at = now = time.monotonic()
        took = max(self.ended_at - self.began, 1e-9)
        words = [f"{self.done} of {count_phrase(self.total, 'run')}"]
        words += [f"{60 * self.done / took:.1f} a minute"] if self.done else []
        words += [f"{self.failed} failed"] if self.failed else []
        # A run that takes longer than those before has outlived its estimate, and gets none.
        left = took / self.done * self.total - (now - self.began) if self.done else 0.0
        if self.done < self.total and left > 0:
            words.append(f"about {duration(left)} left")
        else:
            so_far = "so far" if self.done < self.total else ""
            words.append(f"in {duration(now - self.began)} {so_far}".rstrip())
        self.show(self.done, one_line(", ".join([*words, *([description] if description else [])])))
