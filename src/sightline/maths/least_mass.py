"""The least attention that must stay on some words for the same answer: exact, from token logits (SL-203).

A linear question over a polytope, so it is answered at a corner. With one logit that is one token or two, and the
answer is written down; with more classes it is asked for the same decision, of a linear program.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import linprog

Array = np.ndarray


def least_mass(
    gap: Float[Array, "B T"],
    held: Bool[Array, "*#R B T"],
    mask: Bool[Array, "B T"],
    low: Float[Array, " B"],
    high: Float[Array, " B"],
) -> Float[Array, "*R B"]:
    """Least ``Σ_{t ∈ S} α_t`` over the attentions with ``low ≤ Σ α_t gap_t ≤ high``, S the tokens ``held``.

    0 where the others can hold the answer alone. Otherwise all of them lie on one side of the interval, and it takes
    the nearest of them and the token of S that lies farthest to the other side. NaN where no attention gives it.
    """
    inside, others = (held & mask, ~held & mask)
    (least, most), (bottom, top) = (_ends(gap, some) for some in (inside, others))
    # From below the interval the others must be lifted to ``low``, from above brought down to ``high``.
    with np.errstate(invalid="ignore"):  # ∞ − ∞: an open end, or no token there
        lifted = _share(low - top, most - top)
        brought = _share(bottom - high, bottom - least)
    mass = np.maximum(np.where(top < low, lifted, 0.0), np.where(bottom > high, brought, 0.0))
    none = ~others.any(axis=-1)
    whole = np.where((least <= high) & (most >= low), 1.0, np.nan)
    return np.asarray(np.where(none, whole, mass))


def least_mass_deciding(
    gaps: Float[Array, "B T K"], held: Bool[Array, "R B T"], mask: Bool[Array, "B T"]
) -> Float[Array, "R B"]:
    """Least ``Σ_{t ∈ S} α_t`` over the attentions under which a class is ahead of each of its K rivals, or level.

    ``gaps`` are the class's logits less each rival's. A tie at the end counts as the class's, so that the least is
    reached. NaN where no attention decides so.
    """
    if gaps.shape[-1] == 1:
        return least_mass(gaps[..., 0], held, mask, np.zeros(len(gaps)), np.full(len(gaps), np.inf))
    out = np.full(held.shape[:2], np.nan)
    alone = (gaps >= 0).all(axis=-1) & mask
    free = (alone & ~held).any(axis=-1)
    for row in range(len(gaps)):
        real = mask[row]
        for draw in range(len(held)):
            out[draw, row] = 0.0 if free[draw, row] else _solved(gaps[row, real], held[draw, row, real])
    return out


def _ends(gap: Float[Array, "B T"], some: Bool[Array, "*R B T"]) -> tuple[Float[Array, "*R B"], Float[Array, "*R B"]]:
    return np.where(some, gap, np.inf).min(axis=-1), np.where(some, gap, -np.inf).max(axis=-1)


def _share(way: Float[Array, "*R B"], room: Float[Array, "*R B"]) -> Float[Array, "*R B"]:
    """Give the part of the room that has to be gone; NaN where there is less than that."""
    out = np.full(way.shape, np.nan)
    able = np.isfinite(way) & (room >= way) & (room > 0)
    return np.asarray(np.divide(way, room, out=out, where=able))


def _solved(gaps: Float[Array, "T K"], held: Bool[Array, " T"]) -> float:
    """Minimise the weight of what is held, subject to no rival being ahead."""
    if not len(gaps):
        return float("nan")
    found = linprog(held.astype(float), A_ub=-gaps.T, b_ub=np.zeros(gaps.shape[1]), A_eq=np.ones((1, len(gaps))), b_eq=[1])
    return float(np.clip(found.fun, 0, 1)) if found.status == 0 else float("nan")
