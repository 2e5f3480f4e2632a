"""Read a dataset that `save_to_disk` of Hugging Face `datasets` wrote: one dataset, or a folder of
splits, as Arrow streams.

Each dataset folder has a ``state.json`` that names its files. With several splits, the
``dataset_dict.json`` above them names their folders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline._io.limits import FILE, LINE
from sightline._io.safe_open import joint_digest, open_regular
from sightline.core.errors import DataError
from sightline.data.readers.line_stream import read_digest, reading
from sightline.data.readers.table_columns import SPLIT_NAMES

SPLITS, STATE = "dataset_dict.json", "state.json"


def saved_splits(path: str) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Give the folder of each split by name, empty without splits, and the names of splits that are
    left out.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError("there is no such folder; check the path", path)
    if (folder / STATE).is_file():
        return {"": folder}, ()
    if not (folder / SPLITS).is_file():
        message = (
            f"expected a folder that save_to_disk of datasets wrote, with {STATE} or {SPLITS} in "
            "it, got another"
        )
        raise DataError(message, path)
    names = _read(folder / SPLITS).get("splits")
    if not isinstance(names, list) or not all(
        isinstance(name, str) and _is_plain(name) for name in names
    ):
        raise DataError(
            "expected the names of splits, as datasets writes them; save it again", folder / SPLITS
        )
    found: dict[str, Path] = {}
    for name in names:
        if (split := SPLIT_NAMES.get(name.lower())) is None:
            continue
        if found.setdefault(split, folder / name) != folder / name:
            message = f"{found[split].name} and {name} are both for {split}; keep one"
            raise DataError(message, folder / SPLITS)
    if not found:
        raise DataError(
            f"expected a split train, validation or test, got {', '.join(names) or 'none'}", path
        )
    ordered = dict(sorted(found.items(), key=lambda one: [*SPLIT_NAMES.values()].index(one[0])))
    return ordered, tuple(name for name in names if name.lower() not in SPLIT_NAMES)


def saved_files(folder: Path) -> list[Path]:
    """List the files of one dataset, in order."""
    state = _read(folder / STATE)
    files = state.get("_data_files")
    names = [file.get("filename") if isinstance(file, dict) else None for file in files or ()]
    if not names or not all(isinstance(name, str) and _is_plain(name) for name in names):
        raise DataError(
            "expected the names of data files in its folder, as datasets writes them",
            folder / STATE,
        )
    if state.get("_indices_data_files"):
        message = (
            "its rows are chosen by a file of their own, as older versions of datasets wrote; "
            "save it again"
        )
        raise DataError(message, folder / STATE)
    return [folder / str(name) for name in names]


def saved_digest(path: str) -> str:
    """Give the SHA-256 of a saved dataset's names and bytes, which identifies it."""
    return joint_digest(
        (f"{split}/{file.name}", read_digest(file, FILE))
        for split, folder in saved_splits(path)[0].items()
        for file in saved_files(folder)
    )


def _is_plain(name: str) -> bool:
    """Tell whether a name points directly into the folder."""
    return name not in ("", ".", "..") and not any(sign in name for sign in "/\\\0")


def _read(file: Path) -> Mapping[str, Any]:
    with reading(file), open_regular(file, LINE) as stream:
        try:
            found = json.loads(stream.read(LINE.most).decode())
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"expected JSON as datasets writes it, got something else: {error}", file
            ) from None
    if not isinstance(found, dict):
        raise DataError("expected JSON as datasets writes it, got something else", file)
    return found
