"""The files of our folders: the first identifies the folder, and all are replaced with it."""

from __future__ import annotations

from sightline.api.model_source import MODEL_FILE
from sightline.audits.audit_storage import FILES as AUDIT_FILES
from sightline.audits.label_storage import FILES as LABELS_FILES
from sightline.experiments.multi_seed import FILES as SEEDS_FILES
from sightline.report.export.export_files import COLUMNS

MODEL, AUDIT, AUDITS, EXPORT = (MODEL_FILE,), AUDIT_FILES, SEEDS_FILES, (COLUMNS,)
LABELS = LABELS_FILES


def store_files() -> tuple[str, ...]:
    """Name the files of a store."""
    from sightline.experiments.store import FILES  # noqa: PLC0415  (as late as it is needed)

    return FILES
