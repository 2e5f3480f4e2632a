"""By which bytes a run that is kept names its texts; without torch, so that a long study is named at once."""

from __future__ import annotations

from sightline.data.official.formats import source_digest
from sightline.data.sources.rows import table_digest
from sightline.spec.values import OFFICIAL, DataSpec


def content_digest(spec: DataSpec) -> str:
    """Give the SHA-256 by which a run that is kept names its texts; a planted corpus needs none."""
    if spec.kind == "planted":
        return ""
    return source_digest(spec) if spec.kind in OFFICIAL else table_digest(spec.path)
