"""The texts that choose an attention source: few, so that enough texts of every predicted class are
left for the audit.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int

from sightline.core.seeds import seed_for

Array = np.ndarray
MOST = 40
"""The most texts of one predicted class that choose."""
FEW = 10
"""The fewest texts of one predicted class that choose, even if too few are left to audit. A class
with fewer than twice as many gives half of its texts."""


def quota(texts: int, least: int) -> int:
    """Count the texts of a predicted class that choose: those above ``least``, limited to between
    `FEW` and `MOST`.
    """
    return min(MOST, max(texts - least, min(FEW, texts // 2)))


def choosing_texts(
    predicted: Int[Array, " N"], clusters: Int[Array, " N"], seed: int, least: int
) -> Bool[Array, " N"]:
    """Mark the texts that choose, drawn by seed and cluster; no cluster lies on both sides.

    The choice of texts depends only on the predictions and on the seed. The remaining texts are
    therefore a random part of each predicted class, whatever the chosen texts show.
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
