"""An audit on disk: a summary in JSON, the raw arrays in one npz, the texts in JSON lines.

Written aside and renamed, so a folder holds a whole audit or none; read without executing anything.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sightline.errors import SpecError, StoreError
from sightline.files import plain, write_whole
from sightline.results import SCHEMA, Failed, Measurement, NotApplicable, Outcome, Ragged, Results, TextRecord
from sightline.spec.typed import parse_json, read_as

Shapes = Mapping[str, tuple[int, ...] | None]
"""The quantities of a measurement and the shape of each; None where it is ragged."""


def save_results(found: Results, folder: str | Path) -> Path:
    """Write an audit to a folder; an audit already there is replaced, anything else is refused."""
    final = Path(folder)
    if final.exists() and not (final / "audit.json").exists():
        raise StoreError(f"{final}: exists and is not a saved audit; name a new folder")
    return write_whole(final, lambda aside: write_results(found, aside))


def write_results(found: Results, folder: Path) -> None:
    """Write an audit into a folder that does not exist yet."""
    folder.mkdir()
    taken = {name: m for name, m in found.measurements.items() if isinstance(m, Measurement)}
    summary = found.to_json() | {"measured": {name: _described(m) for name, m in taken.items()}}
    (folder / "audit.json").write_text(json.dumps(plain(summary), indent=1, allow_nan=False), encoding="utf-8")
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(text)) + "\n" for text in found.texts)
    with (folder / "arrays.npz").open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(taken))


def _described(measurement: Measurement) -> dict[str, Any]:
    """Give everything of a measurement but its numbers, of which the shape alone is told."""
    shapes = {quantity: _shape(value) for quantity, value in measurement.values.items()}
    return {**vars(measurement), "values": shapes}


def _shape(value: np.ndarray | Ragged) -> list[int] | None:
    return None if isinstance(value, Ragged) else list(value.shape)


def _arrays(taken: Mapping[str, Measurement]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for name, measurement in taken.items():
        for quantity, value in measurement.values.items():
            if isinstance(value, Ragged):
                arrays |= {f"{name}/{quantity}/flat": value.flat, f"{name}/{quantity}/lengths": value.lengths}
            else:
                arrays[f"{name}/{quantity}"] = value
    return arrays


def load_results(folder: str | Path) -> Results:
    """Read an audit that `save_results` wrote; what is not as it was written is named by its file and field."""
    path = Path(folder)
    with _naming(path / "audit.json") as file:
        summary = _read_summary(file)
        measured = read_as(Mapping[str, Mapping[str, Any]], summary.get("measured"), "measured")
        shapes = {name: _read_shapes(name, item) for name, item in measured.items()}
    with _naming(path / "texts.jsonl") as file:
        texts = _read_texts(file)
    with _naming(path / "arrays.npz") as file:
        values = _read_values(file, shapes, len(texts))
    with _naming(path / "audit.json"):
        outcomes = _skipped(summary) | {name: _taken(name, item, values[name]) for name, item in measured.items()}
        stored = {one.name: summary[one.name] for one in fields(Results) if one.name in summary}
        stored |= {"verdict": summary.get("verdict_detail"), "measurements": outcomes, "texts": texts}
        found: Results = read_as(Results, stored, "", nan=True)
        return found


@contextmanager
def _naming(file: Path) -> Iterator[Path]:
    """Say of which file it is what in it is not as it was written."""
    try:
        yield file
    except SpecError as error:
        raise StoreError(f"{file}: {error}") from error
    # What damage makes of reading a file, and zip of unpacking one.
    except (OSError, UnicodeDecodeError, EOFError, BadZipFile, zlib.error) as error:
        told = f"{type(error).__name__}: {error}"
        raise StoreError(f"{file}: expected what `sightline audit --save` wrote, got {told}") from error


def _read_summary(file: Path) -> dict[str, Any]:
    found = parse_json(file.read_text(encoding="utf-8"), "")
    summary: dict[str, Any] = read_as(dict[str, Any], found, "")
    if summary.get("schema") != SCHEMA:
        raise SpecError(f"schema {summary.get('schema')!r}, this version reads {SCHEMA}; run the audit again")
    return summary


def _read_shapes(name: str, item: Mapping[str, Any]) -> Shapes:
    shapes: Shapes = read_as(Mapping[str, tuple[int, ...] | None], item.get("values"), f"measured.{name}.values")
    return shapes


def _skipped(summary: Mapping[str, Any]) -> dict[str, Outcome]:
    reasons = read_as(Mapping[str, str], summary.get("not_applicable"), "not_applicable")
    errors = read_as(Mapping[str, str], summary.get("failed"), "failed")
    skipped: dict[str, Outcome] = {code: NotApplicable(code, why) for code, why in reasons.items()}
    return skipped | {code: Failed(code, why) for code, why in errors.items()}


def _taken(name: str, item: Mapping[str, Any], values: Mapping[str, np.ndarray | Ragged]) -> Measurement:
    taken: Measurement = read_as(Measurement, {**item, "values": values}, f"measured.{name}", nan=True)
    return taken


def _read_texts(file: Path) -> tuple[TextRecord, ...]:
    # By line ends alone: a text may hold what else Python takes for one.
    lines = file.read_text(encoding="utf-8").split("\n")
    return tuple(_read_text(line, f"{file}:{number}") for number, line in enumerate(lines, 1) if line)


def _read_text(line: str, where: str) -> TextRecord:
    try:
        record: TextRecord = read_as(TextRecord, parse_json(line, ""), "")
        _check_words(record)
    except SpecError as error:
        raise StoreError(f"{where}: {error}") from error
    return record


def _check_words(record: TextRecord) -> None:
    words, end = len(record.tokens), len(record.text)
    if len(record.offsets) != words or len(record.rationale or record.tokens) != words:
        raise SpecError(f"offsets and rationale: expected one for each of {words} tokens")
    for i, (start, stop) in enumerate(record.offsets):
        if not 0 <= start <= stop <= end:
            raise SpecError(f"offsets[{i}]: expected a place in a text of {end} characters, got {start} to {stop}")


def _read_values(file: Path, shapes: Mapping[str, Shapes], texts: int) -> dict[str, dict[str, np.ndarray | Ragged]]:
    arrays = _read_arrays(file)
    found = {
        name: {quantity: _value(arrays, f"{name}/{quantity}", shape) for quantity, shape in each.items()}
        for name, each in shapes.items()
    }
    if arrays:
        raise SpecError(f"unknown array {min(arrays)}; audit.json does not name it")
    for name, values in found.items():
        for quantity, value in values.items():
            if texts and len(value.lengths if isinstance(value, Ragged) else value) != texts:
                raise SpecError(f"{name}/{quantity}: expected a row for each of {texts} texts, as texts.jsonl has them")
    return found


def _read_arrays(file: Path) -> dict[str, np.ndarray]:
    try:
        # Opened here, because numpy leaves a file open that is not the archive it should be.
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {name: np.asarray(stored[name]) for name in stored.files}
    except (ValueError, TypeError, AttributeError) as error:  # a foreign file, an array of objects, a lone array
        raise SpecError(f"expected arrays of numbers: {error}") from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise SpecError(f"{name}: expected numbers, got {array.dtype}")
    return arrays


def _value(arrays: dict[str, np.ndarray], name: str, shape: tuple[int, ...] | None) -> np.ndarray | Ragged:
    """Take an array, or the two of a ragged one, as the summary says that they are."""
    names = [f"{name}/flat", f"{name}/lengths"] if shape is None else [name]
    if missing := [each for each in names if each not in arrays]:
        raise SpecError(f"missing array {missing[0]}, which audit.json names")
    first, *rest = (arrays.pop(each) for each in names)
    if shape is None:
        return _ragged(name, first, rest[0])
    if first.shape != shape:
        raise SpecError(f"{name}: expected the shape {shape}, as audit.json says, got {first.shape}")
    return first


def _ragged(name: str, flat: np.ndarray, lengths: np.ndarray) -> Ragged:
    whole = lengths.dtype.kind in "iu" and lengths.ndim == 1 and (lengths >= 0).all()
    if not whole or flat.shape != (lengths.sum(),):
        raise SpecError(f"{name}: expected lengths that add up to the {flat.size} values")
    return Ragged(flat, lengths)
