"""What the papers claim, each as an order of two numbers that can turn out otherwise.

A claim was written down with its criterion before the numbers were seen (decision 0105). Its effect
is how far one number is above another, seed by seed; the chance level of the effect is the same
difference of what weights without any meaning score.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import without_interval
from sightline.studies.aggregate import AggregateLine, Number, Read
from sightline.studies.papers import gumbel_vs_seed, jain2019, wen2022
from sightline.studies.papers.jain2019 import HIGH, MLP
from sightline.studies.papers.margins import ends_of
from sightline.studies.papers.study_models import BILSTM

Result = Literal["replicated", "replicated, but at chance level", "not replicated", "undetermined"]
REPLICATED, AT_CHANCE, NOT_REPLICATED, UNDETERMINED = RESULTS = (
    "replicated", "replicated, but at chance level", "not replicated", "undetermined"
)  # fmt: skip
LITTLE = 0.10
"""What counts as a small change of the output, or of τ."""


@dataclass(frozen=True)
class Side:
    """One side of an order: a quantity of a model; of several predicted classes, their mean."""

    model: str
    quantity: str


@dataclass(frozen=True)
class Claim:
    """One claim: in ``table``, ``greater`` is above ``lesser`` by more than ``by``.

    With ``of_lines`` the numbers are those of all runs together, and ``greater`` is held against a
    constant.
    """

    paper: str
    name: str
    says: str
    table: str
    greater: Side | float
    lesser: Side | float
    by: float = 0.0
    of_lines: bool = False

    @property
    def id(self) -> str:
        """The name by which pages know it."""
        return f"{self.paper}:{self.name}"

    @property
    def criterion(self) -> str:
        """Say what must hold."""
        more = f" by more than {self.by:g}" if self.by else ""
        return f"{_written(self.greater)} above {_written(self.lesser)}{more} ({self.table})"


def _written(side: Side | float) -> str:
    return f"{side:g}" if isinstance(side, float) else f"{side.quantity} of {side.model}"


@dataclass(frozen=True)
class Finding:
    """What was found of a claim on one corpus: its effect over seeds, by chance too."""

    corpus: str
    effect: Estimate
    chance: Estimate | None
    seeds: int
    result: Result


def _jain(name: str, says: str, table: str, greater: Side | float, lesser: Side | float) -> Claim:
    return Claim("jain2019", name, says, f"jain2019:{table}", greater, lesser)


def _need(name: str, says: str, kind: str) -> Claim:
    lost = "F1 lost under permuted weights"
    return Claim(
        "tutek2020",
        name,
        says,
        "tutek2020:T-1",
        Side(f"{BILSTM}+{kind}", lost),
        Side(BILSTM, lost),
    )


def _kept(name: str, kind: str, how: str) -> Claim:
    counted = "counted information, frequent words"
    return Claim(
        "tutek2020",
        name,
        f"hidden states keep more information of their words {how}",
        "tutek2020:T-2",
        Side(f"{BILSTM}+{kind}", counted),
        Side(BILSTM, counted),
    )


TAU_BY_RANK = wen2022.TAU_BY_RANK
CLAIMS: tuple[Claim, ...] = (
    _jain(
        "recurrent",
        "attention over mixed states (BiLSTM) agrees less with gradients than over unmixed (MLP)",
        "J-2",
        Side(MLP, "τ with gradient"),
        Side(BILSTM, "τ with gradient"),
    ),
    _jain(
        "gradient",
        "gradients and leave-one-out agree more with each other than gradients with attention",
        "J-4",
        Side(BILSTM, "τ(gradient, deletion) − τ(attention, gradient)"),
        0.0,
    ),
    _jain(
        "leave-one-out",
        "gradients and leave-one-out agree more with each other than leave-one-out with attention",
        "J-4",
        Side(BILSTM, "τ(gradient, deletion) − τ(attention, deletion)"),
        0.0,
    ),
    Claim(
        "jain2019",
        "other-attention",
        "for half of the texts very different attention gives the same answer",
        "jain2019:J-7",
        Side(BILSTM, f"share of texts whose ε-max JSD is above {HIGH}, at least"),
        0.5,
    ),
    _jain(
        "permutation",
        "permuting attention moves the output little in most texts",
        "J-6",
        LITTLE,
        Side(BILSTM, "output moved, median over permutations"),
    ),
    Claim(
        "wiegreffe2019",
        "adversaries",
        "a trained adversary moves its answers further than another seed does",
        "wiegreffe2019:P-V",
        Side(f"{BILSTM}, λ 0.00105", "TVD of answers, adversary"),
        Side(BILSTM, "TVD of answers, other seeds"),
    ),
    _need("tying", "a model with tied states needs its attention more than the base", "tying"),
    _need("masked-words", "a model that learns masked words needs its attention more", "mlm"),
    Claim(
        "tutek2020",
        "base",
        "the base hardly needs its attention",
        "tutek2020:T-1",
        0.05,
        Side(BILSTM, "F1 lost under permuted weights"),
    ),
    _kept("tying-keeps", "tying", "where they are tied to them"),
    _kept("masked-words-keep", "mlm", "where masked words are learned"),
    Claim(
        "meister2021",
        "spread",
        "the importance of inputs for a hidden state is spread over many of them",
        "meister2021:M-1",
        Side(BILSTM, "evenness of inputs for states"),
        0.5,
    ),
    Claim(
        "meister2021",
        "states",
        "attention agrees with the importance of hidden states more than with that of inputs",
        "meister2021:M-6",
        Side(BILSTM, "τ with gradient of states"),
        Side(BILSTM, "τ with gradient of inputs"),
    ),
    Claim(
        "meister2021",
        "sparsity",
        "the importance of inputs is less even as attention gets sparser (the sign of the table)",
        "meister2021:M-2",
        0.0,
        Side(f"{BILSTM}+sparsegen", "τ of λ with evenness of inputs for the answer"),
    ),
    Claim(
        "wen2022",
        "scorer",
        "additive attention follows information better than dot attention",
        "wen2022:W-F2",
        Side(BILSTM, TAU_BY_RANK),
        Side("bilstm+dot", TAU_BY_RANK),
    ),
    Claim(
        "wen2022",
        "fixed-attention",
        "under fixed attention information does not follow it",
        "wen2022:W-2",
        Side(BILSTM, TAU_BY_RANK),
        Side(f"{BILSTM}, attention fixed", TAU_BY_RANK),
    ),
    Claim(
        "wen2022",
        "fixed-representation",
        "over a fixed representation new attention follows information as well",
        "wen2022:W-2",
        Side(f"{BILSTM}, representation fixed", TAU_BY_RANK),
        Side(BILSTM, TAU_BY_RANK),
        -LITTLE,
    ),
    Claim(
        "wen2022",
        "gumbel",
        "Gumbel-softmax leaves τ as high or higher in most models",
        "wen2022:W-5",
        Side(gumbel_vs_seed.ALL, gumbel_vs_seed.RAISED_BY_SEED),
        0.5,
        of_lines=True,
    ),
    _jain(
        "scorer",
        "additive attention agrees with gradients more than scaled dot attention does",
        "J-D",
        Side(BILSTM, "τ with gradient"),
        Side(jain2019.DOT[1], "τ with gradient"),
    ),
)


def findings_of(
    claim: Claim, runs: Sequence[Read], lines: Sequence[AggregateLine] = ()
) -> Iterator[Finding]:
    """Say what was found of a claim, corpus by corpus."""
    if claim.of_lines:
        yield from _of_lines(claim, lines)
        return
    said = dict[tuple[str, int], dict[str, Mapping[str, Number]]]()
    for run, values in runs:
        said.setdefault((run.corpus, run.seed), {})[run.model] = values
    for corpus in dict.fromkeys(corpus for corpus, _ in said):
        seeds = [models for (at, _), models in said.items() if at == corpus]
        effects = [one for models in seeds if (one := _effect(claim, models)) is not None]
        if effects:
            yield _finding(corpus, effects)


@dataclass(frozen=True)
class Effect:
    """A number, or a difference of two, under one seed; the same by chance; of how many texts."""

    value: float
    chance: float | None
    n: int

    def less(self, other: Effect, by: float) -> Effect:
        """Give by how much it is above another one, beyond ``by``."""
        known = self.chance is not None and other.chance is not None
        chance = (self.chance or 0.0) - (other.chance or 0.0) - by if known else None
        return Effect(self.value - other.value - by, chance, min(self.n, other.n))


def _effect(claim: Claim, models: Mapping[str, Mapping[str, Number]]) -> Effect | None:
    greater, lesser = _number(claim.greater, models), _number(claim.lesser, models)
    if greater is None or lesser is None:
        return None
    return greater.less(lesser, claim.by)


def _number(side: Side | float, models: Mapping[str, Mapping[str, Number]]) -> Effect | None:
    """Give a number with its chance level; a constant is its own. A class that is never predicted
    has no number, and is left out.
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
    floors = [one.baseline.value for one in known if one.baseline is not None]
    chance = float(np.mean(floors)) if len(floors) == len(known) else None
    return Effect(float(np.mean(values)), chance, sum(one.value.n for one in known))


def _finding(corpus: str, effects: Sequence[Effect]) -> Finding:
    over = _across([(one.value, one.n) for one in effects])
    by_chance = [(one.chance, one.n) for one in effects if one.chance is not None]
    known = len(by_chance) == len(effects)
    chance = _across(by_chance) if known else None
    beyond = _across([(one.value - (one.chance or 0.0), one.n) for one in effects])
    result = _result(over, beyond if known else None, len(effects))
    return Finding(corpus, over, chance, len(effects), result)


def _across(values: Sequence[tuple[float, int]]) -> Estimate:
    return across_seeds([without_interval(value, n, "one seed") for value, n in values])


def _result(effect: Estimate, beyond_chance: Estimate | None, seeds: int) -> Result:
    if seeds < 2 or math.isnan(effect.value):
        return "undetermined"
    low, high = ends_of(effect)
    if high <= 0:
        return "not replicated"
    if low <= 0:
        return "undetermined"
    if beyond_chance is not None and ends_of(beyond_chance)[0] <= 0:
        return "replicated, but at chance level"
    return "replicated"


def _of_lines(claim: Claim, lines: Sequence[AggregateLine]) -> Iterator[Finding]:
    """Hold a number of all runs together against a constant, and against its chance level."""
    assert isinstance(claim.greater, Side)
    assert isinstance(claim.lesser, float)
    for line in lines:
        of_all = line.corpus == line.model == claim.greater.model
        if of_all and line.quantity == claim.greater.quantity:
            value, chance = line.found.value, line.found.baseline
            beyond = None if chance is None else _less(value, chance.value)
            result = _result(_less(value, claim.lesser), beyond, line.seeds)
            yield Finding(line.corpus, value, chance, line.seeds, result)


def _less(value: Estimate, by: float) -> Estimate:
    return Estimate(
        value.value - by, value.low - by, value.high - by, value.n, value.method
    )  # fmt: skip
