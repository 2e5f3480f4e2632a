"""What permuted weights do to the output, by the largest weight of the text (Jain & Wallace 2019,
figure 6).
"""

from __future__ import annotations

import numpy as np

from sightline.core.results import Results
from sightline.report.figures.by_max_weight import DrawnQuantity, by_weight
from sightline.report.figures.plot import Plot, needed

MOVED = DrawnQuantity(
    "median_change", "median change of the output (total variation)", 1.0, "no such number"
)


def permutation_by_weight(audit: Results) -> Plot:
    """Draw how far the output moves under permuted weights, in the median of the permutations of a
    text.
    """
    moved = np.asarray(needed(audit, "permutation.median"), dtype=float)
    title = "Change of the output under permuted attention, by the largest weight"
    return by_weight(audit, moved, MOVED, title, ["After Jain & Wallace 2019, figure 6."])
