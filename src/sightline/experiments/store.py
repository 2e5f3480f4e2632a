"""The store: one folder per run, named by the run's key. The files count; an index only saves
reading them again.

    STORE/store.json                          the version of this layout
    STORE/runs/ab/abcdef…/                    a saved audit, which has its spec, and summary.json
                                              if it failed: spec.json and summary.json
    STORE/trainings/cd/cdef01…/               a saved model; companions are trainings like any other, and shared
    STORE/partway/abcdef…/                    the state of a training that is not whole yet; may be deleted
    STORE/claims/                             who works on what (`sightline.experiments.locks`)
    STORE/index.sqlite                        what was read of each run (`sightline.experiments.store_index`); may be deleted

Every folder is sealed (`sightline._io.checksums`); a torn or changed one counts as missing and is
made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sightline._io.atomic_write import plain, put_back, write_whole
from sightline._io.checksums import MANIFEST, is_whole, read_whole, sweep_aside, write_sealed
from sightline.audits.audit_storage import read_results, write_results
from sightline.config.json_reader import read_as
from sightline.config.run_keys import run_key
from sightline.config.run_setting import setting_of
from sightline.config.specs import RunSpec
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import Estimate, Results
from sightline.experiments.locks import claim
from sightline.experiments.store_index import Index, IndexEntry, stamp

if TYPE_CHECKING:
    from sightline.audits.audit_result import Audit

LAYOUT = 2
_WRITE_MARK = (
    f'{{"layout": {LAYOUT}}}; write that into it, and the runs and trainings are found again'
)
MARK, INDEX, RUNS, TRAININGS, PARTWAY, CLAIMS = FILES = (
    "store.json", "index.sqlite", "runs", "trainings", "partway", "claims"
)  # fmt: skip
"""The contents of a store; the first file identifies it."""
SUMMARY = "summary.json"
"""Lies next to the audit of every run, or stands alone if there is none."""
State = Literal["done", "failed", "missing"]
_Claim = Callable[[str], AbstractContextManager[bool]]


@dataclass(frozen=True)
class Conclusion:
    """The result of a test, and its score if it has one."""

    result: str
    score: Estimate | None


@dataclass(frozen=True)
class Summary:
    """A run as a list shows it: what it is, how it ended, and its main numbers."""

    key: str
    data: str
    model: str
    seed: int
    state: State
    seconds: float
    error: str = ""
    verdict: str = ""
    findings: Mapping[str, Conclusion] | None = None
    metrics: Mapping[str, Estimate] | None = None
    row: int = 0
    """The row of the verdict table; 0 if there is no verdict."""
    by_class: Mapping[str, int] | None = None
    """The row for the texts of each predicted class."""
    absent: Mapping[str, str] | None = None
    """Why there is no number, by metric or test; None if the run failed."""
    setting: str = ""
    """What else the run sets, such as ``fit.epochs=3``."""

    def estimate(self, name: str) -> Estimate | None:
        """Return the score of a test by its code, or a metric by its name."""
        answer = (self.findings or {}).get(name)
        return (self.metrics or {}).get(name) if answer is None else answer.score


@dataclass(frozen=True)
class _Mark:
    layout: int


class Store:
    """Runs and trainings under one folder, for any number of processes at once."""

    def __init__(self, root: str | Path, *, make: bool = True) -> None:
        self.root = Path(root)
        self._runs = str(self.root / RUNS)
        mark = self.root / MARK
        if not mark.exists():
            if self.root.exists() and any(path.name[0] != "." for path in self.root.iterdir()):
                _refuse_lost_mark(self.root)
                raise StoreError(f"{self.root}: exists and is not a store; name a new folder")
            if not make:
                return  # only for reading, and nothing is there
            try:
                write_whole(mark, lambda aside: _write_json(aside, {"layout": LAYOUT}))
            except (OSError, StoreError):
                if not mark.exists():  # else another process made it meanwhile, and swept ours
                    raise
        if (layout := _layout_of(mark)) != LAYOUT:
            raise StoreError(
                f"{self.root}: layout {layout}, this version reads {LAYOUT}; use a new folder"
            )

    @classmethod
    def there(cls, root: Path) -> Store:
        """Open an existing store for reading; anything else is refused."""
        if not (root / MARK).is_file():
            _refuse_lost_mark(root)
            raise StoreError(f"--store {root}: expected a folder that `sightline study` wrote")
        return cls(root)

    def run_folder(self, key: str) -> Path:
        """The folder of a run, whether it exists or not."""
        return Path(self._run_place(key))

    def _run_place(self, key: str) -> str:
        """Return the same path as text: for thousands of runs, `Path` takes as long as looking them
        up.
        """
        return os.path.join(self._runs, key[:2], key)  # noqa: PTH118

    def training_folder(self, key: str) -> Path:
        """The folder of a training, whether it exists or not."""
        return self.root / TRAININGS / key[:2] / key

    def partway_folder(self, key: str) -> Path:
        """The folder for the checkpoint of an unfinished training."""
        return self.root / PARTWAY / key

    def state(self, key: str) -> State:
        """Tell whether a run is done, failed, or missing; torn and changed runs count
        as missing.
        """
        summary = self.summary(key)
        return "missing" if summary is None else summary.state

    def summary(self, key: str) -> Summary | None:
        """Read the summary of a run that is done or failed, checking every byte of the run."""
        folder = self.run_folder(key)
        content = read_whole(folder, SUMMARY)
        return None if content is None else _read(Summary, content, folder / SUMMARY)

    def find(self, keys: Iterable[str]) -> dict[str, Summary]:
        """Read the summaries of runs that are done or failed; runs that the index knows unchanged
        are not read.
        """
        return self._look(tuple(keys), whole=True)

    def summaries(self) -> tuple[Summary, ...]:
        """Read every summary, in the order of the keys; the rest of a run is checked when it is
        used.
        """
        return self.listed()[0]

    def listed(self, *, whole: bool = False) -> tuple[tuple[Summary, ...], tuple[str, ...]]:
        """Read every summary, and name the runs of which it is torn or changed, which a list lacks;
        with ``whole``, those of which any file is, too.
        """
        keys = self.keys()
        found = self._look(keys, whole=whole)
        return tuple(found.values()), tuple(key for key in keys if key not in found)

    def keys(self) -> tuple[str, ...]:
        """The keys of all runs that have a folder, whole or not."""
        return tuple(sorted(folder.name for folder in (self.root / RUNS).glob("??/[!.]*")))

    def check(self) -> tuple[str, ...]:
        """Read every byte of every run, whatever the index says, and name the torn and changed
        runs.

        They are missing from now on, so a study that has them makes them again.
        """
        Index(self.root / INDEX).clear()
        keys = self.keys()
        return tuple(sorted(set(keys) - set(self._look(keys, whole=True, indexed=False))))

    def _look(
        self, keys: tuple[str, ...], *, whole: bool, indexed: bool = True
    ) -> dict[str, Summary]:
        """Read runs, and keep in the index what was read; unless ``indexed``, the index is not
        asked.
        """
        index = Index(self.root / INDEX)
        known = index.recall(keys) if indexed else {}
        read, found = dict[str, IndexEntry | None](), dict[str, Summary]()
        for key in keys:
            row = known.get(key)
            now = stamp(
                self._run_place(key)
            )  # taken before reading: a change meanwhile is read the next time
            if row is not None and row.stamp == now and row.whole >= whole:
                with suppress(*_UNFIT):
                    found[key] = _trusted(row.summary)
                    continue
            folder = self.run_folder(key)
            content = read_whole(folder, SUMMARY, alone=not whole)
            if content is not None:
                found[key] = summary = _read(Summary, content, folder / SUMMARY)
                read[key] = None if now is None else _row(now, summary, whole=whole)
            elif row is not None:
                read[key] = None
        index.keep(read)
        return found

    def bytes_a_run(self) -> float:
        """Return the mean bytes of a run, with its share of the trainings; 0 for an empty store."""
        runs = sum(1 for _ in (self.root / RUNS).glob("??/*"))
        used = 0
        for folder, rooms, files in os.walk(self.root):
            rooms[:] = [name for name in rooms if name != PARTWAY]
            for name in files:
                with suppress(OSError):  # another process writes and removes files meanwhile
                    used += Path(folder, name).stat().st_size
        return used / runs if runs else 0.0

    def audit(self, key: str) -> Audit:
        """Read the audit of a run, checking every byte: the index does not cover it."""
        from sightline.audits.audit_result import Audit  # noqa: PLC0415  (jinja2, which lists and tables do not need)

        folder = self.run_folder(key)
        if not is_whole(folder):
            raise StoreError(
                f"{folder}: torn or changed; `sightline results --check` finds all such runs"
            )
        return Audit(**vars(read_results(folder)))

    def write_run(self, spec: RunSpec, audit: Results, seconds: float) -> None:
        """Write a finished run with its checksums, and its row of the index."""
        from sightline.experiments.missing_values import why_all_absent  # noqa: PLC0415  (scipy, which lists do not need)

        findings = {
            finding.code: Conclusion(finding.result, finding.score) for finding in audit.findings
        }
        verdict, metrics = audit.verdict, dict(audit.metrics)
        rows = {name: one.row for name, one in verdict.by_class.items()}
        key, said = run_key(spec), (verdict.level, findings, metrics)
        summary = Summary(
            key, *_about(spec), "done", seconds, "", *said, verdict.row, rows, why_all_absent(audit),
            setting_of(spec),
        )  # fmt: skip

        def write(aside: Path) -> None:
            write_results(audit, aside)
            _write_json(aside / SUMMARY, asdict(summary))

        write_sealed(self.run_folder(key), write)
        self._remember(summary)

    def write_failure(self, spec: RunSpec, error: str, seconds: float) -> None:
        """Keep the failure of a run; it is made again on request."""
        summary = Summary(
            run_key(spec), *_about(spec), "failed", seconds, error, setting=setting_of(spec)
        )

        def write(aside: Path) -> None:
            aside.mkdir()
            _write_json(aside / "spec.json", spec.to_json())
            _write_json(aside / SUMMARY, asdict(summary))

        write_sealed(self.run_folder(summary.key), write)
        self._remember(summary)

    def _remember(self, summary: Summary) -> None:
        """Add a new run to the index, so that nothing has to read it."""
        now = stamp(self.run_folder(summary.key), settled=False)
        Index(self.root / INDEX).keep(
            {summary.key: None if now is None else _row(now, summary, whole=True)}
        )

    def sweep(self) -> None:
        """Remove what killed processes left half-written, and leave what a living one writes: it
        holds the claim.

        A process may be killed after its run or training is in place and before it has tidied up,
        so finished ones are swept, too. A store that cannot be written keeps what it has.
        """
        sweep_aside(self.root / MARK)
        trainings: _Claim = partial(self.claim_training, wait=False)
        rooms: dict[str, _Claim] = {
            f"{RUNS}/??": self.claim_run,
            f"{TRAININGS}/??": trainings,
            PARTWAY: trainings,
        }
        for room, claimed in rooms.items():
            for left in sorted(self.root.glob(f"{room}/.*.*")):
                _, key, _ = left.name.split(".", 2)
                with suppress(StoreError), claimed(key) as mine:
                    if mine:
                        put_back(left.with_name(key))  # a folder that was being replaced
                        sweep_aside(left.with_name(key))

    def claim_run(self, key: str) -> AbstractContextManager[bool]:
        """Claim a run without waiting: another holder will finish it."""
        return claim(self.root / CLAIMS / f"run-{key}", wait=False)

    def claim_training(self, key: str, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Claim a training, waiting for its holder, who is making it."""
        return claim(self.root / CLAIMS / f"training-{key}", wait=wait)


def should_run(state: State, *, again: bool) -> bool:
    """Tell whether to make a run: it was never made, or it failed and ``again`` asks to
    repeat it.
    """
    return state == "missing" or (state == "failed" and again)


@contextmanager
def refused_by_the_disk(store: Store) -> Iterator[None]:
    """Turn errors of the disk into a `StoreError`, because every other run would meet them too."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{store.root}: {error.strerror or error}; free some space and run again"
        ) from error


def _about(spec: RunSpec) -> tuple[str, str, int]:
    """Describe a run in spec texts."""
    return str(spec.data), str(spec.model), spec.seed


def _refuse_lost_mark(root: Path) -> None:
    """Name the file that a store lacks if it has sealed runs or trainings, which may be whole."""
    if any(any(root.glob(f"{name}/??/*/{MANIFEST}")) for name in (RUNS, TRAININGS)):
        raise StoreError(f"{root / MARK}: missing in a store; it holds only {_WRITE_MARK}")


def _layout_of(mark: Path) -> int:
    """Read the layout of a store; the runs of one whose file is damaged may be whole."""
    try:
        return int(read_as(_Mark, json.loads(mark.read_bytes()), "mark").layout)
    except (ValueError, SpecError) as error:
        raise StoreError(f"{mark}: damaged ({error}); it holds only {_WRITE_MARK}") from error


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(plain(value), allow_nan=False), encoding="utf-8")


def _read(kind: Any, content: bytes, file: Path) -> Any:
    """Read a file of the store; an error names the file and the field."""
    try:
        return read_as(kind, json.loads(content), kind.__name__.strip("_").lower(), nan=True)
    except (ValueError, SpecError) as error:
        raise StoreError(f"{file}: {error}; use a new folder") from error


def _row(now: str, summary: Summary, *, whole: bool) -> IndexEntry:
    return IndexEntry(now, int(whole), json.dumps(asdict(summary)))


_UNFIT = (ValueError, TypeError, KeyError, AttributeError)
"""What a row of the index raises that is cut, or of another version: the run is read instead."""


def _trusted(content: str) -> Summary:
    """Read a summary from the index without checking its fields again, which would take most of the
    time.
    """
    item = json.loads(content)
    for name, answer in (item["findings"] or {}).items():
        score = answer["score"]
        item["findings"][name] = Conclusion(answer["result"], score and Estimate(**score))
    item["metrics"] = item["metrics"] and {
        name: Estimate(**each) for name, each in item["metrics"].items()
    }
    return Summary(**item)
