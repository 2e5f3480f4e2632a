"""The results file: the readings of the runs of every study, a row for each run and quantity.

It outlasts the stores, which are too large to keep with the project, and all pages of results are
written from it. A row without a run describes the study itself (how many runs are planned), a
corpus (how many words it has), or a mean whose runs are lost; ``seeds`` says over how many. A
number has its interval, its number of texts, its chance level and its bounds. Compressed CSV, so
that reading it needs no other package (decision 0102).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

from sightline._io.atomic_write import write_bytes
from sightline.core.errors import DataError
from sightline.core.results import Estimate
from sightline.experiments.locks import claim
from sightline.studies.aggregate import Number

WHOLE = re.compile(r"-?\d+")
NOTHING = "none"
"""Written for an unknown end of an interval, or an unknown bound of a number."""
FLAG = "flag"
"""The method of a value that is 1 for yes and 0 for no."""
JSON = '[{"'
"""How a text cell begins that is JSON, and not the text itself."""
LISTED = re.compile(r"(?P<key>[^\[]+)\[(?P<name>.+)\]")
"""A step of a path into a list, by the name of the member."""


@dataclass(frozen=True)
class Row:
    """One row; an empty cell means nothing."""

    study: str
    corpus: str = ""
    model: str = ""
    setting: str = ""
    seed: str = ""
    run: str = ""
    quantity: str = ""
    value: str = ""
    low: str = ""
    high: str = ""
    n: str = ""
    method: str = ""
    chance: str = ""
    chance_low: str = ""
    chance_high: str = ""
    chance_n: str = ""
    chance_method: str = ""
    least: str = ""
    most: str = ""
    seeds: str = ""
    text: str = ""

    @property
    def of(self) -> tuple[str, ...]:
        """The study and the run that the row belongs to."""
        return (self.study, self.corpus, self.model, self.setting, self.seed, self.run)

    @property
    def of_what(self) -> tuple[str, ...]:
        """What the rows of one run share: its lasting name or, if it has none, its labels."""
        return (self.study, self.run) if self.run else self.of


COLUMNS = tuple(one.name for one in fields(Row))


def read_rows(path: Path) -> list[Row]:
    """Read a results file; a missing file has no rows."""
    if not path.exists():
        return []
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return list(_rows(csv.reader(file), path))
    except (OSError, EOFError, UnicodeDecodeError, zlib.error, csv.Error) as error:
        raise DataError(
            f"expected a results file, compressed CSV; it cannot be read ({error})", path
        ) from None


def _rows(lines: Iterator[list[str]], path: Path) -> Iterator[Row]:
    head = tuple(next(lines, ()))
    if head != COLUMNS:
        raise DataError(
            f"expected the columns {', '.join(COLUMNS)}; got {', '.join(head)}", path, 1
        )
    known = dict[tuple[str, ...], dict[str, Any]]()
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(COLUMNS):
            raise DataError(f"expected {len(COLUMNS)} cells, got {len(cells)}", path, number)
        row = Row(*cells)
        try:
            _check(row, known.setdefault((*row.of_what, row.seeds), {}))
        except (ValueError, RecursionError) as error:  # of deep JSON
            raise DataError(
                f"expected what a study wrote of {row.quantity!r}, got {error}", path, number
            ) from None
        yield row


def _check(row: Row, known: dict[str, Any]) -> None:
    """Read every cell of a row, and add it to what is known of its run: here an error has a
    line, and no run has been made for it yet.
    """
    int(row.seed or 0)
    if row.seeds:
        int(row.seeds)
        found_of(row)
    _put(known, row.quantity.split("/"), _value(row))


def locked(path: Path) -> AbstractContextManager[bool]:
    """Keep other commands from updating a results file, by a lock next to it."""
    return claim(path.with_name(f".{path.name}.lock"), wait=True)


def write_rows(path: Path, rows: Iterable[Row]) -> Path:
    """Write a results file, completely or not at all; equal rows give equal bytes."""
    text = io.StringIO(newline="")
    written = csv.writer(text, lineterminator="\n")
    written.writerow(COLUMNS)
    written.writerows(astuple(row) for row in rows)
    return write_bytes(path, gzip.compress(text.getvalue().encode(), mtime=0))


def rows_of(of: Row, values: Mapping[str, Any]) -> Iterator[Row]:
    """Write the readings of a run as rows; ``of`` identifies the run."""
    known = {
        name: getattr(of, name)
        for name in ("study", "corpus", "model", "setting", "seed", "run", "seeds")
    }
    for quantity, cells in _flat(values):
        yield Row(**known, quantity=quantity, **cells)


def values_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Read the values of a run back from its rows."""
    values = dict[str, Any]()
    for row in rows:
        _put(values, row.quantity.split("/"), _value(row))
    return values


# ------------------------------------------------------------- values to rows and back


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    for key, value in values.items():
        if "/" in key or LISTED.fullmatch(key):
            raise ValueError(f"{key!r}: a quantity has no slash, and does not end in brackets")
        yield from _one(f"{above}{key}", value)


def _one(path: str, value: Any) -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(value, Mapping) and value:
        rest = {key: one for key, one in value.items() if key not in ESTIMATE}
        if value.keys() >= {*ESTIMATE[:4]}:
            yield path, _cells({key: value[key] for key in ESTIMATE if key in value})
        else:
            rest = dict(value)
        yield from _flat(rest, f"{path}/")
    elif isinstance(value, list | tuple) and value and all(_is_named(one) for one in value):
        for one in value:
            rest = {key: each for key, each in one.items() if key != "name"}
            yield from _flat(rest, f"{path}[{one['name']}]/")
    else:
        yield path, _plain(value)


def _is_named(one: Any) -> bool:
    """Tell whether a member of a list can stand under its name."""
    return (
        isinstance(one, Mapping) and "name" in one and len(one) > 1 and "/" not in str(one["name"])
    )


ESTIMATE = tuple(one.name for one in fields(Estimate))


def _plain(value: Any) -> dict[str, str]:
    if isinstance(value, Number):
        chance = {f"chance_{key}": one for key, one in _estimate(value.baseline).items()}
        least, most = value.bounds or (NOTHING, NOTHING)
        ends = {"least": _text(least), "most": _text(most)}
        chance["chance"] = chance.pop("chance_value", "")
        return {**_estimate(value.value), **chance, **ends}
    if isinstance(value, bool):
        return {"value": str(int(value)), "method": FLAG}
    if isinstance(value, int | float):
        return {"value": _text(value)}
    if value is None or (isinstance(value, str) and value[:1] not in JSON):
        return {"text": value or ""}  # an empty text is JSON, too, which None is not
    return {"text": json.dumps(value, ensure_ascii=False)}


def _estimate(value: Estimate | None) -> dict[str, str]:
    return {} if value is None else _cells(asdict(value))


def _cells(estimate: Mapping[str, Any]) -> dict[str, str]:
    return {key: NOTHING if one is None else _text(one) for key, one in estimate.items()}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return repr(float(value) if isinstance(value, float) else value)  # a number of NumPy, too


def _value(row: Row) -> Any:
    """Read the value of a row."""
    if row.least:
        return found_of(row)
    if row.text:
        return json.loads(row.text) if row.text[0] in JSON else row.text
    if row.low:
        values = {key: _number(getattr(row, key)) for key in ESTIMATE[:4]}
        return values | ({"method": row.method} if row.method else {})
    if not row.value:
        return None
    return row.value == "1" if row.method == FLAG else _number(row.value)


def found_of(row: Row) -> Number:
    """Read the number of a row, with its chance level and bounds."""
    value = Estimate(
        _number(row.value), _number(row.low), _number(row.high), int(row.n), row.method
    )
    chance = None
    if row.chance:
        ends = (_number(row.chance), _number(row.chance_low), _number(row.chance_high))
        chance = Estimate(*ends, int(row.chance_n), row.chance_method)
    bounds = None if row.least == NOTHING else (float(row.least), float(row.most))
    return Number(value, chance, bounds)


def _number(text: str) -> Any:
    if text == NOTHING:
        return None
    return int(text) if WHOLE.fullmatch(text) else float(text)


def _put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Put a value at its path, whatever the order of the rows; what is there already stays."""
    step, *rest = path
    if listed := LISTED.fullmatch(step):
        members = values.setdefault(listed["key"], [])
        if not isinstance(members, list) or not all(map(_has_name, members)):
            raise ValueError(f"another value of {listed['key']!r}")
        member = next((one for one in members if one["name"] == listed["name"]), None)
        if member is None:
            members.append(member := {"name": listed["name"]})
        if not rest:
            raise ValueError("a member of a list without its field")
        return _put(member, rest, value)
    if rest:
        if not isinstance(values.setdefault(step, {}), dict):
            raise ValueError(f"another value of {step!r}")
        return _put(values[step], rest, value)
    there = values.get(step)
    if step not in values:
        values[step] = value
    elif isinstance(there, dict) and isinstance(value, dict) and not there.keys() & value.keys():
        values[step] = {**value, **there}  # an estimate, of which more is said in other rows
    else:
        raise ValueError(f"a second value of {step!r}")
    return None


def _has_name(member: Any) -> bool:
    return isinstance(member, dict) and "name" in member
