"""Numbers of one table of the protocol under settings that another of its tables tries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from docs_seeds import BySeed, across, ends_of, numbers_of
from docs_tables import Stored

from sightline.core.results import Estimate
from sightline.report.number_format import interval
from sightline.studies.papers.margins import OUTSIDE, compare_to
from sightline.studies.papers.published_values import PrintedValue, printed_values_in

NOTHING = "nothing found does"
TESTED, CORRELATED = "significant with ", "τ with "
AS_IN_PROTOCOL = "vectors × 1"
UNDIVIDED, EVEN_START = "(scaled=false)", "(start=uniform)"


def _by_start(model: str) -> tuple[str, str] | None:
    base, _, start = model.partition(", ")
    return None if start == AS_IN_PROTOCOL else (base, f"words start: {start}")


def _by_scorer(model: str) -> tuple[str, str] | None:
    if UNDIVIDED in model:
        return model.replace(UNDIVIDED, ""), "scores are not divided by √H"
    if EVEN_START in model:
        return model.replace(EVEN_START, ""), "the scorer starts as a layer of torch does"
    return None


@dataclass(frozen=True)
class TriedTable:
    """The table that tries other settings, what they set, and how it names a model and a setting."""

    table: str
    sets: str
    split: Callable[[str], tuple[str, str] | None]


TRIED = {
    "jain2019:J-2": TriedTable("jain2019:J-V", "the start of words", _by_start),
    "tutek2020:T-1": TriedTable("tutek2020:T-C", "how dot attention scores", _by_scorer),
}
STARTS = "jain2019:J-2"


def rows() -> list[Stored]:
    """Give the runs of other settings in the form of exploratory runs."""
    return [
        {
            "table": table,
            "corpus": corpus,
            "model": model,
            "setting": setting,
            "seed": seed,
            "numbers": numbers,
            "by_chance": {},
        }
        for table in TRIED
        for (corpus, model), settings in _tried(table).items()
        for setting, seeds in settings.items()
        for seed, numbers in seeds.items()
    ]


@dataclass(frozen=True)
class Setting:
    """A number under another setting, and how it changes over the same seeds."""

    name: str
    found: Estimate
    change: Estimate
    seeds: int
    result: str

    @property
    def written(self) -> str:
        """Write the number, and its change."""
        few = "one seed" if self.seeds == 1 else f"{self.seeds} seeds"
        return (
            f"{self.name}: {self.found.value:.2f}, {self.result} "
            f"(change {interval(self.change)}, {few})"
        )

    def is_nearer(self, printed: float) -> bool:
        """Whether the number is nearer to the printed one than the protocol's of the same seeds."""
        before = self.found.value - self.change.value
        return abs(self.found.value - printed) < abs(before - printed)

    def may_explain(self, printed: float) -> bool:
        """Whether the number is nearer and not outside, and the interval of the change excludes 0."""
        return (
            self.seeds > 1
            and self.result != OUTSIDE
            and (self.change.low > 0 or self.change.high < 0)
            and self.is_nearer(printed)
        )


def settings_of(table: str, corpus: str, model: str, quantity: str) -> list[Setting]:
    """Give a number of a table under each other setting that was tried."""
    protocol = numbers_of(table).get((corpus, model), {})
    printed = _printed(table, corpus, model, quantity)
    found = []
    for name, seeds in _tried(table).get((corpus, model), {}).items():
        pairs = [
            (numbers[quantity], protocol[seed][quantity])
            for seed, numbers in seeds.items()
            if quantity in numbers and quantity in protocol.get(seed, {})
        ]
        if pairs:
            values = across([value for value, _ in pairs], ends_of(quantity))
            change = across([value - before for value, before in pairs])
            compared = compare_to(printed, values, len(pairs))
            assert compared is not None  # each quantity of these tables has a margin
            found.append(Setting(name, values, change, len(pairs), compared.result))
    return found


def by_tried(table: str, corpus: str, model: str, quantity: str, printed: float) -> tuple[str, str]:
    """Say under which settings a number is nearer and not outside by more than luck, and under which
    it is nearer otherwise; each is empty where there are none.
    """
    tried = settings_of(table, corpus, model, quantity)
    explaining = [one for one in tried if one.may_explain(printed)]
    nearer = [one for one in tried if one.is_nearer(printed) and one not in explaining]
    perhaps = (
        f"perhaps {TRIED[table].sets}, under {len(explaining)} of {len(tried)} other settings that "
        f"were tried: {_listed(explaining)}"
        if explaining
        else ""
    )
    return perhaps, f"Nearer, but outside or perhaps by luck: {_listed(nearer)}" if nearer else ""


def _listed(settings: Sequence[Setting]) -> str:
    return "; ".join(one.written for one in settings)


def at_printed_tau(corpus: str, model: str, quantity: str) -> str:
    """Say which share of significant texts models of the printed τ would have here.

    Over seeds and starts the share is nearly a function of τ, so a share that lies outside can be
    the difference in τ once more.
    """
    tau = quantity.replace(TESTED, CORRELATED)
    runs = [
        numbers
        for seeds in (
            numbers_of(STARTS)[corpus, model],
            *_tried(STARTS).get((corpus, model), {}).values(),
        )
        for numbers in seeds.values()
        if tau in numbers and quantity in numbers
    ]
    taus, shares = (np.array([numbers[of] for numbers in runs]) for of in (tau, quantity))
    curve = np.polynomial.Polynomial.fit(taus, shares, 2)
    spread = float(np.std(shares - curve(taus), ddof=3))
    printed = _printed(STARTS, corpus, model, tau).value
    return (
        f"It follows τ: at the printed τ of {printed:.2f} models of ours would have "
        f"{float(np.clip(curve(printed), 0, 1)):.2f} (a parabola through {len(runs)} runs of all "
        f"starts, from which they differ by {spread:.2f})"
    )


def _printed(table: str, corpus: str, model: str, quantity: str) -> PrintedValue:
    return next(one for one in printed_values_in(table) if one.of == (corpus, model, quantity))


@cache
def _tried(table: str) -> dict[tuple[str, str], dict[str, BySeed]]:
    """Give the numbers of each run of another setting by corpus and model, setting and seed."""
    found: dict[tuple[str, str], dict[str, BySeed]] = {}
    for (corpus, model), seeds in numbers_of(TRIED[table].table).items():
        if (split := TRIED[table].split(model)) is not None:
            base, setting = split
            found.setdefault((corpus, base), {})[setting] = seeds
    return found
