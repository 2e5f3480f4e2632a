"""One door for every kind of data: a spec and a seed in, a `Dataset` out."""

from __future__ import annotations

from sightline.data.dataset import Dataset
from sightline.data.generated import generate, read_options
from sightline.data.reading import table_digest
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
    if (longest := read_options(spec.part).longest) > spec.max_tokens:
        raise SpecError(f"{spec}: texts have up to {longest} words, above max_tokens={spec.max_tokens}; lower length")
    return generate(spec.part, seed)
