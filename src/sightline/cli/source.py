"""What ``--data`` and the flags beside it say, as a spec; and the files that ``--data`` and ``--model`` read."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from sightline.errors import DataError, SpecError
from sightline.experiments.subject import PY, saved_folder
from sightline.spec.texts import parse_data
from sightline.spec.values import TABLES, DataSpec

STDIN = "-"
"""What stands for a text that comes from stdin."""
COLUMNS = ("text", "label", "split", "rationale", "query")


def read_source(data: str, **settings: Any) -> DataSpec:
    """Read the texts a command is to work on; a flag that names a column is an error where there are no columns."""
    spec = parse_data(data, **settings)
    usual = {field.name: field.default for field in fields(DataSpec)}
    named = [name for name in COLUMNS if getattr(spec, name) != usual[name]]
    if named and spec.kind not in TABLES:
        one = named[0]
        raise SpecError(f"--{one} {getattr(spec, one)}: {spec.kind} has no columns to name; leave --{one} out")
    return spec


def data_place(spec: DataSpec) -> Path | None:
    """Name the file or folder that texts are read from; None where they are generated."""
    return Path(spec.path) if spec.path else None


def model_place(model: str) -> Path | None:
    """Name the folder of a saved model, or the code in this folder that builds one; None where it is a spec."""
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
