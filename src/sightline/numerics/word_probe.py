"""How well states tell which word they stand for: a linear probe of many words, held out by text;
in nats.

``I_V(w; h) = H(w) − CE``, V the multinomial regressions linear in the state (Xu et al. 2020, *A
theory of usable information under computational constraints*, definition 2): what a probe gains, on
texts it has not seen, over knowing only how common each word is. It begins as that knowledge, so
that it gains nothing where there is nothing to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

LOWEST = -20.0
"""The least log-probability that counts: one word that the probe is sure about and wrong must not
decide."""
_RIDGE = 1e-3
"""What is added to the variance of each axis, as a share of the mean of all: an axis without any is
no evidence."""
_PRIOR = 0.5
_ONE_IN = 8
"""Of the texts, this part chooses the number of steps, and teaches nothing."""


@dataclass(frozen=True)
class ProbeTraining:
    """How a probe is learned: Adam (Kingma & Ba 2015), some pairs at a time, its rate falling to 0.

    ``looks`` are how often, evenly, the other texts are asked how good it is, and ``patience`` how
    many looks in a row may be worse than the best. As many steps for few pairs as for many: few are
    learned as far.
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
        """Give what each state adds to the log-probability of its word, and what the word takes
        without: −ln p(w).
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
    """Learn to tell ``count`` words from their states; an eighth of the texts choose the steps that
    are kept.
    """
    choosing = torch.from_numpy(_choosing(texts, generator)).to(states.device)
    probe = _blank(states[~choosing], words[~choosing], count)
    inside = probe._white(states[~choosing]), words[~choosing]
    outside = probe._white(states[choosing]), words[choosing]
    weights, intercepts = _climbed(inside, outside, probe, generator, steps or ProbeTraining())
    return WordProbe(probe.centre, probe.axes, weights, intercepts, probe.common)


def _choosing(
    texts: Int[np.ndarray, " N"], generator: np.random.Generator
) -> Bool[np.ndarray, " N"]:
    """Mark the pairs of an eighth of the texts, at least of one; all the pairs of a text lie on one
    side.
    """
    there = np.unique(texts)
    mixed = generator.permutation(there)
    return (
        np.isin(texts, mixed[: max(1, len(there) // _ONE_IN)])
        if len(there) > 1
        else np.zeros(len(texts), bool)
    )


def _blank(states: Float[Tensor, "N D"], words: Int[Tensor, " N"], count: int) -> WordProbe:
    """Make a probe that knows how common each word is, and how to whiten the states."""
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
    """Descend the loss on the pairs inside, and keep the weights that are best outside, the start's
    among them.
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
    """Give the mean loss; where there is no text to choose by nothing is known, and nothing
    learned.
    """
    if not len(of[1]):
        return 0.0
    return float(torch.nn.functional.cross_entropy(of[0] @ held[0] + held[1], of[1]))
