"""Simulated audits of texts from a known population, whose scores are known: what intervals of
scores must hold.

A text is good or bad at giving words and at receiving them; copies, where there are any, share half
of that. Pairs are drawn by the package, as in an audit. What a hybrid does is a normal number, cut
as the measure cuts it, whose mean is known in closed form.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from sightline.core.results import Estimate, Measurement
from sightline.core.seeds import Seeds
from sightline.measures.transfer.donor_pairs import (
    DonorTexts,
    donors,
    halves,
    partners,
    possible_donors,
)
from sightline.stats import bootstrap
from sightline.stats.contrasts import paired
from sightline.verdict.scoring_rules import SHARES
from sightline.verdict.transfer_estimates import compared

COPIES, SHARED = 3, 0.5
"""Texts of a cluster, and the part of the variance of a text that its cluster has."""
GIVES, TAKES, NOISE = 0.3, 0.3, 0.4
"""How far donors, receivers and single hybrids differ."""
SPREAD = float(np.hypot(np.hypot(GIVES, TAKES), NOISE))
LEVEL_OF_CLASS = 0.975
MOVED, CHANCE = (0.7, 0.4), 0.1
"""What the words of each class move, before it is cut, and random words."""
STEPS = np.array([-0.4, 0.0, 0.3, 0.6, 0.9])
"""How sure the prediction is to flip at each share of the words, in units of the margin."""
LEFT = 0.3
"""By how much less random words make it flip."""
PRESENT, ALL_PRESENT = (0.6, 0.9), 1.3
FAINT = (0.15, 0.2)
"""How present the words of a second map are, whose score is about the threshold of its test,
0.25."""
RIGHT = (0.8, 0.0)
REMOVED, REMOVED_BY_CHANCE, MOST = (0.7, 0.4), 0.1, 0.8
NUMBERS = {
    "carried": "carried.attention",
    "own": "own.attention",
    "flipped": "flipped.attention",
    "present": "present.attention",
    "faintly present": "present.faint",
}
"""Scores over pairs, and the number of the measure that each is made of."""
OUTSIDE = 0.02
"""Share of the hybrids of a text that leave the range of the model."""


def cut(mean: float, spread: float = SPREAD) -> float:
    """The mean of a normal number cut at −1 and 1."""
    low, high = (-1 - mean) / spread, (1 - mean) / spread
    inside = mean * (norm.cdf(high) - norm.cdf(low)) - spread * (norm.pdf(high) - norm.pdf(low))
    return float(inside + norm.sf(high) - norm.cdf(low))


def flips(mean: float) -> float:
    """The mean share of the shares at which a prediction flips."""
    return float(norm.cdf((mean + STEPS) / SPREAD).mean())


def truths(of: int | None = None) -> dict[str, float]:
    """What each score is in the population, for all texts or for those of one class."""
    classes = (0, 1) if of is None else (of,)

    def average(values: tuple[float, float]) -> float:
        return float(np.mean([values[one] for one in classes]))

    moved = average((cut(MOVED[0]), cut(MOVED[1])))
    chance = cut(CHANCE)
    flipped = average((flips(MOVED[0]), flips(MOVED[1])))
    drawn = average((flips(MOVED[0] - LEFT), flips(MOVED[1] - LEFT)))
    present, faint = (
        average(tuple(float(norm.cdf(one / SPREAD)) for one in each)) for each in (PRESENT, FAINT)
    )
    every = float(norm.cdf(ALL_PRESENT / SPREAD))
    return {
        "carried": (moved - chance) / (1 - chance),
        "own": min(1.0, 2 * (moved - chance) / (1 - chance)),
        "flipped": (flipped - drawn) / (1 - drawn),
        "present": (present - 0.5) / (every - 0.5),
        "faintly present": (faint - 0.5) / (every - 0.5),
        "right": average(tuple(float(norm.cdf(one / np.hypot(1.0, GIVES))) for one in RIGHT)),
        "within": 1 - OUTSIDE,
        "removed": (average(REMOVED) * MOST - REMOVED_BY_CHANCE) / (MOST - REMOVED_BY_CHANCE),
    }


@dataclass(frozen=True)
class Simulated:
    """One audit of so many texts, of whose classes some are asked."""

    seed: int
    n: int
    copies: bool = False
    of: tuple[int, ...] = (0, 1)

    def scores(self) -> dict[str, Estimate]:
        """Estimate every score as an audit does; what names a class is of its texts alone."""
        random = np.random.default_rng([self.seed, self.n, self.copies])
        cluster = np.arange(self.n) // (COPIES if self.copies else 1)
        classes = (random.random(self.n) < 0.4).astype(int)[cluster]

        def texts(spread: float) -> np.ndarray:
            part = SHARED if self.copies else 0.0
            shared, alone = random.normal(0, 1, (2, self.n))
            return spread * (np.sqrt(part) * shared[cluster] + np.sqrt(1 - part) * alone)

        words = random.integers(8, 40, self.n)
        drawn = DonorTexts(np.arange(self.n), words, classes, np.ones(self.n, bool))
        seeds = Seeds(self.seed)
        half = halves(cluster, seeds)
        weight = donors(drawn, possible_donors(drawn, half), 200, seeds)
        partner = partners(drawn, half, weight, 3, seeds)
        there = partner >= 0
        good = texts(GIVES)
        both = good[:, None] + texts(TAKES)[partner]
        size = texts(0.4)
        whole = 5 * np.exp(size[:, None] + texts(0.3)[partner])
        mean = np.array(MOVED)[classes][:, None]

        def hybrid(at: np.ndarray | float) -> np.ndarray:
            return np.asarray(at + both + random.normal(0, NOISE, both.shape))

        def clipped(at: np.ndarray | float) -> np.ndarray:
            return np.clip(hybrid(at), -1, 1)

        def flipped(at: np.ndarray | float) -> np.ndarray:
            return np.asarray((hybrid(at)[..., None] + STEPS > 0).sum(axis=-1, dtype=float))

        room = whole * 3 / 5
        pairs = {
            "carried.attention": whole * clipped(mean),
            "random.attention": whole * clipped(CHANCE),
            "own.attention": room * (clipped(mean) + clipped(mean)),
            "random_own.attention": room * (clipped(CHANCE) + clipped(CHANCE)),
            "flipped.attention": flipped(mean),
            "random_flipped.attention": flipped(mean - LEFT),
            "present.attention": (hybrid(np.array(PRESENT)[classes][:, None]) > 0).astype(float),
            "present.all": (hybrid(ALL_PRESENT) > 0).astype(float),
            "whole": whole,
        }
        more = np.random.default_rng([self.seed, self.n, self.copies, 1]).normal(
            0, NOISE, both.shape
        )
        pairs["present.faint"] = (np.array(FAINT)[classes][:, None] + both + more > 0).astype(float)
        values = {name: np.where(there, one, np.nan) for name, one in pairs.items()}
        taken = Measurement(
            "transplant",
            {**values, "weight": weight, "partner": partner},
            settings={"shares": [0.01, 0.05, 0.1, 0.2, 0.5], "own": [0.05, 0.1, 0.2]},
        )
        out = {}
        for kind, number in NUMBERS.items():
            out[kind] = compared(taken, number, cluster, np.ones(self.n, bool)).score
            if kind != "flipped":  # which is asked of all texts alone
                for of in self.of:
                    rows = classes == of
                    found = compared(taken, number, cluster, rows, LEVEL_OF_CLASS).score
                    out[f"{kind} of {of}"] = found
        giving = weight > 0
        right = np.array(RIGHT)[classes] + good + texts(1.0) > 0
        outside = OUTSIDE * np.exp(texts(1.0) - 0.5)
        within = np.where(giving, 1 - random.binomial(30, np.minimum(outside, 1.0)) / 30, np.nan)
        for name, share in (("right", np.where(giving, right, np.nan)), ("within", within)):
            out[name] = bootstrap.mean(share, self.seed, SHARES, cluster, classes=classes)
        top = 5 * np.exp(texts(0.6))
        most = top * random.beta(8, 2, self.n)
        held = np.clip(norm.cdf(texts(1.0)), 1e-9, 1)  # even from 0 to 1
        number = most * np.where(
            classes == 0, held ** (1 / REMOVED[0] - 1), held ** (1 / REMOVED[1] - 1)
        )
        baseline = top * REMOVED_BY_CHANCE * 2 * norm.cdf(texts(1.0))
        out["removed"] = paired(number, baseline, self.seed, most, cluster, classes=classes).score
        return out


def truth_of(name: str) -> float:
    """What a score is in the population, by the name it has in `Simulated.scores`."""
    kind, _, of = name.partition(" of ")
    return truths(int(of) if of else None)[kind]
