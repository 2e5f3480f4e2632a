"""Count how often repeated looks decide a score that lies exactly at its threshold.

    python validation/looks.py [--repetitions N] [--quick]

The true score of the drawn texts is the threshold, so every decision is wrong. A score is a mean, a
ratio of the gain of a text to its largest possible gain, the same with classes of equal weight,
or a ratio over pairs of texts (each donor with three receivers; pairs are drawn again at each look,
as an audit draws them). Texts are symmetric, skewed, skewed and bounded like the scores of an
audit, or seldom have a score at all. The count is how often any look of the plan decides: with the
level of the plan, and with the usual 95 % at every look, as a user does who audits again with more texts
until something is decided. At most 5 % may be decided under the plan.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from scipy.optimize import brentq

from sightline.audits.look_plan import LookPlan, sizes
from sightline.core.results import Estimate
from sightline.core.seeds import Seeds
from sightline.stats import bootstrap
from sightline.stats.dyads import dyads
from sightline.stats.intervals import LEVEL
from sightline.stats.ratios import ratio
from sightline.verdict.decision_rule import decide

Array = np.ndarray
Random = np.random.Generator
THRESHOLD, TEXTS, FIRST = 0.25, 800, 112
ALLOWED = 0.05
PARTNERS = 3


def _symmetric(random: Random, n: int) -> Array:
    return random.normal(THRESHOLD, 0.4, n)


def _skewed(random: Random, n: int) -> Array:
    return random.lognormal(np.log(THRESHOLD) - 0.5, 1.0, n)


def _bounded(random: Random, n: int) -> Array:
    """Draw skewed scores that never exceed one, as no pair of an audit counts for more than its
    whole text does; the mean stays the threshold.
    """
    return np.minimum(random.lognormal(np.log(_scale()), 1.0, n), 1.0)


@cache
def _scale() -> float:
    """Find the scale at which the mean of bounded scores is the threshold."""
    drawn = np.random.default_rng(0).lognormal(0.0, 1.0, 400_000)
    return float(brentq(lambda scale: np.minimum(drawn * scale, 1).mean() - THRESHOLD, 0.01, 10))


def _seldom(random: Random, n: int) -> Array:
    return np.where(random.random(n) < 0.2, random.normal(5 * THRESHOLD, 0.2, n), 0.0)


SHAPES: Mapping[str, Callable[[Random, int], Array]] = {
    "symmetric": _symmetric,
    "skewed": _skewed,
    "bounded": _bounded,
    "seldom": _seldom,
}


def a_mean(values: Array, room: Array, n: int, seed: int, level: float) -> Estimate:
    """Estimate the mean of the first texts."""
    return bootstrap.mean(values[:n], seed, None, level=level)


def a_ratio(values: Array, room: Array, n: int, seed: int, level: float) -> Estimate:
    """Estimate the gain of the first texts over their largest possible gain."""
    return ratio((values * room)[:n], room[:n], seed, level=level, bounds=None)


def by_classes(values: Array, room: Array, n: int, seed: int, level: float) -> Estimate:
    """Estimate the same with two classes of equal weight, one of them a third of the texts."""
    classes = (np.arange(n) % 3 == 0).astype(int)
    return ratio((values * room)[:n], room[:n], seed, level=level, bounds=None, classes=classes)


def over_pairs(values: Array, room: Array, n: int, seed: int, level: float) -> Estimate:
    """Estimate a ratio over pairs, whose gain is the gain of both texts."""
    random = Seeds(seed).generator("pairs", n)
    first = np.repeat(np.arange(n), PARTNERS)
    second = (first + random.integers(1, n, len(first))) % n
    gained = (values[first] + values[second]) / 2
    both = (room[first] + room[second]) / 2
    return dyads(gained * both, both, first, second, level=level, bounds=None)


SCORES = {"mean": a_mean, "ratio": a_ratio, "classes": by_classes, "pairs": over_pairs}


def counted(score: str, shape: str, repetitions: int, plan: LookPlan) -> dict[str, object]:
    """Count the repetitions in which any look decided."""
    wrong = {"planned": 0, "usual": 0}
    for repetition in range(repetitions):
        random = Seeds(repetition).generator(f"{score} {shape}")
        room = random.uniform(0.5, 1.5, TEXTS)
        values = SHAPES[shape](random, TEXTS)
        for how in wrong:
            answers = (
                decide(
                    SCORES[score](
                        values, room, n, repetition, plan.level(n) if how == "planned" else LEVEL
                    ),
                    THRESHOLD,
                )
                for n in plan.sizes
            )
            wrong[how] += any(answer in ("passed", "failed") for answer in answers)
    return {"score": score, "texts": shape, "repetitions": repetitions, **wrong}


def main() -> int:
    """Count all, print a row each, and say whether the plan keeps its promise."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--score", choices=SCORES, action="append", help="only these scores")
    parser.add_argument("--texts", choices=SHAPES, action="append", help="only these texts")
    asked = parser.parse_args()
    repetitions = 20 if asked.quick else asked.repetitions
    plan, rows = LookPlan((), sizes(FIRST, TEXTS)), []
    print("looks at", {n: round(plan.level(n), 4) for n in plan.sizes}, flush=True)
    for score in asked.score or SCORES:
        for shape in asked.texts or SHAPES:
            rows.append(counted(score, shape, repetitions, plan))
            print(json.dumps(rows[-1]), flush=True)
    total = sum(int(str(row["planned"])) for row in rows) / sum(
        int(str(row["repetitions"])) for row in rows
    )
    print(f"decided in all: {total:.3f}, allowed: {ALLOWED}")
    return 0 if total <= ALLOWED else 3


if __name__ == "__main__":
    sys.exit(main())
