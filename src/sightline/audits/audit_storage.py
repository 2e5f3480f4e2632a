"""An audit on disk: a summary in JSON, the raw arrays in one npz, the texts in JSON lines.

Each audit is written to a temporary folder and renamed, so a folder holds a whole audit or none.
Reading executes nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np

from sightline._io.atomic_write import is_free, plain, put_back, write_whole
from sightline._io.checksums import MANIFEST, check_unchanged, seal
from sightline._io.home_folder import from_home
from sightline.config.json_reader import parse_json, read_as
from sightline.core.errors import SpecError, StoreError
from sightline.core.interning import Interner
from sightline.core.results import (
    SCHEMA,
    Bracket,
    Failed,
    Measurement,
    NotRun,
    Outcome,
    Ragged,
    Results,
    TextRecord,
    Values,
)

Arrays = dict[str, np.ndarray]
SUMMARY, TEXTS, ARRAYS, _ = FILES = ("audit.json", "texts.jsonl", "arrays.npz", MANIFEST)
"""The files of a saved audit; the first one marks the folder as an audit."""
LABELS = "labels.json"
"""The file that marks a folder with the audits of several labels (`sightline.audits.label_storage`)."""
_MADE_AGAIN = "make the audit again"


@dataclass(frozen=True)
class Form:
    """The kind of a quantity, and the shape of its array (of one word, if ragged)."""

    kind: Literal["array", "ragged", "bracket"]
    shape: tuple[int, ...]


PARTS: Mapping[str, tuple[str, ...]] = {
    "array": ("",),
    "ragged": ("/flat", "/lengths"),
    "bracket": ("/low", "/high"),
}
"""The arrays that store a quantity of each kind, by the suffix of their names."""


def save_results(found: Results, folder: str | Path) -> Path:
    """Write an audit to a folder. A saved audit there is replaced, and so are those of labels; other
    files in the folder stay.
    """
    final = from_home(folder)
    if not (is_free(final) or any((final / mark).exists() for mark in (SUMMARY, LABELS))):
        raise StoreError(f"{final}: exists and is not a saved audit; name a new folder")

    def write(aside: Path) -> None:
        write_results(found, aside)
        seal(aside)

    return write_whole(final, write, {*FILES, *files_of_labels(final)})


def files_of_labels(folder: Path) -> set[str]:
    """Name the files of the audits of several labels in a folder, which another audit replaces; none
    without the file that lists them, because such folders are somebody else's.
    """
    if not (folder / LABELS).exists():
        return set()
    there = {one.parent.name for one in folder.glob(f"label-*/{SUMMARY}")}
    return {LABELS, *(f"{place}/{file}" for place in there for file in FILES)}


def write_results(found: Results, folder: Path) -> None:
    """Write an audit into a folder that does not exist yet."""
    folder.mkdir()
    taken = found.taken
    summary = found.to_json() | {"measured": {name: _described(m) for name, m in taken.items()}}
    (folder / SUMMARY).write_text(
        json.dumps(plain(summary), indent=1, allow_nan=False), encoding="utf-8"
    )
    with (folder / TEXTS).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(text)) + "\n" for text in found.texts)
    with (folder / ARRAYS).open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(taken))


def _described(measurement: Measurement) -> dict[str, Any]:
    """Describe a measurement: everything except its numbers, of which only the form is given."""
    forms = {quantity: asdict(form_of(value)) for quantity, value in measurement.values.items()}
    return {
        **vars(measurement),
        "values": forms,
        "whole": {name: asdict(one) for name, one in measurement.whole.items()},
    }


def form_of(value: Values) -> Form:
    """Describe the kind and the shape of a quantity."""
    if isinstance(value, Ragged):
        return Form("ragged", value.flat.shape[1:])
    return (
        Form("bracket", value.low.shape)
        if isinstance(value, Bracket)
        else Form("array", value.shape)
    )


def _arrays(taken: Mapping[str, Measurement]) -> Arrays:
    return {
        place: array
        for name, measurement in taken.items()
        for place, array in arrays_of(name, measurement.values).items()
    }


def arrays_of(name: str, values: Mapping[str, Values]) -> dict[str, np.ndarray]:
    """Give the arrays that store quantities, named by a prefix and by `PARTS`."""
    return {
        f"{name}/{quantity}{part}": array
        for quantity, value in values.items()
        for part, array in zip(PARTS[form_of(value).kind], _parts(value), strict=True)
    }


def _parts(value: Values) -> tuple[np.ndarray, ...]:
    if isinstance(value, Ragged):
        return value.flat, value.lengths
    return (value.low, value.high) if isinstance(value, Bracket) else (value,)


def _inside(folder: Path) -> str:
    """Name the audits that lie in a folder which is none, as in those of the demo."""
    found = sorted(one.parent for one in folder.glob(f"*/{SUMMARY}"))[:3]
    return f", but holds {', '.join(map(str, found))}" if found else ""


def load_results(folder: str | Path) -> Results:
    """Read an audit that `save_results` wrote; an error names the damaged file and field."""
    path = from_home(folder)
    put_back(path)
    if not (path / SUMMARY).is_file():
        what = f"it has no {SUMMARY}{_inside(path)}" if path.exists() else "there is no such folder"
        raise StoreError(f"{path}: expected a folder that `sightline audit --save` wrote; {what}")
    check_unchanged(path, StoreError, _MADE_AGAIN)
    return read_results(path)


def read_results(path: Path) -> Results:
    """Read a saved audit after its checksums were checked."""
    with _naming(path / SUMMARY) as file:
        summary = _read_summary(file)
        measured = read_as(Mapping[str, Mapping[str, Any]], summary.get("measured"), "measured")
        forms = {name: _read_forms(name, item) for name, item in measured.items()}
    with _naming(path / TEXTS) as file:
        texts = _read_texts(file)
    with _naming(path / ARRAYS) as file:
        values = _read_values(file, forms, len(texts))
    with _naming(path / SUMMARY):
        outcomes = _skipped(summary) | {
            name: _taken(name, item, values[name]) for name, item in measured.items()
        }
        stored = {one.name: summary[one.name] for one in fields(Results) if one.name in summary}
        stored["findings"] = _without_reasons(summary.get("findings"))
        stored |= {
            "verdict": summary.get("verdict_detail"),
            "measurements": outcomes,
            "texts": texts,
        }
        found: Results = read_as(Results, stored, "", nan=True)
        return found


def _without_reasons(findings: Any) -> Any:
    """Leave out the full reasons, which are for other readers: a finding makes its reason from its
    parts.
    """
    findings_read: tuple[dict[str, Any], ...] = read_as(
        tuple[dict[str, Any], ...], findings, "findings"
    )
    return [
        {name: value for name, value in one.items() if name != "reason"} for one in findings_read
    ]


@contextmanager
def _naming(file: Path) -> Iterator[Path]:
    """Add the file name to errors raised while reading a saved audit."""
    try:
        yield file
    except SpecError as error:
        raise StoreError(f"{file}: {error}; {_MADE_AGAIN}") from error
    # Errors of reading a damaged file, and of unpacking a damaged archive.
    except (OSError, UnicodeDecodeError, EOFError, BadZipFile, zlib.error) as error:
        message = f"{type(error).__name__}: {error}"
        raise StoreError(
            f"{file}: expected what `sightline audit --save` wrote, got {message}"
        ) from error


def _read_summary(file: Path) -> dict[str, Any]:
    found = parse_json(file.read_text(encoding="utf-8"), "")
    summary: dict[str, Any] = read_as(dict[str, Any], found, "")
    if summary.get("schema") != SCHEMA:
        raise SpecError(f"schema {summary.get('schema')!r}, this version reads {SCHEMA}")
    return summary


def _read_forms(name: str, item: Mapping[str, Any]) -> Mapping[str, Form]:
    forms: Mapping[str, Form] = read_as(
        Mapping[str, Form], item.get("values"), f"measured.{name}.values"
    )
    return forms


def _skipped(summary: Mapping[str, Any]) -> dict[str, Outcome]:
    reasons = read_as(Mapping[str, str], summary.get("not_run"), "not_run")
    errors = read_as(Mapping[str, str], summary.get("errors"), "errors")
    skipped: dict[str, Outcome] = {code: NotRun(code, why) for code, why in reasons.items()}
    return skipped | {code: Failed(code, why) for code, why in errors.items()}


def _taken(name: str, item: Mapping[str, Any], values: Mapping[str, Values]) -> Measurement:
    taken: Measurement = read_as(
        Measurement, {**item, "values": values}, f"measured.{name}", nan=True
    )
    return taken


def _read_texts(file: Path) -> tuple[TextRecord, ...]:
    # Only at newlines: a text may contain other characters that Python splits lines at.
    sharing = Interner()
    with file.open(encoding="utf-8", newline="\n") as lines:
        numbered = ((number, line.removesuffix("\n")) for number, line in enumerate(lines, 1))
        return tuple(
            _shared(_read_text(line, f"{file}:{number}"), sharing)
            for number, line in numbered
            if line
        )


def _shared(record: TextRecord, sharing: Interner) -> TextRecord:
    tokens, offsets = sharing.shared(record.tokens, record.offsets)
    return replace(record, tokens=tokens, offsets=offsets)


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
            raise SpecError(
                f"offsets[{i}]: expected a place in a text of {end} characters, got {start} "
                f"to {stop}"
            )


def _read_values(
    file: Path, forms: Mapping[str, Mapping[str, Form]], texts: int
) -> dict[str, dict[str, Values]]:
    arrays = read_arrays(file)
    found = {
        name: {
            quantity: value_of(arrays, f"{name}/{quantity}", form)
            for quantity, form in each.items()
        }
        for name, each in forms.items()
    }
    if arrays:
        raise SpecError(f"unknown array {min(arrays)}; audit.json does not name it")
    for name, values in found.items():
        for quantity, value in values.items():
            if texts and len(_parts(value)[-1]) != texts:
                raise SpecError(
                    f"{name}/{quantity}: expected a row for each of {texts} texts, as "
                    "texts.jsonl has them"
                )
    return found


def read_arrays(file: Path) -> dict[str, np.ndarray]:
    """Read an archive of arrays of numbers; nothing in it is executed."""
    try:
        # Opened here, because numpy leaves a file open if it is no archive.
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {name: np.asarray(stored[name]) for name in stored.files}
    except (
        ValueError,
        TypeError,
        AttributeError,
        RuntimeError,
    ) as error:  # a foreign file, an array of objects, a lone array; of zipfile, a damaged header
        raise SpecError(f"expected arrays of numbers: {error}") from error
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise SpecError(f"{name}: expected numbers, got {array.dtype}")
    return arrays


def value_of(arrays: Arrays, name: str, form: Form) -> Values:
    """Take the arrays of a quantity, in the form that the summary gives."""
    names = [name + part for part in PARTS[form.kind]]
    if missing := [each for each in names if each not in arrays]:
        raise SpecError(f"missing array {missing[0]}, which audit.json names")
    first, *rest = (arrays.pop(each) for each in names)
    if form.kind == "ragged":
        return _ragged(name, first, rest[0], form)
    for each in (first, *rest):
        if each.shape != form.shape:
            raise SpecError(
                f"{name}: expected the shape {form.shape}, as audit.json says, got {each.shape}"
            )
    return Bracket(first, rest[0]) if form.kind == "bracket" else first


def _ragged(name: str, flat: np.ndarray, lengths: np.ndarray, form: Form) -> Ragged:
    whole = lengths.dtype.kind in "iu" and lengths.ndim == 1 and (lengths >= 0).all()
    if not whole or flat.shape != (lengths.sum(), *form.shape):
        raise SpecError(f"{name}: expected lengths that add up to the {len(flat)} values")
    return Ragged(flat, lengths)
