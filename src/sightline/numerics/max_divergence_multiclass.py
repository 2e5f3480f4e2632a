"""The maximal adversarial attention for any number of classes: exact where possible, else a
bracket.

The attentions with the same predicted class form a polytope with one wall for each of K rivals; a
corner has weight on up to K + 1 tokens. Ties go one way, so the polytope may be open on some sides,
and its largest divergence is a supremum. The attentions with the same probabilities form no
polytope: one around them gives an upper bound, and an attention found among them a lower bound.
``docs/exact.md`` has the proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice
from math import comb

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.numerics.divergences import jensen_shannon, probabilities, total_variation
from sightline.numerics.max_divergence import bound_gap, farthest, overlap
from sightline.numerics.simplex import decision, rival_gaps

Array = np.ndarray
Gives = Callable[[Float[Array, " T"]], bool]
_AT_ONCE = 2**14
_LEVEL = 1e-9
"""How far a floating-point solution may lie beyond a wall: in logits, and in total variation."""


@dataclass(frozen=True)
class Bounds:
    """A lower bound on the largest divergence, reached by ``attention``, and an upper bound; equal
    if exact.
    """

    low: Float[Array, " B"]
    high: Float[Array, " B"]
    attention: Float[Array, "B T"]


@dataclass(frozen=True)
class Polytope:
    """The attentions of one text whose K gaps lie within bounds; the text's own ``attention`` is
    one of them.
    """

    gaps: Float[Array, "T K"]
    low: Float[Array, " K"]
    high: Float[Array, " K"]
    attention: Float[Array, " T"]

    def holds(self, weights: Float[Array, " T"]) -> bool:
        """Tell whether the polytope contains an attention, up to rounding."""
        mixed = weights @ self.gaps
        return bool(((mixed >= self.low - _LEVEL) & (mixed <= self.high + _LEVEL)).all())


def farthest_deciding(
    gaps: Float[Array, "B T K"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    corners: int,
) -> Bounds:
    """Find the farthest attention under which a class is ahead of all its K rivals or level with
    them.

    ``gaps`` are its logits minus those of each rival. Exact if the solution for one rival alone
    satisfies all rivals, or if at most ``corners`` token sets must be examined; otherwise bounded.
    """
    found, rivals = _of_one_rival(gaps, attention, mask, 0.0, np.inf), gaps.shape[2]
    for row, real in enumerate(mask):
        text = Polytope(
            gaps[row, real], np.zeros(rivals), np.full(rivals, np.inf), attention[row, real]
        )
        if text.holds(found.attention[row, real]):
            continue
        # Σ_m C(tokens, m) · C(rivals, m − 1), counted without listing: 51 rivals have 2⁵¹ sets
        few = comb(int(real.sum()) + rivals, rivals + 1) <= corners
        _put(found, row, real, _best_corner(text) if few else _between(text, text.holds, (text,)))
    return found


def farthest_answering(
    z: Float[Array, "B T L"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    epsilon: float,
) -> Bounds:
    """Find the farthest attention whose probabilities are within ε of the model's own, in total
    variation.

    Exact for one logit and for two, and if the solution for one rival alone keeps all
    probabilities.
    """
    own = np.einsum("bt,btl->bl", np.where(mask, attention, 0.0), np.where(mask[..., None], z, 0.0))
    answers, here = probabilities(own), rival_gaps(own, decision(own))
    gaps, (low, high) = rival_gaps(z, decision(own)), walls(own, epsilon)
    found, near = (
        _of_one_rival(gaps, attention, mask, low, high),
        2 * np.arctanh(min(epsilon, 1 - _LEVEL)),
    )
    for row, real in enumerate(mask):
        own_weights, alone, answer = attention[row, real], z[row, real], answers[row]

        def gives(weights: Array, alone: Array = alone, answer: Array = answer) -> bool:
            return bool(total_variation(probabilities(weights @ alone), answer) <= epsilon + _LEVEL)

        if not gives(found.attention[row, real]):
            around = Polytope(gaps[row, real], low[row], high[row], own_weights)
            among = Polytope(gaps[row, real], here[row] - near, here[row] + near, own_weights)
            _put(found, row, real, _between(around, gives, (around, among)))
    return found


def walls(
    logits: Float[Array, "B L"], epsilon: float
) -> tuple[Float[Array, "B K"], Float[Array, "B K"]]:
    """Bound the gaps to the K rivals while the probabilities are within ε; with one rival the
    bounds are also sufficient.
    """
    decided, answers = decision(logits), probabilities(logits)
    chosen = np.arange(answers.shape[1]) == decided[:, None]
    rivals = answers[~chosen].reshape(len(answers), -1)
    return bound_gap(rival_gaps(logits, decided), answers[chosen][:, None], rivals, epsilon)


def _of_one_rival(
    gaps: Float[Array, "B T K"],
    attention: Float[Array, "B T"],
    mask: Bool[Array, "B T"],
    low: Float[Array, "B K"] | float,
    high: Float[Array, "B K"] | float,
) -> Bounds:
    """Solve for each rival alone, which gives upper bounds; the least of them is the tightest."""
    ends = [np.broadcast_to(one, gaps[:, 0].shape) for one in (low, high)]
    each = [
        farthest(gaps[..., k], attention, mask, *(one[:, k] for one in ends))
        for k in range(gaps.shape[2])
    ]
    far = np.stack([one.divergence for one in each])
    nearest, rows = far.argmin(axis=0), np.arange(len(gaps))
    where = np.stack([one.attention(gaps.shape[1]) for one in each])
    return Bounds(far[nearest, rows], far[nearest, rows], where[nearest, rows])


def _put(
    found: Bounds,
    row: int,
    real: Bool[Array, " T"],
    better: tuple[float, float, Float[Array, " N"]],
) -> None:
    """Replace the bound from the nearest rival by the solution for one text."""
    low, high, where = better
    found.high[row] = max(low, min(high, found.high[row]))
    found.low[row], found.attention[row] = low, 0.0
    found.attention[row, real] = where


def _between(
    text: Polytope, gives: Gives, places: Iterable[Polytope]
) -> tuple[float, float, Float[Array, " T"]]:
    """Bound the divergence from above over a polytope, and from below over attentions that
    ``gives`` accepts, at cheap corners.

    The overlap ℓ(x, a) is concave in x, so at least x ℓ(1, a), whose minimum over the polytope is a
    linear program.
    """
    bound, candidates = np.log(2), [text.attention]
    for place in places:
        for share in (1.0, 1 / 2, 1 / (1 + text.gaps.shape[1])):
            cost = overlap(share, text.attention) / share
            corner = _lightest(place, cost)
            if corner is not None:
                candidates.append(corner)
                bound = np.log(2) - cost @ corner / 2 if place is text and share == 1 else bound
    far = [float(jensen_shannon(one, text.attention)) if gives(one) else 0.0 for one in candidates]
    best = int(np.argmax(far))
    return far[best], bound, candidates[best]


def _lightest(place: Polytope, cost: Float[Array, " T"]) -> Float[Array, " T"] | None:
    """Find the corner of least cost; None if the solver finds none."""
    rows = np.concatenate([-place.gaps.T, place.gaps.T])
    ends = np.concatenate([-place.low, place.high])
    known = np.isfinite(ends)
    from scipy.optimize import linprog  # noqa: PLC0415  (half a second, where it is used)

    found = linprog(
        cost, A_ub=rows[known], b_ub=ends[known], A_eq=np.ones((1, len(cost))), b_eq=[1.0]
    )
    if found.x is None:
        return None
    weights = np.maximum(found.x, 0)
    return np.asarray(weights / weights.sum())


def _best_corner(text: Polytope) -> tuple[float, float, Float[Array, " T"]]:
    """Examine all corners of the polytope: with weight on m tokens, m − 1 rivals are level."""
    best, where = np.inf, text.attention
    for m, tight in _tight(text.gaps.shape[1]):
        for tokens in _sets(len(text.gaps), m):
            for rivals in tight:
                weights, loss = _level(text, tokens, rivals)
                at = int(loss.argmin())
                if loss[at] < best:
                    best, where = float(loss[at]), np.zeros(len(text.attention))
                    where[tokens[at]] = weights[at]
    divergence = float(jensen_shannon(where, text.attention))
    return divergence, divergence, where


def _tight(rivals: int) -> list[tuple[int, list[list[int]]]]:
    """List the possible numbers of tokens of a corner, with the rivals that can be level there."""
    return [
        (m, [list(some) for some in combinations(range(rivals), m - 1)])
        for m in range(1, rivals + 2)
    ]


def _sets(tokens: int, m: int) -> Iterator[Int[Array, "N {m}"]]:
    """Give all sets of m tokens, in batches."""
    every = combinations(range(tokens), m)
    while len(some := np.fromiter(chain.from_iterable(islice(every, _AT_ONCE)), dtype=np.int64)):
        yield some.reshape(-1, m)


def _level(
    text: Polytope, tokens: Int[Array, "N M"], rivals: list[int]
) -> tuple[Float[Array, "N M"], Float[Array, " N"]]:
    """Weigh each set of M tokens so that M − 1 rivals are level, by Cramer's rule; the loss is ∞ if
    that is impossible or a rival is ahead.
    """
    gaps = text.gaps[tokens]
    rows, m = np.moveaxis(gaps[:, :, rivals], 1, 2), tokens.shape[1]
    signed = [(-1) ** i * np.linalg.det(np.delete(rows, i, axis=2)) for i in range(m)]
    weights = np.stack(signed, axis=1) if m > 1 else np.ones((len(tokens), 1))
    total = weights.sum(axis=1, keepdims=True)
    able = np.abs(total[:, 0]) > 0
    weights = np.divide(weights, total, out=np.full(weights.shape, -1.0), where=total != 0)
    able &= (weights >= 0).all(axis=1) & (np.einsum("nm,nmk->nk", weights, gaps) >= -_LEVEL).all(
        axis=1
    )
    weights = np.where(able[:, None], weights, 0.0)
    # A token without weight has no overlap, so the sum can run over the whole text.
    return weights, np.where(able, overlap(weights, text.attention[tokens]).sum(axis=1), np.inf)
