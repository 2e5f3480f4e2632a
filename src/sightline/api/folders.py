"""The files by which folders of ours are known: the first of each, and those that are replaced with it."""

from __future__ import annotations

from sightline.api.model_source import MODEL_FILE
from sightline.experiments.several import FILES as SEEDS_FILES
from sightline.report.frames.writing import COLUMNS
from sightline.saving import FILES as AUDIT_FILES

MODEL, AUDIT, AUDITS, EXPORT = (MODEL_FILE,), AUDIT_FILES, SEEDS_FILES, (COLUMNS,)


def store_files() -> tuple[str, ...]:
    """Name the files of a store."""
    from sightline.experiments.store import FILES  # noqa: PLC0415  (as late as it is needed)

    return FILES
