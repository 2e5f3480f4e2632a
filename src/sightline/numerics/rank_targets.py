"""Targets of rank information: binned outputs of the model, also under other attention."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.config.measure_registry import MEASURES
from sightline.numerics.kmeans import Clustering, kmeans
from sightline.numerics.simplex import decision

Array = np.ndarray
BINS: int = MEASURES["information"].settings["bins"]
"""Number of clusters for the log-odds of two classes; with more classes the target is the class
(Wen et al. 2022, §3.2.1)."""
STARTS: int = MEASURES["information"].settings["starts"]
"""Starts on one axis: with this many, the best is the same for nearly every seed."""


class Bins:
    """The bins of a model's own outputs; other outputs get the nearest bin."""

    def __init__(
        self, logits: Float[Array, "N L"], generator: np.random.Generator, bins: int = BINS
    ) -> None:
        self.centres: Float[Array, " C"] | None = None
        odds = _odds(logits)
        if odds is None:
            return
        points = torch.from_numpy(odds)[None, :, None]
        settings = Clustering(min(bins, len(np.unique(odds))), starts=STARTS)
        found = kmeans(points, torch.ones(points.shape[:2], dtype=torch.bool), settings, generator)
        self.centres = np.sort(found.centres[0, :, 0].numpy())

    def __call__(self, logits: Float[Array, "*N L"]) -> Int[Array, "*N"]:
        """Give the bin of each output, or its class if there are more than two."""
        odds = _odds(logits)
        if odds is None or self.centres is None:
            return decision(logits)
        return np.asarray(np.digitize(odds, (self.centres[1:] + self.centres[:-1]) / 2))


def _odds(logits: Float[Array, "*N L"]) -> Float[Array, "*N"] | None:
    """Give the log-odds of the second of two classes; None for more classes."""
    if logits.shape[-1] > 2:
        return None
    return np.asarray(logits[..., 0] if logits.shape[-1] == 1 else logits[..., 1] - logits[..., 0])
