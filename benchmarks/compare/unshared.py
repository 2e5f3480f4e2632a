"""The plain way for a comparison: the same model, asked to share nothing."""

from __future__ import annotations

from sightline.core.protocols import Auditable
from sightline.models.alterations import Altered


def unshared(model: Auditable) -> Altered:
    """Give a model that runs every variant of a text by itself."""
    plain = Altered(model)
    plain.offers = model.offers - {"variants", "deletion"}
    return plain
