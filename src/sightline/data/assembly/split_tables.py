"""The tables that a spec names: one, one for each split, or the splits of a saved dataset; each is
read on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sightline.config.specs import DataSpec
from sightline.config.user_tables import Table, columns_of_labels
from sightline.data.readers.arrow import read_parquet, read_streams
from sightline.data.readers.csv_jsonl import LABELLED, Records, read_rows
from sightline.data.readers.hf_datasets import saved_files, saved_splits


@dataclass(frozen=True)
class Sheet:
    """One table: its split, empty if a column may name it, and a function that reads its rows."""

    split: str
    read: Callable[[], Records]


def sheets_of(spec: DataSpec, share: float = 1.0) -> tuple[list[Sheet], tuple[str, ...]]:
    """Give the tables of a spec in the order train, validation, test, with notes on anything left
    out.

    With a ``share`` below 1, only this share of the rows of line-based tables is read.
    """
    wanted = wanted_columns(spec)
    if spec.kind == "hf":
        folders, others = saved_splits(spec.path)
        sheets = [
            Sheet(split, partial(_read_saved, folder, wanted)) for split, folder in folders.items()
        ]
        return sheets, tuple(f"the split {name!r} of the dataset is left out" for name in others)
    return [
        Sheet(split, partial(read_sheet, one, wanted, share=share))
        for split, one in spec.tables.items()
    ], ()


def wanted_columns(spec: DataSpec) -> set[str]:
    """Name the columns that a spec reads if they exist."""
    named = {spec.text, spec.label, spec.split, spec.rationale, spec.query, spec.id, spec.group}
    return named.union(columns_of_labels(spec.label)) - {""}


def read_sheet(
    table: Table, wanted: set[str], holds: str = LABELLED, share: float = 1.0
) -> Records:
    """Read one table; from a Parquet file only the wanted columns."""
    if table.kind == "parquet":
        return read_parquet(table.path, wanted)
    return read_rows(table.path, table.kind, holds, share)


def _read_saved(folder: Path, wanted: set[str]) -> Records:
    return read_streams(saved_files(folder), str(folder), wanted)
