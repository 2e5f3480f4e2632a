"""Numbers of the protocol's runs by seed, and their means over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from docs_tables import all_kept

from sightline.core.results import Estimate
from sightline.report.number_format import interval
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import Bounds
from sightline.studies.papers.model_performance import LOST
from sightline.studies.run_numbers import SHARE, TAU

BySeed = Mapping[int, Mapping[str, float]]
"""The numbers of one model by seed and quantity."""


@cache
def numbers_of(table: str, *, chance: bool = False) -> Mapping[tuple[str, str], BySeed]:
    """Give the numbers of a table's runs, or their chance levels, by corpus and model."""
    kept = all_kept()
    found: dict[tuple[str, str], dict[int, Mapping[str, float]]] = {}
    for run, numbers in kept[table].read() if table in kept else ():
        found.setdefault((run.corpus, run.model), {})[run.seed] = {
            quantity: said.value
            for quantity, one in numbers.items()
            if (said := one.baseline if chance else one.value) is not None
        }
    return found


def ends_of(quantity: str) -> Bounds:
    """Give the ends of a quantity; the others end nowhere near."""
    if quantity.startswith("F1 lost"):
        return LOST
    if quantity.startswith(("significant", "F1", "accuracy", "probability")):
        return SHARE
    return TAU if quantity.startswith("τ with") else None


def across(values: Sequence[float], bounds: Bounds = None) -> Estimate:
    """Average one number of several seeds."""
    return across_seeds([Estimate(value, value, value, 1, "") for value in values], bounds)


def over_seeds(values: Sequence[float], bounds: Bounds = None) -> str:
    """Write a mean with its interval over seeds; one seed has none."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return interval(across(values, bounds))
