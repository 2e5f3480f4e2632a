"""Describe data for a command or a notebook as a spec, and list the files that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from sightline.config.label_map import read_label_map as read_label_map
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import OWN
from sightline.config.specs import DataSpec as DataSpec
from sightline.config.user_tables import TABLES, Files, read_one, table_kind
from sightline.core.errors import SpecError, setting

COLUMNS = ("text", "label", "split", "rationale", "query", "id", "group", "labels_sep")


def read_source(
    data: str | None,
    train: str | None = None,
    validation: str | None = None,
    test: str | None = None,
    **settings: Any,
) -> DataSpec:
    """Describe the texts of a command as a spec; the name of a column without a table is
    an error.
    """
    named = {"train": train, "validation": validation, "test": test}
    files = {split: file for split, file in named.items() if file is not None}
    if files and data is not None:
        message = f"names texts, and {setting('data')} does, too; leave one of them out"
        raise SpecError(message, field=next(iter(files)))
    if data is None and not files:
        message = (
            f"Missing option '{setting('data')}', or '{setting('train')}' and '{setting('test')}'"
        )
        raise SpecError(message)
    if data is None:
        tables = {split: read_one(split, file) for split, file in files.items()}
        return DataSpec("files", files=Files(**tables), **settings)
    spec = parse_data(data, **settings)
    _check_columns(spec)
    return spec


def _check_columns(spec: DataSpec) -> None:
    """Refuse names of columns, or a rule for copies, for data to which they do not apply."""
    usual = {field.name: field.default for field in fields(DataSpec)}
    named = [name for name in COLUMNS if getattr(spec, name) != usual[name]]
    if spec.kind == "folder" and spec.every_row:
        named.remove("split")
    if named and (spec.kind not in OWN or spec.kind == "folder"):
        one = named[0]
        message = f"{setting(one, getattr(spec, one))}: {spec.kind} has no columns to name"
        raise SpecError(f"{message}; leave {setting(one)} out")
    if spec.on_copies != usual["on_copies"] and spec.kind not in OWN:
        raise SpecError(
            f"this is about texts of your own; {spec.kind} has a way of its own", field="on_copies"
        )


def data_places(spec: DataSpec) -> list[tuple[str, Path]]:
    """Name the files or folders that texts are read from, by their options; none for generated
    texts.
    """
    if spec.files is None:
        return [("data", Path(place)) for place in spec.places]
    return [(split, Path(table.path)) for split, table in spec.files.tables.items()]


def table_of(texts: Sequence[str]) -> DataSpec | None:
    """Return the spec of a table, recognised by its ending or by ``csv:`` in front; None for plain
    texts.
    """
    tables = [
        one for one in texts if one.partition(":")[0] in TABLES or table_kind(one) is not None
    ]
    if tables and len(texts) > 1:
        raise SpecError(
            f"expected one table, or texts alone, got {tables[0]} among {len(texts)}", field="FILE"
        )
    return parse_data(tables[0]) if tables else None
