"""Estimates of how well each map matches the rationale: context, without a test."""

from __future__ import annotations

import numpy as np

from sightline.config.word_maps import MAPS
from sightline.core.results import Estimate, Measurement, Results
from sightline.stats.bootstrap import mean
from sightline.verdict.audit_clusters import clusters_of

SCORES = ("auprc", "auprc_chance", "f1", "f1_chance", "iou", "iou_chance")
"""How well a map finds the rationale, each with the value of a permuted map."""
MARKED = tuple(f"rationale.{score}.{one}" for one in MAPS for score in SCORES)
"""Every estimate by name; it exists if the data have rationales and the model allows the map."""


def above_chance(audit: Results, name: str) -> Estimate | None:
    """Estimate the AUPRC of a map minus its value for the permuted map, text by text; None without
    rationales.
    """
    measured = audit.measurements.get("rationale")
    if not isinstance(measured, Measurement) or f"auprc.{name}" not in measured.values:
        return None
    found, chance = (
        np.asarray(measured.values[f"{kind}.{name}"]) for kind in ("auprc", "auprc_chance")
    )
    return mean(found - chance, 0, (-1.0, 1.0), clusters_of(audit))
