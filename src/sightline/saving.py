"""An audit on disk: a summary in JSON, the raw arrays in one npz, the texts in JSON lines.

Written aside and renamed, so a folder holds a whole audit or none; read without executing anything.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sightline.errors import StoreError
from sightline.files import plain, write_whole
from sightline.results import (
    SCHEMA,
    Bracket,
    Estimate,
    Failed,
    Finding,
    Measurement,
    NotApplicable,
    Outcome,
    Ragged,
    Results,
    TextRecord,
    Values,
    Verdict,
)


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
    summary = found.to_json() | {"settings": {name: dict(m.settings) for name, m in taken.items()}}
    summary["measured"] = {name: dict(m.undefined) for name, m in taken.items()}
    summary["whole"] = {name: {key: asdict(one) for key, one in m.whole.items()} for name, m in taken.items()}
    (folder / "audit.json").write_text(json.dumps(plain(summary), indent=1, allow_nan=False), encoding="utf-8")
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(text)) + "\n" for text in found.texts)
    with (folder / "arrays.npz").open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(taken))


def _arrays(taken: Mapping[str, Measurement]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for name, measurement in taken.items():
        for quantity, value in measurement.values.items():
            if isinstance(value, Ragged):
                arrays |= {f"{name}/{quantity}/flat": value.flat, f"{name}/{quantity}/lengths": value.lengths}
            elif isinstance(value, Bracket):
                arrays |= {f"{name}/{quantity}/low": value.low, f"{name}/{quantity}/high": value.high}
            else:
                arrays[f"{name}/{quantity}"] = value
    return arrays


def load_results(folder: str | Path) -> Results:
    """Read an audit that `save_results` wrote."""
    path = Path(folder)
    try:
        return _read(path)
    except StoreError:
        raise
    # Whatever a torn or foreign file makes of reading it, the answer is the same.
    except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error) as error:
        told = f"{type(error).__name__}: {error}"
        raise StoreError(f"{path}: expected a folder that `sightline audit --save` wrote, got {told}") from error


def _read(path: Path) -> Results:
    summary = json.loads((path / "audit.json").read_text(encoding="utf-8"))
    if summary.get("schema") != SCHEMA:
        raise StoreError(f"{path}: schema {summary.get('schema')}, this version reads {SCHEMA}; run the audit again")
    lines = (path / "texts.jsonl").read_text(encoding="utf-8").split("\n")
    # Opened here, because numpy leaves a file open that is not the archive it should be.
    with (path / "arrays.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return Results(
        verdict=_verdict(summary["verdict_detail"]),
        findings=tuple(_finding(item) for item in summary["findings"]),
        estimates={name: _estimate(item) for name, item in summary["estimates"].items()},
        metrics={name: _estimate(item) for name, item in summary["metrics"].items()},
        measurements=_measurements(summary, arrays),
        spec=summary["spec"],
        environment=summary["environment"],
        cards=summary["cards"],
        texts=tuple(_text(json.loads(line)) for line in lines if line),
    )


def _estimate(item: dict[str, Any]) -> Estimate:
    numbers = {name: math.nan if item[name] is None else item[name] for name in ("value", "low", "high")}
    return Estimate(**(item | numbers))


def _finding(item: dict[str, Any]) -> Finding:
    item = {name: value for name, value in item.items() if name != "reason"} | {"notes": tuple(item["notes"])}
    estimates = {name: item[name] and _estimate(item[name]) for name in ("number", "floor", "effect")}
    groups = {name: {key: _estimate(value) for key, value in item[name].items()} for name in ("by_class", "beside")}
    return Finding(**(item | estimates | groups))


def _verdict(item: dict[str, Any]) -> Verdict:
    return Verdict(item["text"], item["row"], tuple(item["decided_by"]), tuple(item["reasons"]))


def _text(item: dict[str, Any]) -> TextRecord:
    item |= {"tokens": tuple(item["tokens"]), "offsets": tuple((start, end) for start, end in item["offsets"])}
    optional = {name: None if item.get(name) is None else tuple(item[name]) for name in ("rationale", "query")}
    return TextRecord(**(item | optional))


def _measurements(summary: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {code: NotApplicable(code, why) for code, why in summary["not_applicable"].items()}
    outcomes |= {code: Failed(code, why) for code, why in summary["failed"].items()}
    for name, undefined in summary["measured"].items():
        values: dict[str, Values] = {}
        for key in (key for key in arrays if key.startswith(f"{name}/")):
            quantity, _, part = key.removeprefix(f"{name}/").partition("/")
            if part == "flat":
                values[quantity] = Ragged(arrays[key], arrays[f"{name}/{quantity}/lengths"])
            elif part == "low":
                values[quantity] = Bracket(arrays[key], arrays[f"{name}/{quantity}/high"])
            elif not part:
                values[quantity] = arrays[key]
        whole = {key: _estimate(item) for key, item in summary["whole"][name].items()}
        outcomes[name] = Measurement(name, values, undefined, summary["settings"][name], whole)
    return outcomes
