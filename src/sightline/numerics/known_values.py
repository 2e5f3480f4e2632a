"""Means and standard deviations of the values that are known: NaN marks an undefined one."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Array = np.ndarray


def mean_of_known(values: Float[Array, "N K"]) -> Float[Array, " N"]:
    """Average the known numbers of each row; NaN where none is known."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0))


def sd_of_known(values: Float[Array, " N"]) -> float | None:
    """Give the standard deviation of the known numbers; None if there are fewer than two."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else None
