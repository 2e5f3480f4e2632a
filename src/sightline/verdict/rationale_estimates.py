"""What is estimated of the agreement of each map with the words that people marked: context, and no
claim.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sightline.config.word_maps import MAPS
from sightline.core.results import Estimate, Measurement, Results
from sightline.stats.bootstrap import mean
from sightline.verdict.audit_test import ReportedQuantity

SCORES = ("auprc", "auprc_chance", "f1", "f1_chance", "iou", "iou_chance")
"""How well the marked words are found, each with what a permuted map would reach."""
MARKED: Mapping[str, ReportedQuantity] = {
    name: ReportedQuantity(name, how="mean of shares")
    for name in (f"rationale.{score}.{one}" for one in MAPS for score in SCORES)
}
"""Every estimate by its name; there is one where the data have marks and the model allows the
map."""


def above_chance(audit: Results, name: str) -> Estimate | None:
    """Estimate how far the AUPRC of a map is above that of the same map permuted, text by text;
    None without marks.
    """
    measured = audit.measurements.get("rationale")
    if not isinstance(measured, Measurement) or f"auprc.{name}" not in measured.values:
        return None
    found, chance = (
        np.asarray(measured.values[f"{kind}.{name}"]) for kind in ("auprc", "auprc_chance")
    )
    return mean(found - chance, 0, (-1.0, 1.0))
