"""The clusters of the texts of an audit: copies, near copies and texts of one group.

What a command shows must not wait for statistics, so nothing here imports them.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from sightline.core.results import Measurement, Results
from sightline.numerics.text_clusters import numbered

Array = np.ndarray


def clusters_of(audit: Results) -> Int[Array, " N"] | None:
    """Number the clusters of the texts of an audit by their first texts; None if it does not say."""
    outputs = audit.measurements.get("outputs")
    found = outputs.values.get("cluster") if isinstance(outputs, Measurement) else None
    return None if found is None else numbered(np.asarray(found))
