"""Which texts choose an attention source: few, so that every predicted class keeps its texts for
the audit.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int

from sightline.core.seeds import seed_for

Array = np.ndarray
MOST = 40
"""Texts of a predicted class that choose at most."""
FEW = 10
"""Texts of a predicted class that choose even where it then lacks texts; half of a class that has
no more."""


def quota(texts: int, least: int) -> int:
    """Say how many texts of a predicted class choose: what it has beyond the ``least``, from `FEW`
    to `MOST`.
    """
    return min(MOST, max(texts - least, min(FEW, texts // 2)))


def choosers(
    predicted: Int[Array, " N"], clusters: Int[Array, " N"], seed: int, least: int
) -> Bool[Array, " N"]:
    """Mark the texts that choose, drawn by seed and cluster; no cluster lies on both sides.

    Whether a text chooses depends on the predictions and on the draw alone. So the others are,
    within each predicted class, a random part of its texts, whatever is then found on those that
    choose.
    """
    members = np.unique(clusters, return_inverse=True)[1]
    classes = np.unique(predicted, return_inverse=True)[1]
    counts = np.zeros(
        (int(members.max(initial=-1)) + 1, int(classes.max(initial=-1)) + 1), dtype=int
    )
    np.add.at(counts, (members, classes), 1)
    left = np.array([quota(int(texts), least) for texts in counts.sum(axis=0)])
    names = np.unique(clusters)
    chosen = np.zeros(len(names), dtype=bool)
    for one in np.argsort([seed_for(seed, "readings", int(name)) for name in names], kind="stable"):
        if (counts[one] <= left).all():
            chosen[one], left = True, left - counts[one]
    return np.asarray(chosen[members])
