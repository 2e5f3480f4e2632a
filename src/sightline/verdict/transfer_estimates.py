"""Estimate what highlighted words do between texts: ratios of sums over donors and receivers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.results import Estimate, Measurement
from sightline.stats.contrasts import Contrast
from sightline.stats.dyads import PairSums, of_pairs
from sightline.stats.intervals import LEVEL

Array = np.ndarray
Parts = tuple[Float[Array, "N K"], Float[Array, "N K"], Float[Array, "N K"], Float[Array, "N K"]]
"""A number, its chance level, and the denominators of the number and of the score."""
CUT_AT_ONE = ("own.", "present.")
"""The numbers whose score is at most 1."""
PRESENT_BY_CHANCE = 0.5
"""How often a text has more of the words of its class than another that differs in nothing else."""
EXACT = "by definition"
"""The method of a chance level that no text moves."""
HEAVIEST = 0.95
"""Quantile of the moves by whole texts: a pair that moves more counts no more than this."""


def compared(
    taken: Measurement,
    number: str,
    clusters: Int[Array, " N"],
    donors: Bool[Array, " N"],
    level: float = LEVEL,
) -> Contrast:
    """Compare what the words of a map do with what as many random positions do, over the pairs of
    some donors.

    ``θ = Σ w·number / Σ w·most`` (of presence ``Σ w·number / Σ w``), ``θ₀`` likewise, and
    ``e = Σ w·(number − chance) / Σ w·(most − chance)``; ``w`` gives every predicted class the same
    weight. ``n`` counts donors.
    """
    of, chance, gained = (
        partial(of_pairs, one, clusters, level) for one in pair_sums(taken, number, donors)
    )
    if not number.startswith(CUT_AT_ONE):
        return Contrast(of, chance, gained)
    # A class that is recognised by its words alone moves twice, when they come and when they go.
    # And the highlighted words may say more than all words, since fewer of them are noise.
    half = chance if number.startswith("own.") else lambda: _by_definition(of().n)
    return Contrast(of, half, lambda: at_most_one(gained()))


def _by_definition(n: int) -> Estimate:
    return Estimate(PRESENT_BY_CHANCE, PRESENT_BY_CHANCE, PRESENT_BY_CHANCE, n, EXACT)


def at_most_one(score: Estimate) -> Estimate:
    """Cut a score and its interval at 1, and say so."""
    if not score.value > 1.0 and not score.high > 1.0:
        return score
    value, low, high = (float(np.minimum(1.0, end)) for end in (score.value, score.low, score.high))
    return replace(score, value=value, low=low, high=high, method=f"{score.method}{CUT}")


CUT = ", cut at 1"
"""How the method ends of a score that was measured above 1, or whose interval was."""


def best_presence(
    taken: Measurement, number: str, clusters: Int[Array, " N"], donors: Bool[Array, " N"]
) -> Estimate:
    """Estimate the best achievable value of a number of presence, over the same pairs."""
    of, _, gained = pair_sums(taken, number, donors)
    # The denominator of the score is Σ w·(most − chance); of the number, Σ w.
    return of_pairs(replace(of, top=gained.bottom + PRESENT_BY_CHANCE * of.bottom), clusters)


def pair_sums(
    taken: Measurement, number: str, donors: Bool[Array, " N"]
) -> tuple[PairSums, PairSums, PairSums]:
    """Give the sums whose ratios are number, chance level and score of `compared`, with texts by
    row.
    """
    values = {key: np.asarray(taken.values[key]) for key in ("weight", "partner", "whole")}
    here, chance, most, room = _parts(taken, number, values["whole"])
    weight = np.broadcast_to(values["weight"][:, None], here.shape)
    known = (values["partner"] >= 0) & (weight > 0)
    known &= ~(np.isnan(here) | np.isnan(chance) | np.isnan(values["whole"]))
    weight = weight * _lightened(values["whole"], known)
    known &= donors[:, None]
    rows, partners = np.nonzero(known)[0], values["partner"][known]
    w, here, chance, most, room = (one[known] for one in (weight, here, chance, most, room))

    def over(top: Float[Array, " P"], bottom: Float[Array, " P"]) -> PairSums:
        return PairSums(w * top, w * bottom, rows, partners)

    gained = (here - chance) * (TWICE if number.startswith("own.") else 1)
    return over(here, most), over(chance, most), over(gained, room)


def _lightened(whole: Float[Array, "N K"], known: Bool[Array, "N K"]) -> Float[Array, "N K"]:
    """Lower the weights of the pairs that would dominate a ratio of sums."""
    if not known.any():
        return np.ones(whole.shape)
    heaviest = np.quantile(whole[known], HEAVIEST)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > heaviest, heaviest / whole, 1.0))


def _parts(taken: Measurement, number: str, whole: Float[Array, "N K"]) -> Parts:
    kind, _, name = number.partition(".")
    here = np.asarray(taken.values[number])
    if kind == "present":
        half, most = np.full(here.shape, PRESENT_BY_CHANCE), np.asarray(taken.values["present.all"])
        # Shares of pairs already, so unlike moves of the output they are not divided by the most.
        return here, half, np.ones(here.shape), most - half
    chance = np.asarray(taken.values[f"{CHANCES[kind]}.{name}"])
    if kind == "carried":
        return here, chance, whole, whole - chance
    shares = len(taken.settings["shares"])
    if kind == "flipped":
        most = np.full(here.shape, float(shares))
        return here, chance, most, most - chance
    most = whole * len(taken.settings["own"]) / shares
    return (
        here / 2,
        chance / 2,
        most,
        most - chance / 2,
    )  # the mean over words that come in and words that go out


TWICE = 2
"""If both classes have words, each class contributes one half when its words come, and one half
when they go."""
CHANCES = {"carried": "random", "flipped": "random_flipped", "own": "random_own"}
"""The chance level of each number: what as many random positions do."""
