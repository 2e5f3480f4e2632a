"""One door for every kind of data: a spec and a seed in, a `Dataset` out."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sightline.data.dataset import Dataset
from sightline.data.planted import plant, read_world
from sightline.data.tables import load_table
from sightline.errors import DataError, SpecError
from sightline.spec import DataSpec


def load(spec: DataSpec, seed: int) -> Dataset:
    """Read a table or generate a planted corpus; the same spec, file and seed give the same splits."""
    if spec.recipe == "paper":
        raise SpecError(f"--recipe paper: {spec} is not a published corpus, so no paper has a recipe for it; use clean")
    if spec.kind != "planted":
        if spec.digest and spec.digest != table_digest(spec.path):
            raise DataError("has changed since the run was named by its bytes; read the study again", spec.path)
        return load_table(spec, seed)
    if spec.part is None:
        raise SpecError("planted: expected a part such as needle(n=2000), got none")
    if (longest := read_world(spec.part).longest) > spec.max_tokens:
        raise SpecError(f"{spec}: texts have up to {longest} words, above max_tokens={spec.max_tokens}; lower length")
    return plant(spec.part, seed)


def table_digest(path: str) -> str:
    """Give the SHA-256 of a file's bytes, by which a run that is kept names its table."""
    if Path(path).is_dir():
        raise DataError("expected a file, got a folder; name the table inside it", path)
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError("there is no such file; check the path", path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {error}", path) from error
