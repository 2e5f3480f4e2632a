"""A linear probe that predicts the word from its hidden state, held out by text; in nats.

``I_V(w; h) = H(w) − CE``, V the multinomial regressions linear in the state (Xu et al. 2020, *A
theory of usable information under computational constraints*, definition 2): the gain of a probe,
on unseen texts, over the word frequencies. The probe starts from these frequencies, so it gains
nothing if there is nothing to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

LOWEST = -20.0
"""The lowest log-probability that counts, so that one confident error does not decide the result."""
_RIDGE = 1e-3
"""Added to the variance of each axis, as a share of the mean variance: an axis without variance is
no evidence."""
_PRIOR = 0.5
_ONE_IN = 8
"""The share of texts that select the number of steps and are not trained on."""


@dataclass(frozen=True)
class ProbeTraining:
    """How a probe is trained: Adam (Kingma & Ba 2015) in mini-batches, with a rate that falls to 0.

    ``looks`` is the number of evenly spaced evaluations on the selection texts, and ``patience``
    the most evaluations in a row without improvement. The number of steps does not depend on the
    number of pairs, so few pairs are learned equally far.
    """

    steps: int = 700
    rate: float = 0.006
    batch: int = 256
    looks: int = 10
    patience: int = 2


@dataclass(frozen=True)
class WordProbe:
    """A probe, on whitened states: ``(state − centre) · axes`` has variance 1 in every
    direction.
    """

    centre: Float[Tensor, " D"]
    axes: Float[Tensor, "D D"]
    weights: Float[Tensor, "D C"]
    intercepts: Float[Tensor, " C"]
    common: Float[Tensor, " C"]

    def gained(
        self, states: Float[Tensor, "M D"], words: Int[Tensor, " M"]
    ) -> tuple[Float[Tensor, " M"], Float[Tensor, " M"]]:
        """Give the gain of each state in log-probability of its word, and −ln p(w), the cost of the
        word without the state.
        """
        said = torch.log_softmax(self._white(states) @ self.weights + self.intercepts, dim=1)
        of = said.gather(1, words[:, None])[:, 0].clamp(min=LOWEST)
        return of - self.common[words], -self.common[words]

    def _white(self, states: Float[Tensor, "M D"]) -> Float[Tensor, "M D"]:
        return (states.to(self.centre) - self.centre) @ self.axes


def learned(
    states: Float[Tensor, "N D"],
    words: Int[Tensor, " N"],
    texts: Int[np.ndarray, " N"],
    count: int,
    generator: np.random.Generator,
    steps: ProbeTraining | None = None,
) -> WordProbe:
    """Train a probe for ``count`` words; an eighth of the texts select the number of steps."""
    choosing = torch.from_numpy(_choosing(texts, generator)).to(states.device)
    probe = _blank(states[~choosing], words[~choosing], count)
    inside = probe._white(states[~choosing]), words[~choosing]
    outside = probe._white(states[choosing]), words[choosing]
    weights, intercepts = _climbed(inside, outside, probe, generator, steps or ProbeTraining())
    return WordProbe(probe.centre, probe.axes, weights, intercepts, probe.common)


def _choosing(
    texts: Int[np.ndarray, " N"], generator: np.random.Generator
) -> Bool[np.ndarray, " N"]:
    """Mark the pairs of an eighth of the texts, at least one text; all pairs of a text stay
    together.
    """
    there = np.unique(texts)
    mixed = generator.permutation(there)
    return (
        np.isin(texts, mixed[: max(1, len(there) // _ONE_IN)])
        if len(there) > 1
        else np.zeros(len(texts), bool)
    )


def _blank(states: Float[Tensor, "N D"], words: Int[Tensor, " N"], count: int) -> WordProbe:
    """Make a probe with the word frequencies and the whitening of the states, before training."""
    centre = states.mean(0)
    apart = (states - centre).double()
    values, axes = torch.linalg.eigh(apart.T @ apart / max(1, len(apart)))
    floor = _RIDGE * values.clamp(min=0).mean()
    scale = (values.clamp(min=0) + floor).clamp(min=torch.finfo(torch.float64).tiny).rsqrt()
    white = (axes * torch.where(floor > 0, scale, 0.0)).to(states)
    counts = torch.bincount(words, minlength=count).to(states) + _PRIOR
    common = (counts / counts.sum()).log()
    return WordProbe(
        centre, white, torch.zeros(states.shape[1], count).to(states), common.clone(), common
    )


def _climbed(
    inside: tuple[Float[Tensor, "N D"], Int[Tensor, " N"]],
    outside: tuple[Float[Tensor, "M D"], Int[Tensor, " M"]],
    start: WordProbe,
    generator: np.random.Generator,
    steps: ProbeTraining,
) -> tuple[Float[Tensor, "D C"], Float[Tensor, " C"]]:
    """Minimise the loss on the inside pairs, and keep the weights that do best on the outside
    pairs, possibly the initial ones.
    """
    held = [start.weights.clone(), start.intercepts.clone()]
    adam = torch.optim.Adam(held, lr=steps.rate)
    best, kept, worse = _loss(outside, held), [one.clone() for one in held], 0
    states, words = inside
    for step in range(steps.steps):
        rows = torch.from_numpy(generator.permutation(len(words))[: steps.batch]).to(words.device)
        adam.param_groups[0]["lr"] = steps.rate * (1 - step / steps.steps)
        held[0].grad, held[1].grad = _slope(states[rows], words[rows], held)
        adam.step()
        if (step + 1) % (steps.steps // steps.looks) == 0:
            loss = _loss(outside, held)
            worse = 0 if loss < best else worse + 1
            if loss < best:
                best, kept = loss, [one.clone() for one in held]
            if worse == steps.patience:
                break
    return kept[0], kept[1]


def _slope(
    states: Float[Tensor, "B D"], words: Int[Tensor, " B"], held: list[Tensor]
) -> tuple[Float[Tensor, "D C"], Float[Tensor, " C"]]:
    """Give the gradient of the mean loss: ``x (q − 1_w)`` and ``q − 1_w``."""
    off = torch.softmax(states @ held[0] + held[1], dim=1)
    off[torch.arange(len(words), device=words.device), words] -= 1
    off /= len(words)
    return states.T @ off, off.sum(0)


def _loss(of: tuple[Float[Tensor, "M D"], Int[Tensor, " M"]], held: list[Tensor]) -> float:
    """Give the mean loss; without selection texts the loss is unknown and nothing is learned."""
    if not len(of[1]):
        return 0.0
    return float(torch.nn.functional.cross_entropy(of[0] @ held[0] + held[1], of[1]))
