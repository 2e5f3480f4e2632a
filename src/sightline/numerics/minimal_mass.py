"""The least attention that must stay on given words for the same output: exact, from token logits
(SL-203).

This is a linear program over a polytope, so the minimum is at a corner. With one rival class a
corner is one token or two, and the solution is in closed form; with more rivals a solver is used.
``docs/exact.md`` has the proofs.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray


def least_mass(
    gaps: Float[Array, "B T K"],
    held: Bool[Array, "R B T"],
    mask: Bool[Array, "B T"],
    low: Float[Array, "B K"],
    high: Float[Array, "B K"],
) -> Float[Array, "R B"]:
    """Least ``Σ_{t ∈ S} α_t`` over the attentions with ``low_k ≤ Σ α_t gap_tk ≤ high_k`` for each
    of K rivals.

    S are the ``held`` tokens, several sets for each text. NaN if no attention satisfies the bounds.
    """
    if gaps.shape[2] == 1:
        return _between_two(gaps[..., 0], held, mask, low[:, 0], high[:, 0])
    out = np.full(held.shape[:2], np.nan)
    alone = ((gaps >= low[:, None]) & (gaps <= high[:, None])).all(axis=2) & mask
    free = (alone & ~held).any(axis=2)
    for draw, row in np.ndindex(out.shape):
        real = mask[row]
        program = (held[draw, row, real], gaps[row, real], low[row], high[row])
        out[draw, row] = 0.0 if free[draw, row] else _solved(*program)
    return out


def _between_two(
    gap: Float[Array, "B T"],
    held: Bool[Array, "R B T"],
    mask: Bool[Array, "B T"],
    low: Float[Array, " B"],
    high: Float[Array, " B"],
) -> Float[Array, "R B"]:
    """Solve for one rival: 0 if the other tokens can keep the output alone.

    Otherwise all other tokens lie on one side of the interval. The optimum mixes the nearest of
    them with the token of S that lies farthest to the other side.
    """
    (least, most), (bottom, top) = (_ends(gap, some) for some in (held & mask, ~held & mask))
    # Tokens below the interval must be raised to ``low``, tokens above it lowered to ``high``.
    with np.errstate(invalid="ignore"):  # ∞ − ∞: an unbounded end, or no token on that side
        lifted = _share(low - top, most - top)
        brought = _share(bottom - high, bottom - least)
    mass = np.maximum(np.where(top < low, lifted, 0.0), np.where(bottom > high, brought, 0.0))
    whole = np.where((least <= high) & (most >= low), 1.0, np.nan)
    return np.asarray(np.where((~held & mask).any(axis=2), mass, whole))


def _ends(
    gap: Float[Array, "B T"], some: Bool[Array, "R B T"]
) -> tuple[Float[Array, "R B"], Float[Array, "R B"]]:
    return np.where(some, gap, np.inf).min(axis=2), np.where(some, gap, -np.inf).max(axis=2)


def _share(way: Float[Array, "R B"], room: Float[Array, "R B"]) -> Float[Array, "R B"]:
    """Give the share of the distance that must be covered; NaN if the distance is too short."""
    able = np.isfinite(way) & (room >= way) & (room > 0)
    return np.asarray(np.divide(way, room, out=np.full(way.shape, np.nan), where=able))


def _solved(
    held: Bool[Array, " T"],
    gaps: Float[Array, "T K"],
    low: Float[Array, " K"],
    high: Float[Array, " K"],
) -> float:
    """Minimise the weight of the held tokens by linear programming."""
    rows, ends = np.concatenate([-gaps.T, gaps.T]), np.concatenate([-low, high])
    known = np.isfinite(ends)
    ones = np.ones((1, len(held)))
    from scipy.optimize import linprog  # noqa: PLC0415  (half a second, where it is used)

    found = linprog(held.astype(float), A_ub=rows[known], b_ub=ends[known], A_eq=ones, b_eq=[1.0])
    return float(np.clip(held @ found.x, 0, 1)) if found.x is not None else float("nan")
