"""Whether the model has learned anything at all: its accuracy beside that of always saying the most common class."""

from __future__ import annotations

import numpy as np

from sightline.findings.evidence import Evidence
from sightline.results import Learned
from sightline.statistics import bootstrap


def learned_of(evidence: Evidence) -> Learned | None:
    """Compare accuracy with guessing, paired by text; nothing where there are no answers or no labels.

    The most common class is that of the audited texts: the guess that no model on these texts can lose against.
    """
    if not evidence.has("outputs.label"):
        return None
    labels = evidence.array("outputs.label").astype(np.int64)[evidence.finite]
    clusters = evidence.clusters[evidence.finite]
    right = (evidence.predicted[evidence.finite] == labels).astype(float)
    guessed = (labels == np.bincount(labels, minlength=1).argmax()).astype(float)
    return Learned(
        bootstrap.proportion(right, clusters=clusters),
        bootstrap.proportion(guessed, clusters=clusters),
        bootstrap.mean(right - guessed, evidence.seed, clusters=clusters),
    )
