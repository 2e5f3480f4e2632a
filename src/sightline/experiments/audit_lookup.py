"""Find saved audits by name: a folder, or a run of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from sightline.audits.audit_storage import load_results
from sightline.core.errors import SpecError, StoreError
from sightline.core.results import Results
from sightline.experiments.multi_seed import members
from sightline.experiments.store import MARK, SUMMARY, Store


@dataclass(frozen=True)
class NamedAudit:
    """An audit's name and its folder."""

    name: str
    folder: Path

    def __str__(self) -> str:
        return self.name

    def read(self) -> Results:
        """Read the audit and check every byte."""
        return load_results(self.folder)


def named_audits(names: Sequence[str], store: Path | None = None) -> list[NamedAudit]:
    """Find audits by name: folders, runs as ``STORE:KEY``, or keys if a store is given.

    A folder with the audits of several seeds stands for all of them.
    """
    return [
        one
        for name in names
        for one in ([_of_store(store, name)] if store is not None else _named(name))
    ]


def refuse_repeats(named: Sequence[NamedAudit]) -> None:
    """Refuse an audit that is named twice."""
    seen: dict[Path, NamedAudit] = {}
    for one in named:
        if (other := seen.setdefault(one.folder.resolve(), one)) is not one:
            raise SpecError(f"{one}: is the same audit as {other}; name another")


def audits_of(name: str) -> list[NamedAudit]:
    """Find every audit that a name stands for: a folder, a run as ``STORE:KEY``, or all runs of a
    store.
    """
    if not (Path(name) / MARK).is_file():
        return [*_named(name)]
    kept = Store(name)
    done = [one.key for one in kept.summaries() if one.state == "done"]
    return [NamedAudit(f"{name}:{key}", kept.run_folder(key)) for key in done]


def torn_runs_of(name: str) -> tuple[str, ...]:
    """Name the runs of a store that are torn or changed, which `audits_of` leaves out; none if the
    name stands for something else.
    """
    return Store(name).listed()[1] if (Path(name) / MARK).is_file() else ()


def place_of(name: Path) -> Path:
    """Find the folder of one audit, named as a folder or as ``STORE:KEY``."""
    run = _run_named(str(name))
    return name if run is None else run.folder


def read_place(folder: Path) -> Results:
    """Read an audit. A run of a store gets the date of its files: equal runs are equal bytes, so
    the audit itself holds no date.
    """
    found = load_results(folder)
    summary = folder / SUMMARY
    if "date" in found.spec or not summary.is_file():
        return found
    kept = datetime.fromtimestamp(summary.stat().st_mtime, UTC).date().isoformat()
    return replace(found, spec={**found.spec, "kept": kept})


def _named(name: str) -> Iterator[NamedAudit]:
    run = _run_named(name)
    if run is not None:
        yield run
    else:
        yield from (NamedAudit(str(place), place) for place in members(Path(name)))


def _run_named(name: str) -> NamedAudit | None:
    """Find the run that ``STORE:KEY`` names; None if the name means something else. A store itself
    is refused: it has many runs.
    """
    if (Path(name) / MARK).is_file():
        raise StoreError(
            f"{name}: expected one audit, got a store of runs; name one of them as {name}:KEY "
            f"(`sightline results --store {name}` lists them)"
        )
    folder, _, key = name.rpartition(":")
    if Path(name).exists() or not folder or not (Path(folder) / MARK).is_file():
        return None
    return _of_store(Path(folder), key)


def _of_store(folder: Path, key: str) -> NamedAudit:
    """Find the run of a store by the beginning of its key."""
    kept = Store.there(folder)
    keys = kept.keys()
    found = [one for one in keys if key and one.startswith(key)]
    if len(found) != 1:
        count = f"{len(found)} runs" if found else "no run"
        message = f"{folder}: {count} with a key that begins with {key!r}; expected one"
        raise StoreError(f"{message} (`sightline results --store {folder}` lists them)")
    if (summary := kept.summary(found[0])) is None:
        raise StoreError(
            f"{kept.run_folder(found[0])}: torn or changed; `sightline results --check` finds "
            "all such runs"
        )
    if summary.state != "done":
        raise StoreError(
            f"{folder}: the run {found[0]} has no audit, because it failed: {summary.error}"
        )
    return NamedAudit(f"{folder}:{found[0]}", kept.run_folder(found[0]))
