"""Judge a claim: an inequality of two numbers that could also turn out the other way.

The effect of a claim is how far one number exceeds another, seed by seed. Its chance level is the
same difference for meaningless weights. The interval of the difference between the two decides
whether the effect is beyond chance: above, at or below, or undetermined (decision 0120). An effect
is at chance level if that interval lies within the margin of its quantity (decision 0132).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import LEVEL, without_interval
from sightline.studies.aggregate import AggregateLine, Number, RunNumbers
from sightline.studies.papers.margins import ROUNDING, margin_for
from sightline.studies.papers.published_values import PrintedValue

Result = Literal[
    "replicated",
    "replicated, but at chance level",
    "replicated, but the order is reversed once chance is taken off",
    "not replicated",
    "undetermined",
]
RESULTS: tuple[Result, ...] = get_args(Result)
REPLICATED, AT_CHANCE, REVERSED, NOT_REPLICATED, UNDETERMINED = RESULTS
CriterionHistory = Literal["fixed before", "changed after", "added after"]
HISTORIES: tuple[CriterionHistory, ...] = get_args(CriterionHistory)
FIXED, CHANGED, ADDED = HISTORIES
"""Whether a criterion was fixed before numbers of the protocol were seen (decision 0120)."""
SideOfThreshold = Literal["above", "at or below", "undetermined"]
SIDES: tuple[SideOfThreshold, ...] = get_args(SideOfThreshold)
ABOVE, NOT_ABOVE, EITHER = SIDES
"""Where an interval lies: above 0, not above it, or on both sides."""
BY_LUCK = (1 - LEVEL) / 2
"""How often an interval over seeds lies above 0 if there is no effect."""
FEWEST_SEEDS = 2
"""The fewest seeds for a statement about other seeds."""


@dataclass(frozen=True)
class Side:
    """One side of an inequality: a quantity of a model, averaged over predicted classes."""

    model: str
    quantity: str


@dataclass(frozen=True)
class Order:
    """``greater`` is above ``lesser`` by more than ``by``."""

    greater: Side | float
    lesser: Side | float
    by: float = 0.0


@dataclass(frozen=True)
class Claim:
    """One claim: the inequality that must hold in ``table``, and where a paper states it
    (``source``).

    A claim is judged on every corpus of its table, or on those of which the paper makes it
    (``made_on``). Where attention has a part in the lesser side alone (``low``), chance is no bar:
    meaningless weights make that side smaller still, so effect less chance only says how far
    attention is above its own chance level, with the sign turned (decision 0140). ``chance`` is a
    model without meaning that takes the place of the greater side, if the claim's own rows hold no
    chance level; ``no_chance`` says why there is none. ``printed`` is the same inequality in
    printed numbers, or the reason why these cannot show it; None: the same one. With ``of_lines``
    the numbers aggregate all runs and are compared with a constant; ``beyond`` then reads from the
    runs how far the number is above its chance level.

    ``left_out`` names corpora on which its numbers mean something else; the notes say why.

    ``before`` is the inequality that was fixed before numbers were seen, if it differs; ``added``
    marks a claim that was written afterwards.
    """

    paper: str
    name: str
    says: str
    source: str
    table: str
    order: Order
    made_on: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    low: bool = False
    chance: Side | None = None
    no_chance: str = ""
    printed: Order | str | None = None
    of_lines: bool = False
    beyond: Callable[[Sequence[RunNumbers]], Estimate] | None = None
    before: Order | None = None
    added: bool = False

    @property
    def standing(self) -> CriterionHistory:
        """Return whether its criterion was fixed before numbers were seen. Then, chance was a bar
        for every claim, and the chance level came from its own rows.
        """
        if self.added:
            return ADDED
        changed = self.before is not None or self.low or self.chance is not None
        return CHANGED if changed else FIXED

    @property
    def as_fixed(self) -> Claim | None:
        """Return the claim as it was fixed before numbers were seen, if it was."""
        if self.added:
            return None
        return replace(self, order=self.before or self.order, low=False, chance=None, no_chance="")

    def is_of(self, corpus: str) -> bool:
        """Check whether the claim is judged on a corpus."""
        return corpus not in self.left_out and (not self.made_on or corpus in self.made_on)

    def margin_on(self, corpus: str) -> float:
        """Return the margin of the quantity it is about; 0 if none was fixed."""
        side = self.order.greater if isinstance(self.order.greater, Side) else self.order.lesser
        assert isinstance(side, Side)  # no claim compares two constants
        return margin_for(side.quantity, corpus) or 0.0

    @property
    def id(self) -> str:
        """The name of the claim on the pages."""
        return f"{self.paper}:{self.name}"

    @property
    def criterion(self) -> str:
        """Write the criterion as a sentence."""
        by_chance = (
            f"; by chance, {_written(self.chance)} in place of {_written(self.order.greater)}"
            if self.chance
            else ""
        )
        return f"{_order(self.order)} ({self.table}){by_chance}"


def _order(order: Order) -> str:
    more = f" by more than {order.by:g}" if order.by else ""
    return f"{_written(order.greater)} is above {_written(order.lesser)}{more}"


def _written(side: Side | float) -> str:
    return f"{side:g}" if isinstance(side, float) else f"“{side.quantity}” of {side.model}"


@dataclass(frozen=True)
class Finding:
    """The result of a claim on one corpus.

    ``beyond`` is the effect less its chance level over ``chance_seeds`` seeds, ``against`` the side
    where that lies; both are None if no chance level is known, or of one seed alone. ``result_before`` is the result of
    the rule that was fixed before numbers were seen.
    """

    corpus: str
    effect: Estimate
    chance: Estimate | None
    beyond: Estimate | None
    against: SideOfThreshold | None
    seeds: int
    chance_seeds: int
    result: Result
    result_before: Result


def findings_of(
    claim: Claim, runs: Sequence[RunNumbers], lines: Sequence[AggregateLine] = ()
) -> Iterator[Finding]:
    """Judge a claim, corpus by corpus."""
    if claim.of_lines:
        yield from _of_lines(claim, runs, lines)
        return
    said = dict[tuple[str, int], dict[str, Mapping[str, Number]]]()
    for run, values in runs:
        said.setdefault((run.corpus, run.seed), {})[run.model] = values
    for corpus in dict.fromkeys(corpus for corpus, _ in said if claim.is_of(corpus)):
        seeds = [models for (at, _), models in said.items() if at == corpus]
        effects = [one for models in seeds if (one := _effect(claim, models)) is not None]
        if effects:
            yield _finding(claim, corpus, effects)


@dataclass(frozen=True)
class Effect:
    """A number, or a difference of two, under one seed, with its chance level and number
    of texts.
    """

    value: float
    chance: float | None
    n: int

    def less(self, other: Effect, by: float) -> Effect:
        """Return by how much it exceeds another effect, beyond ``by``."""
        known = self.chance is not None and other.chance is not None
        chance = (self.chance or 0.0) - (other.chance or 0.0) - by if known else None
        return Effect(self.value - other.value - by, chance, min(self.n, other.n))


Models = Mapping[str, Mapping[str, Number]]
"""The numbers of each model under one seed."""


def _effect(claim: Claim, models: Models) -> Effect | None:
    found = _in_order(claim.order, models)
    if found is None or claim.no_chance:
        return None if found is None else Effect(found.value, None, found.n)
    if claim.chance is None:
        return found
    without_meaning = _in_order(replace(claim.order, greater=claim.chance), models)
    chance = None if without_meaning is None else without_meaning.value
    return Effect(found.value, chance, found.n)


def _in_order(order: Order, models: Models) -> Effect | None:
    greater, lesser = _number(order.greater, models), _number(order.lesser, models)
    return None if greater is None or lesser is None else greater.less(lesser, order.by)


def _number(side: Side | float, models: Models) -> Effect | None:
    """Return a number with its chance level; a constant is its own chance level. A class that is
    never predicted has no number, and is left out.
    """
    if isinstance(side, float):
        return Effect(side, side, sys.maxsize)
    known = [
        number
        for name, number in models.get(side.model, {}).items()
        if not math.isnan(number.value.value)
        and (
            name.rpartition(", class ")[0] == side.quantity
            or name in (side.quantity, f"{side.quantity}, all classes")
        )
    ]
    if not known:
        return None
    values = [one.value.value for one in known]
    floors = [
        one.baseline.value
        for one in known
        if one.baseline is not None and not math.isnan(one.baseline.value)
    ]
    chance = float(np.mean(floors)) if len(floors) == len(known) else None
    return Effect(float(np.mean(values)), chance, sum(one.value.n for one in known))


def _finding(claim: Claim, corpus: str, effects: Sequence[Effect]) -> Finding:
    over = _across([(one.value, one.n) for one in effects])
    known = [(one.value, one.chance, one.n) for one in effects if one.chance is not None]
    chance = beyond = None
    if len(known) >= FEWEST_SEEDS or len(known) == len(effects):
        chance = _across([(by_chance, n) for _, by_chance, n in known])
        beyond = _across([(value - by_chance, n) for value, by_chance, n in known])
    return _judged(claim, corpus, over, chance, beyond, (len(effects), len(known)))


def _across(values: Sequence[tuple[float, int]]) -> Estimate:
    return across_seeds([without_interval(value, n, "one seed") for value, n in values])


def _judged(
    claim: Claim,
    corpus: str,
    effect: Estimate,
    chance: Estimate | None,
    beyond: Estimate | None,
    counts: tuple[int, int],
) -> Finding:
    """Judge an effect over some seeds and its chance level over some; ``counts`` has both."""
    seeds, chance_seeds = counts
    against = None if beyond is None else side_of(beyond, chance_seeds)
    margin = claim.margin_on(corpus)
    bar = (None, 0) if claim.low else (beyond, chance_seeds)
    result = _result(_order_of(effect, seeds), *bar, margin)
    before = _result_before(side_of(effect, seeds), beyond)
    return Finding(corpus, effect, chance, beyond, against, seeds, chance_seeds, result, before)


def side_of(estimate: Estimate, seeds: int) -> SideOfThreshold:
    """Return the side of 0 on which an interval over seeds lies; seeds that all agree to the digit
    have no interval.
    """
    if seeds < FEWEST_SEEDS or math.isnan(estimate.low) or estimate.low <= 0 < estimate.high:
        return EITHER
    return ABOVE if estimate.low > 0 else NOT_ABOVE


def _order_of(effect: Estimate, seeds: int) -> SideOfThreshold:
    """Return the side of 0 on which an effect lies: of its interval, or of the number that every
    seed has.
    """
    if seeds < FEWEST_SEEDS or not math.isnan(effect.low) or math.isnan(effect.value):
        return side_of(effect, seeds)
    return ABOVE if effect.value > 0 else NOT_ABOVE


def _result(
    order: SideOfThreshold, bar: Estimate | None, chance_seeds: int, margin: float
) -> Result:
    """Judge an order and, if it holds, compare its effect with chance; where no seed has a chance
    level, there is nothing to pass.
    """
    if order == NOT_ABOVE:
        return NOT_REPLICATED
    if order == EITHER:
        return UNDETERMINED
    if chance_seeds == 0:
        return REPLICATED
    if bar is None or chance_seeds < FEWEST_SEEDS:
        return UNDETERMINED
    low, high = bar.low, bar.high
    if math.isnan(low):
        return UNDETERMINED
    if high == 0 or (margin and max(-low, high) <= margin + ROUNDING):
        return AT_CHANCE
    if abs(bar.value) <= margin or low <= 0 < high:
        return UNDETERMINED
    return REPLICATED if low > 0 else REVERSED


def _result_before(order: SideOfThreshold, beyond: Estimate | None) -> Result:
    """Judge by the rule that was fixed before: at chance level unless surely above it."""
    result = _result(order, None, 0, 0.0)
    if result != REPLICATED or beyond is None or beyond.low > 0:
        return result
    return AT_CHANCE


def _of_lines(
    claim: Claim, runs: Sequence[RunNumbers], lines: Sequence[AggregateLine]
) -> Iterator[Finding]:
    """Compare a number aggregated over all runs with a constant, and with its chance level."""
    order = claim.order
    assert isinstance(order.greater, Side)
    assert isinstance(order.lesser, float)
    for line in lines:
        of_all = line.corpus == line.model == order.greater.model
        if of_all and line.quantity == order.greater.quantity:
            effect, chance = _less(line.found.value, order.lesser), None
            beyond, counts = None, (line.seeds, 0)
            if claim.beyond is not None and line.found.baseline is not None:
                chance, beyond = _less(line.found.baseline, order.lesser), claim.beyond(runs)
                counts = line.seeds, line.seeds
            yield _judged(claim, line.corpus, effect, chance, beyond, counts)


def _less(value: Estimate, by: float) -> Estimate:
    return Estimate(value.value - by, value.low - by, value.high - by, value.n, value.method)


def printed_effects(claim: Claim, printed: Iterable[PrintedValue]) -> dict[str, float]:
    """Apply the criterion of a claim to printed numbers: its effect on each of its corpora that has
    both sides.
    """
    if isinstance(claim.printed, str):
        return {}
    models = dict[str, dict[str, dict[str, Number]]]()
    for one in printed:
        number = Number(without_interval(one.value, 1, "printed"))
        models.setdefault(one.corpus, {}).setdefault(one.model, {})[one.quantity] = number
    effects = {
        corpus: _in_order(claim.printed or claim.order, said)
        for corpus, said in models.items()
        if claim.is_of(corpus)
    }
    return {corpus: one.value for corpus, one in effects.items() if one is not None}
