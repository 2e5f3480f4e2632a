"""Change of the output under permuted weights, over the largest weight of a text (Jain & Wallace
2019, figure 6).
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
    """Draw the median change of the output over the permutations of each text."""
    moved = np.asarray(needed(audit, "permutation.median"), dtype=float)
    title = "Change of the output under permuted attention, by the largest weight"
    return by_weight(audit, moved, MOVED, title, ["After Jain & Wallace 2019, figure 6."])
