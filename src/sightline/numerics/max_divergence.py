"""The maximal adversarial attention: farthest from the model's own, with the same output. Exact,
for one logit (SL-203).

Jain & Wallace (2019) search for it by gradient descent and call the divergence found the
ε-max JSD. The attentions with a logit in an interval form a polytope. A convex function is largest
at a corner, and each corner has weight on one token or two. ``docs/exact.md`` has the proofs, also
of what pruning may skip.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import xlogy

Array = np.ndarray
_PAIRS_AT_ONCE = 2**17
"""Upper bound on the pairs of tokens in memory at a time: arrays of 1 MB, which fit a processor's
cache."""
_TILE = 32
"""Tokens of one side that share a bound before their pairs are examined."""
_ROUNDING = 1e-12
"""Slack around the model's own logit, as a share of it: mixing equal token logits gives nearly
equal ones."""
_DIGITS = 12
"""Overlaps are rounded to this many digits, and the first of equal ones is taken, so that no batch
or thread decides a tie."""
_TINY = 1e-300
"""Keeps the logarithm of 0 finite without changing any other possible weight."""


@dataclass(frozen=True)
class Farthest:
    """The largest divergence, in nats, and its attention: ``share`` on the first token, the rest on
    the second.

    If one token alone keeps the output, it is named twice.
    """

    divergence: Float[Array, " B"]
    tokens: Int[Array, "B 2"]
    share: Float[Array, " B"]

    def attention(self, length: int) -> Float[Array, "B {length}"]:
        """Expand it to the weights of all tokens."""
        out, rows = np.zeros((len(self.share), length)), np.arange(len(self.share))
        np.add.at(out, (rows, self.tokens[:, 0]), self.share)
        np.add.at(out, (rows, self.tokens[:, 1]), 1 - self.share)
        return out


def bound_gap(
    gap: Float[Array, "*B"], chance: Float[Array, "*#B"], rival: Float[Array, "*B"], epsilon: float
) -> tuple[Float[Array, "*B"], Float[Array, "*B"]]:
    """Bound the gap to a rival while no probability changes by more than ε.

    ``gap`` is the model's own gap; ``chance`` and ``rival`` are the probabilities of both classes,
    σ(s) and σ(−s) with one logit. A bound is infinite if a probability may reach 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(
            chance > epsilon, np.log(chance - epsilon) - np.log(rival + epsilon), -np.inf
        )
        high = np.where(rival > epsilon, np.log(chance + epsilon) - np.log(rival - epsilon), np.inf)
    room = _ROUNDING * np.maximum(1.0, np.abs(gap))
    return np.minimum(low, gap - room), np.maximum(high, gap + room)


def farthest(
    gap: Float[Array, "B T"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    low: Float[Array, " B"],
    high: Float[Array, " B"],
) -> Farthest:
    """Find the attention of largest Jensen–Shannon divergence from ``attention`` with ``low ≤ Σ α_t
    gap_t ≤ high``.

    With ``ℓ(x, a) = (x + a) log(x + a) − x log x − a log a``, the overlap of two weights of one
    token, the divergence of the mixture λ on i and 1 − λ on j is ``log 2 − ½ (ℓ(λ, a_i) + ℓ(1 − λ,
    a_j))``: only the weights of i and j count.
    """
    inside = mask & (gap >= low[:, None]) & (gap <= high[:, None])
    alone = np.where(inside, overlap(1.0, attention), np.inf)
    token = np.round(alone, _DIGITS).argmin(axis=1)
    best, tokens = alone.min(axis=1), np.stack([token, token], axis=1)
    share = np.ones(len(gap))
    order = np.argsort(np.where(mask, gap, np.inf), axis=1)
    for wall in (low, high):
        least, pair, first = _on_a_wall(
            gap, attention, mask & np.isfinite(wall)[:, None], wall, order, best
        )
        better = np.round(least, _DIGITS) < np.round(best, _DIGITS)
        best = np.where(better, least, best)
        tokens, share = np.where(better[:, None], pair, tokens), np.where(better, first, share)
    return Farthest(np.maximum(np.log(2) - best / 2, 0.0), tokens, share)


def overlap(x: Float[Array, "*#B"] | float, a: Float[Array, "*#B"]) -> Float[Array, "*B"]:
    """``ℓ(x, a)``: 0 if either is 0, jointly concave, and increasing in each."""
    return np.asarray(xlogy(x + a, x + a) - xlogy(x, x) - xlogy(a, a))


def _on_a_wall(
    gap: Array,
    attention: Array,
    real: Array,
    wall: Float[Array, " B"],
    order: Int[Array, "B T"],
    known: Array,
) -> tuple[Float[Array, " B"], Int[Array, "B 2"], Float[Array, " B"]]:
    """Find the pair with the least overlap whose mixture lies on one end of the interval, if it
    beats the known overlap.
    """
    wall = np.where(np.isfinite(wall), wall, 0.0)[:, None]
    rising, weights, there = (
        np.take_along_axis(one, order, axis=1) for one in (gap, attention, real)
    )
    places = [_kept(weights, there & side) for side in (rising < wall, rising > wall)]
    rows = np.flatnonzero((places[0][:, 0] >= 0) & (places[1][:, 0] >= 0))
    best, share = np.full(len(gap), np.inf), np.ones(len(gap))
    pair = np.zeros((len(gap), 2), dtype=np.int64)
    if len(rows):
        far = np.abs(rising - wall)
        d, a, u, b = (
            _tiled(np.take_along_axis(each[rows], at[rows], axis=1))
            for at in places
            for each in (far, weights)
        )
        least, first, second, part = _closest_of_tiles(d, a, u, b, known[rows])
        best[rows], share[rows] = least, part
        ends = [
            at[rows, np.minimum(one, at.shape[1] - 1)]
            for at, one in zip(places, (first, second), strict=True)
        ]
        pair[rows] = np.stack([order[rows, one] for one in ends], axis=1)
    return best, pair, share


def _kept(weights: Float[Array, "B T"], there: Bool[Array, "B T"]) -> Int[Array, "B K"]:
    """List the tokens on one side of a wall, in order of their logits, that an optimal pair may
    need.

    A token is never needed if one token before it and one after it weigh no more
    (``docs/exact.md``). Shorter lists repeat their last token; an empty one is filled with −1.
    """
    filled = np.where(there, weights, np.inf)
    edge = np.full((len(filled), 1), np.inf)
    before = np.minimum.accumulate(np.concatenate([edge, filled[:, :-1]], axis=1), axis=1)
    behind = np.minimum.accumulate(np.concatenate([edge, filled[:, :0:-1]], axis=1), axis=1)[
        :, ::-1
    ]
    needed = (filled < before) | (filled < behind)
    count = needed.sum(axis=1, keepdims=True)
    places = np.argsort(~needed, axis=1, kind="stable")
    column = np.minimum(np.arange(max(1, int(count.max(initial=0)))), np.maximum(count - 1, 0))
    return np.asarray(np.where(count > 0, np.take_along_axis(places, column, axis=1), -1))


def _tiled(values: Float[Array, "M K"]) -> Float[Array, "M N S"]:
    """Cut rows into tiles of equal size, padding the last tile with the last value."""
    size = min(_TILE, values.shape[1])
    tiles = -(-values.shape[1] // size)
    full = np.pad(values, ((0, 0), (0, tiles * size - values.shape[1])), mode="edge")
    return full.reshape(len(values), tiles, size)


def _closest_of_tiles(
    d: Float[Array, "M I S"],
    a: Float[Array, "M I S"],
    u: Float[Array, "M J Z"],
    b: Float[Array, "M J Z"],
    known: Array,
) -> tuple[Float[Array, " M"], Int[Array, " M"], Int[Array, " M"], Float[Array, " M"]]:
    """Give the least overlap over all pairs, its two tokens and the share of the first; ∞ if
    ``known`` is less.

    ``d`` and ``u`` are the distances of the tokens below and above the wall from it, ``a`` and
    ``b`` their weights. A pair of tiles is skipped if its lower bound exceeds the known overlap, or
    the first pair of any tile.
    """
    known = np.minimum(
        known, _mixed(d[:, :, 0], a[:, :, 0], u[:, :, 0], b[:, :, 0])[0].min(axis=(1, 2))
    )
    row, i, j = np.nonzero(_bound(d, a, u, b) <= known[:, None, None] + _ROUNDING)
    found = [
        np.empty(len(row)),
        np.empty(len(row), int),
        np.empty(len(row), int),
        np.empty(len(row)),
    ]
    at_once = max(1, _PAIRS_AT_ONCE // (d.shape[2] * u.shape[2]))
    for start in range(0, len(row), at_once):
        some = slice(start, start + at_once)
        r, below, above = row[some], i[some], j[some]
        for out, one in zip(
            found, _closest(d[r, below], a[r, below], u[r, above], b[r, above]), strict=True
        ):
            out[some] = one
    found[1] += i * d.shape[2]
    found[2] += j * u.shape[2]
    order = np.lexsort((found[2], found[1], np.round(found[0], _DIGITS), row))
    which, first = np.unique(row[order], return_index=True)
    best = np.full(len(d), np.inf), np.zeros(len(d), int), np.zeros(len(d), int), np.ones(len(d))
    for out, one in zip(best, found, strict=True):
        out[which] = one[order[first]]
    return best


def _bound(d: Array, a: Array, u: Array, b: Array) -> Float[Array, "M I J"]:
    """Bound the overlap of a pair of tiles from below: overlap increases in both weights and is
    concave in the share.
    """
    a, b = a.min(axis=2), b.min(axis=2)
    ends = ((d.max(axis=2), u.min(axis=2)), (d.min(axis=2), u.max(axis=2)))
    least, most = (_mixed(below, a, above, b)[0] for below, above in ends)
    return np.asarray(np.minimum(least, most))


def _closest(
    d: Float[Array, "M I"], a: Float[Array, "M I"], u: Float[Array, "M J"], b: Float[Array, "M J"]
) -> tuple[Float[Array, " M"], Int[Array, " M"], Int[Array, " M"], Float[Array, " M"]]:
    """Give the least overlap over the pairs of each row, its two tokens, and the share of the
    first.
    """
    mixed, share = _mixed(d, a, u, b)
    flat, rows = mixed.reshape(len(d), -1), np.arange(len(d))
    at = np.round(flat, _DIGITS).argmin(axis=1)
    first, second = np.divmod(at, u.shape[1])
    return flat[rows, at], first, second, share[rows, first, second]


def _mixed(
    d: Float[Array, "M I"], a: Float[Array, "M I"], u: Float[Array, "M J"], b: Float[Array, "M J"]
) -> tuple[Float[Array, "M I J"], Float[Array, "M I J"]]:
    """Give the overlap of every pair mixed onto the wall, and the share of the first token, ``λ =
    u/(u + d)``.
    """
    both = d[:, :, None] + u[:, None, :]
    share, rest = u[:, None, :] / both, d[:, :, None] / both
    mixed = (
        _xlogx(share + a[:, :, None]) + _xlogx(rest + b[:, None, :]) - _xlogx(share) - _xlogx(rest)
    )
    return mixed - (_xlogx(a)[:, :, None] + _xlogx(b)[:, None, :]), share


def _xlogx(x: Array) -> Array:
    return np.asarray(x * np.log(x + _TINY))
