"""Saves the measurements of an audit that stops early next to its output, so that it can resume.

One file for the looks, written whole after each stage, and two for what follows the verdict,
written after each measure. They are read without executing anything. Each belongs to one model, one
plan and one version. Files of another audit are put aside under its name, where it finds them.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sightline._io.atomic_write import write_bytes
from sightline._io.checksums import sweep_aside
from sightline.audits.audit_storage import Form, arrays_of, form_of, read_arrays, value_of
from sightline.audits.look_hashes import HashTable
from sightline.audits.measure_pass import TextPass
from sightline.core.errors import ChangedModelError, SpecError
from sightline.core.protocols import Arrays, Measure
from sightline.core.results import Failed, Values

FILE, COMPARED, COMPLETED = FILES = ("looks.npz", "compared.npz", "completed.npz")
"""What is saved: the looks; the comparison of other maps on some texts; and every measure of the
last look while the audit is completed."""
_UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, BadZipFile, zlib.error, EOFError, SpecError,
)  # fmt: skip
"""What reading a file that is absent, damaged or foreign may raise."""
_SUMMARY, _FINITE = "summary", "finite"
_NUMBERED = "numbered"
"""The quantities whose hashes are saved as numbers, by what a measure has."""
_HAD = ("rows", "looked")
"""What is saved of a measure: its rows, and the rows that it learns from. What it has learned can
be anything, so it learns again from the same rows."""


def aside_name(key: str, file: str) -> str:
    """Name a file that is put aside by the key of its audit.

    >>> aside_name("0f" * 32, "looks.npz")
    'of-0f0f0f0f0f0f0f0f-looks.npz'
    """
    return f"of-{key[:16]}-{file}"


def _move(file: Path, to: Path) -> None:
    with suppress(FileNotFoundError):
        file.replace(to)


def remove_kept(folder: Path) -> None:
    """Remove what is saved of the current audit, what a killed process left half-written of it, and
    the folder unless it holds other files.
    """
    for file in (folder / name for name in FILES):
        with suppress(OSError):
            file.unlink()
        sweep_aside(file)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def unless_changed(folder: Path | None) -> Iterator[None]:
    """Remove what is saved of a model that changed: an audit that resumed would trust it."""
    try:
        yield
    except ChangedModelError:
        if folder is not None:
            remove_kept(folder)
        raise


@dataclass(frozen=True)
class Position:
    """The look and the stage after which an audit was saved, the seconds it had taken, whether
    other maps had been compared, and what its looks had settled.
    """

    look: int = -1
    stage: int = 0
    seconds: float = 0.0
    rivals_too: bool = False
    looks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class KeptLooks:
    """Saves the measurements of a pass in a folder; without a folder, saves nothing."""

    folder: Path | None
    key: str
    file: str = FILE

    @staticmethod
    def of(folder: Path | None, *parts: Any) -> KeptLooks:
        """Name the file by everything that its numbers depend on."""
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part if isinstance(part, bytes) else repr(part).encode())
            digest.update(b"\0")
        return KeptLooks(folder, digest.hexdigest())

    def make_current(self) -> None:
        """Put aside what another audit has saved in this folder, and take back what this one has."""
        if self.folder is None or (found := self._key_found()) == self.key:
            return
        with suppress(OSError):
            if found is not None:
                for file in FILES:
                    _move(self.folder / file, self.folder / aside_name(found, file))
            for file in FILES:
                _move(self.folder / aside_name(self.key, file), self.folder / file)

    def _key_found(self) -> str | None:
        """Return the key of the audit whose looks are in the folder; None if none can be read."""
        with suppress(*_UNREADABLE):
            _, summary = self._read()
            return str(summary["key"])
        return None

    def other(self, file: str, *parts: Any) -> KeptLooks:
        """Name another file of the same audit, and what its numbers depend on in addition."""
        return replace(KeptLooks.of(self.folder, self.key, *parts), file=file)

    def save(self, position: Position, texts: TextPass) -> None:
        """Save the rows of every measure after a stage."""
        if self.folder is None:
            return
        arrays, measures = {_FINITE: texts.finite}, dict[str, Any]()
        for name, one in texts.measures.items():
            had = {what: dict(each) for what in _HAD if (each := getattr(one, what)) is not None}
            numbered = {what: _number_hashes(each, texts.hashes) for what, each in had.items()}
            forms = {
                what: {quantity: asdict(form_of(value)) for quantity, value in each.items()}
                for what, each in had.items()
            }
            outcome = one.guarded.outcome
            error = outcome.error if isinstance(outcome, Failed) else None
            measures[name] = {"texts": one.texts, "error": error, _NUMBERED: numbered, **forms}
            for what, each in had.items():
                arrays |= arrays_of(f"{name}/{what}", each)
        summary = {"key": self.key, "position": asdict(position), "measures": measures}
        arrays[_SUMMARY] = np.frombuffer(json.dumps(summary).encode(), dtype=np.uint8)
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        # Another command with the same output may have written it and removed the folder meanwhile.
        with suppress(FileNotFoundError):
            write_bytes(self.folder / self.file, content.getvalue())

    def restore(self, texts: TextPass, with_rivals: Mapping[str, Measure]) -> Position:
        """Restore every measure; if no file fits, the audit begins again.

        ``with_rivals`` are the measures that replace others once other maps are compared.
        """
        with suppress(*_UNREADABLE):
            arrays, summary = self._read()
            if summary["key"] == self.key and summary["measures"].keys() == texts.measures.keys():
                position = Position(**summary["position"])
                held = _read_back(arrays, summary["measures"], texts.hashes)
                if position.rivals_too:
                    texts.exchange(with_rivals)
                _put_back(texts, held, summary["measures"])
                return position
        return Position()

    def _read(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        if self.folder is None:
            raise FileNotFoundError
        arrays = read_arrays(self.folder / self.file)
        return arrays, json.loads(arrays.pop(_SUMMARY).tobytes())


StoredLook = tuple[np.ndarray, dict[str, dict[str, Arrays]]]
"""The texts with finite outputs, and what each measure had."""


def _number_hashes(values: dict[str, Values], hashes: HashTable) -> list[str]:
    """Replace hashes of groups and words, which can be reversed; name the quantities replaced."""
    found = {name: hashes.numbered(name, value) for name, value in values.items()}
    numbered = {name: value for name, value in found.items() if value is not None}
    values.update(numbered)
    return [*numbered]


def _read_back(
    arrays: dict[str, np.ndarray], measures: Mapping[str, Any], hashes: HashTable
) -> StoredLook:
    """Read everything before restoring anything, so that a damaged file changes nothing."""
    finite = arrays.pop(_FINITE)
    held: dict[str, dict[str, Arrays]] = {}
    for name, kept in measures.items():
        numbered = kept[_NUMBERED]
        held[name] = {
            what: {
                quantity: hashes.restored(quantity, value) if quantity in numbered[what] else value
                for quantity, value in _held(arrays, f"{name}/{what}", kept[what]).items()
            }
            for what in _HAD
            if what in kept
        }
    return finite, held


def _put_back(texts: TextPass, held: StoredLook, measures: Mapping[str, Any]) -> None:
    texts.finite[:] = held[0]
    for name, kept in measures.items():
        one = texts.measures[name]
        one.texts = kept["texts"]
        if kept["error"] is not None:
            one.guarded.outcome = Failed(name, kept["error"])
        for what, values in held[1][name].items():
            setattr(one, what, values)
        texts.learn(one)


def _held(arrays: dict[str, np.ndarray], where: str, forms: Mapping[str, Any]) -> Arrays:
    return {
        quantity: value_of(arrays, f"{where}/{quantity}", Form(form["kind"], tuple(form["shape"])))
        for quantity, form in forms.items()
    }
