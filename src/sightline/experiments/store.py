"""The store: a folder a run, named by the run's key; files are the truth, there is no index to go stale.

    STORE/store.json                          the version of this layout
    STORE/runs/ab/abcdef…/                    a saved audit, which has its spec, and summary.json
                                              if it failed: spec.json and summary.json
    STORE/trainings/cd/cdef01…/               a saved model; companions are trainings like any other, and shared
    STORE/claims/                             who works on what (`sightline.experiments.locks`)

Every folder is sealed (`sightline.experiments.seal`); one that is torn or changed counts as missing and is done again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from sightline.audits import Audit
from sightline.collector import collector_paused
from sightline.errors import StoreError
from sightline.experiments.locks import claim
from sightline.experiments.seal import read_whole, write_sealed
from sightline.files import plain, write_whole
from sightline.results import Estimate
from sightline.saving import write_results
from sightline.spec.keys import run_key
from sightline.spec.values import RunSpec

LAYOUT = 2
State = Literal["done", "failed", "missing"]


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
        return Path(self._run_place(key))

    def training_folder(self, key: str) -> Path:
        """Say where a training lies, or would."""
        return self.root / "trainings" / key[:2] / key

    def state(self, key: str) -> State:
        """Tell whether a run is done, failed, or missing; torn and changed ones count as missing."""
        summary = self.summary(key)
        return "missing" if summary is None else summary.state

    def summary(self, key: str, *, alone: bool = False) -> Summary | None:
        """Read the summary of a run that is done or failed, checking every byte of the run, or its own ``alone``."""
        folder = self._run_place(key)
        content = read_whole(folder, "summary.json", alone=alone)
        if content is None:
            return None
        try:
            return Summary(**json.loads(content))
        except (ValueError, TypeError) as error:
            raise StoreError(f"{folder}: the summary cannot be read ({error}); use a new folder") from error

    @collector_paused()
    def find(self, keys: Iterable[str]) -> dict[str, Summary]:
        """Read the summaries of those runs that are done or failed."""
        found = ((key, self.summary(key)) for key in keys)
        return {key: summary for key, summary in found if summary is not None}

    def summaries(self) -> Iterator[Summary]:
        """Read every summary, in the order of the keys; whether the rest of a run is whole is asked when it is used."""
        for folder in sorted((self.root / "runs").glob("??/[!.]*")):
            if (summary := self.summary(folder.name, alone=True)) is not None:
                yield summary

    def bytes_a_run(self) -> float:
        """Say how much room a run has taken so far, with its share of the trainings; 0 in an empty store."""
        runs = sum(1 for _ in (self.root / "runs").glob("??/*"))
        used = sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file())
        return used / runs if runs else 0.0

    def audit(self, key: str) -> Audit:
        """Read the whole audit of a run."""
        return Audit.load(self.run_folder(key))

    def write_run(self, spec: RunSpec, audit: Audit, seconds: float) -> None:
        """Keep a run that is done."""
        findings = {f.code: {"verdict": f.verdict, "effect": f.effect and asdict(f.effect)} for f in audit.findings}
        metrics = {name: asdict(value) for name, value in audit.metrics.items()}
        key = run_key(spec)
        summary = Summary(key, *_about(spec), "done", seconds, "", audit.verdict.text, findings, metrics)

        def write(aside: Path) -> None:
            write_results(audit, aside)
            _write_json(aside / "summary.json", asdict(summary))

        write_sealed(self.run_folder(key), write)

    def write_failure(self, spec: RunSpec, error: str, seconds: float) -> None:
        """Keep the failure of a run, by name; it is done again when that is asked for."""
        summary = Summary(run_key(spec), *_about(spec), "failed", seconds, error)

        def write(aside: Path) -> None:
            aside.mkdir()
            _write_json(aside / "spec.json", spec.to_json())
            _write_json(aside / "summary.json", asdict(summary))

        write_sealed(self.run_folder(summary.key), write)

    def _run_place(self, key: str) -> str:
        return f"{self.root}/runs/{key[:2]}/{key}"  # plain text, as `read_whole` wants it

    def claim_run(self, key: str) -> AbstractContextManager[bool]:
        """Claim a run without waiting: somebody who holds it will finish it."""
        return claim(self.root / "claims" / f"run-{key}", wait=False)

    def claim_training(self, key: str) -> AbstractContextManager[bool]:
        """Claim a training, waiting for who holds it: it is needed, and they will have made it."""
        return claim(self.root / "claims" / f"training-{key}", wait=True)


def _about(spec: RunSpec) -> tuple[str, str, int]:
    """Say in spec texts what a run is."""
    return str(spec.data), str(spec.model), spec.seed


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
