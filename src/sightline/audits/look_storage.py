"""What the looks of an audit have measured, kept beside its output: an audit that was stopped goes
on from there.

One file, written whole after each stage and read without executing anything. It is of one model,
one plan and one version: what was kept of another is not used.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sightline._io.atomic_write import write_bytes
from sightline.audits.audit_storage import PARTS, Form, form_of, parts_of
from sightline.audits.measure_pass import TextPass
from sightline.core.protocols import Arrays
from sightline.core.results import Bracket, Failed, Ragged, Values

FILE = "looks.npz"
_SUMMARY, _FINITE = "summary", "finite"
_HAD = ("rows", "looked")
"""What is kept of a measure: its rows, and what it has looked at before it learned."""


@dataclass(frozen=True)
class Position:
    """After which stage of which look an audit was kept, and the seconds it had taken."""

    look: int = -1
    stage: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class KeptLooks:
    """Keeps what a pass has measured in a folder; without a folder, nothing."""

    folder: Path | None
    key: str

    @staticmethod
    def of(folder: Path | None, *parts: Any) -> KeptLooks:
        """Name what is kept by all that its numbers depend on."""
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part if isinstance(part, bytes) else repr(part).encode())
            digest.update(b"\0")
        return KeptLooks(folder, digest.hexdigest())

    def save(self, position: Position, texts: TextPass) -> None:
        """Keep what every measure has."""
        if self.folder is None:
            return
        arrays, measures = {_FINITE: texts.finite}, dict[str, Any]()
        for name, one in texts.measures.items():
            had = {what: getattr(one, what) for what in _HAD if getattr(one, what) is not None}
            forms = {
                what: {quantity: asdict(form_of(value)) for quantity, value in each.items()}
                for what, each in had.items()
            }
            outcome = one.guarded.outcome
            error = outcome.error if isinstance(outcome, Failed) else None
            measures[name] = {"texts": one.texts, "error": error, **forms}
            for what, each in had.items():
                arrays |= _arrays(f"{name}/{what}", each)
        summary = {"key": self.key, "position": asdict(position), "measures": measures}
        arrays[_SUMMARY] = np.frombuffer(json.dumps(summary).encode(), dtype=np.uint8)
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        write_bytes(self.folder / FILE, content.getvalue())

    def restore(self, texts: TextPass) -> Position:
        """Give every measure what was kept of it; where nothing fits, the audit begins anew."""
        with suppress(OSError, ValueError, KeyError, TypeError, BadZipFile, EOFError):
            arrays, summary = self._read()
            if summary["key"] == self.key and summary["measures"].keys() == texts.measures.keys():
                _put_back(texts, arrays, summary["measures"])
                return Position(**summary["position"])
        return Position()

    def _read(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        if self.folder is None:
            raise FileNotFoundError
        with (
            (self.folder / FILE).open("rb") as opened,
            np.load(opened, allow_pickle=False) as stored,
        ):
            arrays = {name: np.asarray(stored[name]) for name in stored.files}
        return arrays, json.loads(arrays.pop(_SUMMARY).tobytes())


def _put_back(
    texts: TextPass, arrays: Mapping[str, np.ndarray], measures: Mapping[str, Any]
) -> None:
    texts.finite[:] = arrays[_FINITE]
    for name, kept in measures.items():
        one = texts.measures[name]
        one.texts = kept["texts"]
        if kept["error"] is not None:
            one.guarded.outcome = Failed(name, kept["error"])
        for what in _HAD:
            if what in kept:
                setattr(one, what, _values(arrays, f"{name}/{what}", kept[what]))


def _arrays(where: str, values: Arrays) -> dict[str, np.ndarray]:
    return {
        f"{where}/{quantity}{part}": array
        for quantity, value in values.items()
        for part, array in zip(PARTS[form_of(value).kind], parts_of(value), strict=True)
    }


def _values(arrays: Mapping[str, np.ndarray], where: str, forms: Mapping[str, Any]) -> Arrays:
    return {quantity: _value(arrays, f"{where}/{quantity}", forms[quantity]) for quantity in forms}


def _value(arrays: Mapping[str, np.ndarray], name: str, form: Mapping[str, Any]) -> Values:
    kind = Form(form["kind"], tuple(form["shape"])).kind
    one, *rest = (arrays[name + part] for part in PARTS[kind])
    if kind == "ragged":
        return Ragged(one, rest[0])
    return Bracket(one, rest[0]) if kind == "bracket" else one
