"""What ``--data``, or a file for each split, and the flags beside it say, as a spec; and the files that are read."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from sightline.cli.places import Input
from sightline.errors import DataError, SpecError
from sightline.experiments.subject import HF, PY, saved_folder
from sightline.spec.tables import Files, read_one
from sightline.spec.texts import parse_data, place_and_options
from sightline.spec.values import OWN, DataSpec

COLUMNS = ("text", "label", "split", "rationale", "query", "id", "group")
STDIN = "-"
"""What stands for a text that comes from stdin."""


def read_source(
    data: str | None,
    train: str | None = None,
    validation: str | None = None,
    test: str | None = None,
    **settings: Any,
) -> DataSpec:
    """Read the texts a command is to work on; a flag that names a column is an error where there are no columns."""
    named = {"train": train, "validation": validation, "test": test}
    files = {split: file for split, file in named.items() if file is not None}
    if files and data is not None:
        raise SpecError("names texts, and --data does, too; leave one of them out", field=next(iter(files)))
    if data is None and not files:
        raise SpecError("Missing option '--data', or '--train' and '--test'")
    if data is None:
        return DataSpec(
            "files", files=Files(**{split: read_one(split, file) for split, file in files.items()}), **settings
        )
    spec = parse_data(data, **settings)
    _check_columns(spec)
    return spec


def _check_columns(spec: DataSpec) -> None:
    """Refuse the name of a column where there are none, and what is to be done with copies that are never refused."""
    usual = {field.name: field.default for field in fields(DataSpec)}
    named = [name for name in COLUMNS if getattr(spec, name) != usual[name]]
    if spec.kind == "folder" and spec.every_row:
        named.remove("split")
    if named and (spec.kind not in OWN or spec.kind == "folder"):
        one = named[0]
        raise SpecError(f"--{one} {getattr(spec, one)}: {spec.kind} has no columns to name; leave --{one} out")
    if spec.on_copies != usual["on_copies"] and spec.kind not in OWN:
        raise SpecError(f"this is about texts of your own; {spec.kind} has a way of its own", field="on_copies")


def data_places(spec: DataSpec) -> list[Input]:
    """Name the files or folders that texts are read from, by their flags; none where they are generated."""
    if spec.files is None:
        return [("--data", Path(place)) for place in spec.places]
    return [(f"--{split}", Path(table.path)) for split, table in spec.files.tables.items()]


def model_place(model: str) -> Path | None:
    """Name the folder of a saved model, or the code in this folder that builds one; None where it is a spec."""
    if model.startswith(HF):
        folder = Path(place_and_options(model.removeprefix(HF))[0])
        return folder if folder.is_dir() else None
    if not model.startswith(PY):
        return saved_folder(model)
    package = model.removeprefix(PY).partition(":")[0].partition(".")[0]
    return Path(package) if Path(package).is_dir() and package else Path(f"{package}.py")


def read_stdin() -> str:
    """Read all that stdin holds; what is no text is an error."""
    if sys.stdin is None:
        raise DataError("stdin is closed; name the text itself", "stdin")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise DataError(f"expected UTF-8 text, got byte 0x{error.object[error.start]:02x}", "stdin") from None
