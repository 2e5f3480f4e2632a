"""Search for adversarial attention, far from the model's own with the same output, from the corners
of the simplex inwards.

Divergence is convex, so the farthest attention lies on the boundary of the tolerance. All weight on
one word is a corner; a step that ends outside the tolerance is halved until it ends inside. For an
affine decoder with one logit, the farthest point lies on a line between two corners. For any other
decoder this is a search, and finding nothing proves nothing. Every returned point has been decoded
and lies within the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.special import expit, logit, logsumexp

from sightline.numerics.adversarial_descent import Descent, DescentProblem, descend
from sightline.numerics.divergences import jensen_shannon, probabilities
from sightline.numerics.max_divergence import overlap
from sightline.numerics.simplex import classes_apart, decision
from sightline.numerics.tensors import to_numpy
from sightline.numerics.tolerance import Tolerance

Array = np.ndarray
Points = Float[Array, "K B T"]
HALVINGS = 14
"""Number of halvings of a step, which leave less than 1e-4 of it."""
AT_ONCE = 16
"""Number of corners decoded together."""


@dataclass(frozen=True)
class ClimbSettings:
    """The number of pairs of corners, the settings of the gradient descent, and the decoding budget
    for each text.

    Steps are ten times as long as in the published search, and leaving the tolerance is cheap,
    because points outside are drawn back. With more than two classes, no other setting found more
    (docs/decisions/0063).
    """

    pairs: int = 24
    descent: Descent = field(
        default_factory=lambda: Descent(steps=100, rate=0.1, strength=20.0, mutual=False)
    )
    budget: int = 2500


@dataclass
class Probe:
    """Decodes attention, and counts the decodings of each text."""

    task: DescentProblem
    tolerance: Tolerance
    own: Float[Array, "B T"] = field(init=False)
    mask: Bool[Array, "B T"] = field(init=False)
    logits: Float[Array, "B L"] = field(init=False)
    decodes: Int[Array, " B"] = field(init=False)

    def __post_init__(self) -> None:
        """Convert the tensors of the problem to arrays."""
        self.own, self.logits = (to_numpy(one) for one in (self.task.attention, self.task.logits))
        self.mask = self.task.mask.cpu().numpy()
        self.decodes = np.zeros(len(self.own), dtype=np.int64)

    def decode(
        self, points: Points, asked: Bool[Array, "K B"] | None = None
    ) -> Float[Array, "K B L"]:
        """Decode points; only the ``asked`` ones count towards the budget."""
        self.decodes += len(points) if asked is None else asked.sum(axis=0)
        with torch.no_grad():
            logits = self.task.decode(torch.from_numpy(points).to(self.task.attention))
        return to_numpy(logits)

    def holds(self, points: Points, asked: Bool[Array, "K B"] | None = None) -> Bool[Array, "K B"]:
        """Tell which points keep the model's output."""
        return self.same(self.decode(points, asked))

    def same(self, logits: Float[Array, "K B L"]) -> Bool[Array, "K B"]:
        """Tell which logits equal the model's output within the tolerance."""
        return self.tolerance.holds(probabilities(logits), probabilities(self.logits))

    def odds(self, logits: Float[Array, "*K B L"]) -> Float[Array, "*K B"]:
        """Log-odds of the predicted class."""
        apart = classes_apart(logits)
        chosen = np.arange(apart.shape[-1]) == decision(self.logits)[:, None]
        inside, outside = (
            logsumexp(np.where(kept, apart, -np.inf), axis=-1) for kept in (chosen, ~chosen)
        )
        return np.asarray(inside - outside)


def climb(probe: Probe, scores: Float[Array, "K B T"], how: ClimbSettings) -> Float[Array, "3 B"]:
    """Find adversarial attention by one word, then by two, then by gradient; give the largest
    divergence after each stage.

    The divergence is 0 if none was found. The gradient descent starts from ``scores``.
    """
    odds, kept = _corners(probe, how, len(scores))
    alone = np.where(kept, _of_pair(np.ones(()), probe.own, np.zeros(())), 0.0)
    edges, there = _edges(probe, odds, kept, how.pairs)
    far = np.where(there, _far(probe, edges), 0.0)
    stages = (
        alone.max(axis=1),
        far.max(axis=0),
        _far(probe, _descended(probe, scores, how.descent)).max(axis=0),
    )
    return np.maximum.accumulate(np.stack(stages))


def _far(probe: Probe, points: Points) -> Float[Array, "K B"]:
    return jensen_shannon(points, probe.own)


def _corners(
    probe: Probe, how: ClimbSettings, points: int
) -> tuple[Float[Array, "B T"], Bool[Array, "B T"]]:
    """Put all weight on each word: its log-odds (NaN if not decoded), and whether it keeps the
    output.

    If a text has more words than the remaining budget, only the least attended words are decoded.
    """
    asked = probe.mask & (_rank(np.where(probe.mask, probe.own, np.inf)) < _room(how, points))
    odds, kept = np.full(asked.shape, np.nan), np.zeros(asked.shape, dtype=bool)
    for start in range(0, asked.shape[1], AT_ONCE):
        chunk = np.arange(start, min(start + AT_ONCE, asked.shape[1]))
        there = asked[:, chunk].T
        corners = np.where(there[..., None], np.eye(asked.shape[1])[chunk][:, None, :], probe.own)
        logits = probe.decode(corners, there)
        odds[:, chunk] = np.where(there, probe.odds(logits), np.nan).T
        kept[:, chunk] = (there & probe.same(logits)).T
    return odds, kept


def _room(how: ClimbSettings, points: int) -> int:
    """Give the decodings that the budget leaves for corners, after pairs (`_edges`) and gradients
    (`_descended`).
    """
    along = HALVINGS + 1
    return max(1, how.budget - how.pairs * 2 * along - points * (how.descent.steps + along))


def _rank(values: Float[Array, "B T"]) -> Int[Array, "B T"]:
    return np.argsort(np.argsort(values, axis=1, kind="stable"), axis=1, kind="stable")


def _edges(
    probe: Probe, odds: Float[Array, "B T"], kept: Bool[Array, "B T"], count: int
) -> tuple[Points, Bool[Array, "K B"]]:
    """Mix two words, from a point that keeps the output towards one of the words, as far as the
    output is kept; and tell which mixtures exist.

    A mixture starts from the other word if that keeps the output, else from the mixture with the
    text's log-odds. The pairs tried would be farthest if log-odds mixed as the weights do.
    """
    chosen = np.stack(
        [_pairs(*row, count) for row in zip(odds, _walls(probe), probe.own, strict=True)], axis=1
    )
    each, rows = np.eye(odds.shape[1]), np.arange(len(odds))
    there, (inner, outer) = chosen[..., 0] >= 0, np.moveaxis(np.maximum(chosen, 0), -1, 0)
    alone = there & kept[rows, inner]
    middle = _crossing(probe, each[inner], each[outer], odds[rows, inner], there & ~alone)
    inside = np.where(alone[..., None], each[inner], middle)
    there = alone | (there & probe.holds(inside, there & ~alone))
    return farthest_along(
        probe, np.where(there[..., None], inside, probe.own), each[outer], there
    ), there


def _walls(probe: Probe) -> Float[Array, "B 2"]:
    """The log-odds of the predicted class between which its probability stays within the tolerance."""
    chance = expit(probe.odds(probe.logits))[:, None]
    room = probe.tolerance.of_one_class * np.array([-1, 1])
    return np.asarray(logit(np.clip(chance + room, 0.0, 1.0)))


def _pairs(
    odds: Float[Array, " T"], walls: Float[Array, " 2"], attention: Float[Array, " T"], count: int
) -> Int[Array, "K 2"]:
    """Choose pairs on two sides of a wall, the inner word first; −1 if there are no more."""
    found, far = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
    for wall, inwards in zip(walls, (1, -1), strict=True):
        inner, outer = (
            np.flatnonzero(np.isfinite(odds) & (side * odds > side * wall))
            for side in (inwards, -inwards)
        )
        share = (wall - odds[outer]) / (odds[inner][:, None] - odds[outer])
        far.append(_of_pair(share, attention[inner][:, None], attention[outer]).ravel())
        found.append(np.stack(np.meshgrid(inner, outer, indexing="ij"), axis=-1).reshape(-1, 2))
    best = np.argsort(-np.concatenate(far), kind="stable")[:count]
    out = np.full((count, 2), -1)
    out[: len(best)] = np.concatenate(found)[best]
    return out


def _of_pair(share: Array, first: Array, second: Array) -> Array:
    """Divergence of a mixture of two words; only these words overlap with the model's own weights."""
    return np.asarray(np.log(2) - (overlap(share, first) + overlap(1 - share, second)) / 2)


def _crossing(
    probe: Probe, inner: Points, outer: Points, odds: Float[Array, "K B"], asked: Bool[Array, "K B"]
) -> Points:
    """Mix two words with log-odds on both sides of the text's, by bisection, to match the text's
    log-odds.
    """
    own = probe.odds(probe.logits)
    step, most = np.zeros(asked.shape), np.ones(asked.shape)
    for _ in range(HALVINGS):
        middle = (step + most) / 2
        here = probe.odds(probe.decode(inner + middle[..., None] * (outer - inner), asked))
        before = (here > own) == (odds > own)
        step, most = np.where(before, middle, step), np.where(before, most, middle)
    return np.asarray(inner + ((step + most) / 2)[..., None] * (outer - inner))


def farthest_along(
    probe: Probe, inside: Points, outside: Points, there: Bool[Array, "K B"] | None = None
) -> Points:
    """Move from points that keep the output towards other points, as far as the output is kept, by
    halving.
    """
    step = np.where(probe.holds(outside, there), 1.0, 0.0)
    most = np.ones(step.shape)
    for _ in range(HALVINGS):
        middle = (step + most) / 2
        kept = probe.holds(inside + middle[..., None] * (outside - inside), there)
        step, most = np.where(kept, middle, step), np.where(kept, most, middle)
    return np.asarray(inside + step[..., None] * (outside - inside))


def _descended(probe: Probe, scores: Float[Array, "K B T"], how: Descent) -> Points:
    """Follow the gradient; a point outside the tolerance is drawn back towards the model's own
    attention, which is inside.
    """
    start = torch.from_numpy(scores).to(probe.task.attention)
    reached = to_numpy(descend(probe.task, start, probe.tolerance, how))
    probe.decodes += len(scores) * how.steps
    return farthest_along(probe, np.broadcast_to(probe.own, reached.shape), reached)
