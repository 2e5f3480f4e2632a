"""The store: a folder a run, named by the run's key; files are the truth, there is no index to go stale.

    STORE/store.json                          the version of this layout
    STORE/runs/ab/abcdef…/                    a saved audit, with spec.json and summary.json
    STORE/runs/ab/abcdef…/failed.json         instead, where the run failed
    STORE/trainings/cd/cdef01…/               a saved model; companions are trainings like any other, and shared
    STORE/claims/                             who works on what (`sightline.experiments.claims`)

Every folder is sealed (`sightline.experiments.seal`); one that is torn or changed counts as missing and is done again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from sightline.archive import load_audit, plain, write_audit, write_whole
from sightline.errors import StoreError
from sightline.experiments.claims import claim
from sightline.experiments.run import Display, Fitted, run
from sightline.experiments.seal import is_whole, sweep_aside, write_sealed
from sightline.models.checkpoint import load_classifier, write_classifier
from sightline.results import Audit, Estimate
from sightline.spec import RunSpec, run_key, training_key

LAYOUT = 1
State = Literal["done", "failed", "missing"]


@dataclass(frozen=True)
class Summary:
    """A run as a list shows it: what it is, how it ended, and its main numbers."""

    key: str
    spec: dict[str, Any]
    state: State
    seconds: float
    error: str = ""
    verdict: str = ""
    findings: dict[str, dict[str, Any]] | None = None
    metrics: dict[str, dict[str, Any]] | None = None

    def estimate(self, name: str) -> Estimate | None:
        """Give the effect of a finding by its code, or a metric by its name."""
        found = (self.findings or {}).get(name, {}).get("effect") or (self.metrics or {}).get(name)
        return None if found is None else Estimate(**found)


class Store:
    """Runs and trainings under one folder, for any number of processes at once."""

    def __init__(self, root: str | Path, *, make: bool = True) -> None:
        self.root = Path(root)
        mark = self.root / "store.json"
        if not mark.exists() and not make and not self.root.exists():
            return  # only looked at, and there is nothing to see
        if not mark.exists():
            if self.root.exists() and any(path.name[0] != "." for path in self.root.iterdir()):
                raise StoreError(f"{self.root}: exists and is not a store; name a new folder")
            write_whole(mark, lambda aside: _write_json(aside, {"layout": LAYOUT}))
        if (layout := _read_json(mark).get("layout")) != LAYOUT:
            raise StoreError(f"{self.root}: layout {layout}, this version reads {LAYOUT}; use a new folder")

    def run_folder(self, key: str) -> Path:
        """Say where a run lies, or would."""
        return self.root / "runs" / key[:2] / key

    def training_folder(self, key: str) -> Path:
        """Say where a training lies, or would."""
        return self.root / "trainings" / key[:2] / key

    def state(self, key: str) -> State:
        """Tell whether a run is done, failed, or missing; torn and changed ones count as missing."""
        folder = self.run_folder(key)
        if not is_whole(folder):
            return "missing"
        return "failed" if (folder / "failed.json").exists() else "done"

    def summary(self, key: str) -> Summary:
        """Read the summary of a run that is done or failed."""
        try:
            return Summary(**_read_json(self.run_folder(key) / "summary.json"))
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(
                f"{self.run_folder(key)}: the summary cannot be read ({error}); run the study again"
            ) from error

    def find(self, keys: Iterable[str]) -> dict[str, Summary]:
        """Read the summaries of those runs that are done or failed."""
        return {key: self.summary(key) for key in keys if is_whole(self.run_folder(key))}

    def summaries(self) -> Iterator[Summary]:
        """Read the summary of every whole run, in the order of their keys."""
        for folder in sorted((self.root / "runs").glob("??/*")):
            if folder.name[0] != "." and is_whole(folder):
                yield self.summary(folder.name)

    def bytes_a_run(self) -> float:
        """Say how much room a run has taken so far, with its share of the trainings; 0 in an empty store."""
        runs = sum(1 for _ in (self.root / "runs").glob("??/*"))
        used = sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file())
        return used / runs if runs else 0.0

    def audit(self, key: str) -> Audit:
        """Read the whole audit of a run."""
        return load_audit(self.run_folder(key))

    def write_run(self, spec: RunSpec, audit: Audit, seconds: float) -> None:
        """Keep a run that is done."""
        findings = {f.code: {"verdict": f.verdict, "effect": f.effect and asdict(f.effect)} for f in audit.findings}
        metrics = {name: asdict(value) for name, value in audit.metrics.items()}
        key = run_key(spec)
        summary = Summary(key, spec.to_json(), "done", seconds, "", audit.verdict.text, findings, metrics)

        def write(aside: Path) -> None:
            write_audit(audit, aside)
            _write_json(aside / "spec.json", spec.to_json())
            _write_json(aside / "summary.json", asdict(summary))

        write_sealed(self.run_folder(key), write)

    def write_failure(self, spec: RunSpec, error: str, seconds: float) -> None:
        """Keep the failure of a run, by name; it is done again when that is asked for."""
        summary = Summary(run_key(spec), spec.to_json(), "failed", seconds, error)

        def write(aside: Path) -> None:
            aside.mkdir()
            _write_json(aside / "spec.json", spec.to_json())
            _write_json(aside / "failed.json", {"error": error})
            _write_json(aside / "summary.json", asdict(summary))

        write_sealed(self.run_folder(summary.key), write)

    def claim_run(self, key: str) -> AbstractContextManager[bool]:
        """Claim a run without waiting: somebody who holds it will finish it."""
        return claim(self.root / "claims" / f"run-{key}", wait=False)

    def training(self, spec: RunSpec, make: Callable[[], Fitted]) -> Fitted:
        """Give the training of a spec: read it, or make and keep it; who comes second waits for who came first."""
        key = training_key(spec)
        folder = self.training_folder(key)
        with claim(self.root / "claims" / f"training-{key}", wait=True):
            if is_whole(folder):
                return load_classifier(folder)
            sweep_aside(folder)
            model, record = make()
            write_sealed(folder, lambda aside: write_classifier(model, aside, spec.seed, record))
            return model, record


def run_stored(spec: RunSpec, store: Store, *, again: bool = False, display: Display | None = None) -> State:
    """Do one run of a store, unless it is done or another process is at it; a failure is kept, not raised.

    A failure is left as it is unless ``again``. Only what the disk refuses is raised: it would refuse every other run.
    """
    key = run_key(spec)
    with store.claim_run(key) as mine:
        state = store.state(key)
        if not mine or state == "done" or (state == "failed" and not again):
            return state
        sweep_aside(store.run_folder(key))
        began = time.perf_counter()
        try:
            _, audit = run(spec, display or Display(), keep=store.training)
            store.write_run(spec, audit, time.perf_counter() - began)
        except OSError as error:
            raise StoreError(f"{store.root}: {error.strerror or error}; free some space and run again") from error
        except Exception as error:  # whatever it is, the other runs go on, and this one is kept with its name
            store.write_failure(spec, f"{type(error).__name__}: {error}", time.perf_counter() - began)
            return "failed"
        return "done"


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(plain(value), allow_nan=False), encoding="utf-8")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read ({error})") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: expected an object, got {type(value).__name__}")
    return value
