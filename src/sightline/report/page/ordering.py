"""In which order texts are told: by numbers the audit holds, none made here."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from sightline.results import Measurement, Results


def disagreements(audit: Results) -> Float[np.ndarray, " N"] | None:
    """Find how far the maps of each text disagree, if that was measured for these texts."""
    return _by_text(audit, "agreement", "disagreement")


def confidences(audit: Results) -> Float[np.ndarray, " N"] | None:
    """Find the probability of each decision, if it was kept."""
    return _by_text(audit, "outputs", "probability")


def by_disagreement(audit: Results) -> Int[np.ndarray, " N"]:
    """Order the texts by disagreement, largest first and undefined last; as they come where there is none."""
    values = disagreements(audit)
    return np.arange(len(audit.texts)) if values is None else np.argsort(-values, kind="stable")


def _by_text(audit: Results, measure: str, quantity: str) -> Float[np.ndarray, " N"] | None:
    measured = audit.measurements.get(measure)
    values = measured.values.get(quantity) if isinstance(measured, Measurement) else None
    fits = isinstance(values, np.ndarray) and values.shape == (len(audit.texts),)
    return np.asarray(values, dtype=float) if fits else None
