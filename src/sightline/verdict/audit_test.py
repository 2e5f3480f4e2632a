"""The definition of a test: one row with everything that is measured, decided and shown for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sightline.core.results import Role
from sightline.verdict.decision_rule import WORSE

Kind = Literal[
    "contrast", "by rank", "two operators", "pairs", "share", "share without", "weakest drop"
]
"""How a test is judged; each is a function in ``verdict/scoring_rules.py``."""
EstimateKind = Literal["mean", "share", "drop"]
"""How a quantity is estimated with an interval; each is a branch of ``Evidence.estimate``."""
Veto = Literal["", "moved", "alone", "together", "below zero"]
"""How a failed test keeps a map from being shown: by itself for the test that moves words (row 2);
by itself, only if all tests marked *together* fail, or only if the whole interval lies below chance
(row 3)."""
Requirement = Literal["", "passed", "one of these", "not failed"]
"""The result that a row of the verdict table requires of a test before a map may be shown."""

OPERATORS = ("deleted", "replaced")
"""What happens to removed words: they are deleted, or replaced by words of other texts."""
MARGIN, FLIPS = "how far the prediction moves", "whether it flips"
"""Two ways to measure what words do in another text; the second is independent of the scale of the
logits."""
NAMED: Mapping[Kind, tuple[str, ...]] = {"two operators": OPERATORS, "pairs": (MARGIN, FLIPS)}
"""Names of the ways to ask a question, if they differ in more than their chance level."""


@dataclass(frozen=True)
class ReportedQuantity:
    """A quantity that the report estimates; one with words is shown with the test, under these
    words.
    """

    name: str
    words: str = ""
    how: EstimateKind = "mean"


@dataclass(frozen=True)
class AuditTest:
    """One test of an audit.

    Parameters
    ----------
    code, name, question
        The stable code, which has a page in ``docs/findings/``; the name; and the question about
        the map.
    passed, failed, below
        What each result means to a reader of the map, as a clause; ``below`` is for an interval
        that lies entirely below chance.
    kind
        How it is judged (`Kind`).
    number, baseline, ceiling, draws
        The quantities, as ``measure.quantity``, for its number, the chance level, the best
        achievable value (1 if empty), and draws of the chance level for a p-value. If the number is
        the weakest of those ``shown``, only the measure.
    second
        A second number, chance level and ceiling (two operators), or a second chance level alone
        (contrast).
    number_words, baseline_words
        What number and chance level are, as the beginnings of "…: 0.66".
    second_words
        The same for the second number and its chance level (two operators).
    exceeds
        Whether its score can exceed 1: the ceiling is then a good choice of words, but no bound.
    veto
        How its failure keeps the map from being shown.
    for_caveats, for_all
        The result that *can be shown with caveats* and *can be shown* require.
    waits_on
        The code of a test; if that one fails, this one is inconclusive.
    shown
        More quantities, estimated to read it with.
    fixed
        Its threshold, if its words contain it ("most texts"); other thresholds are set on synthetic
        texts.
    twice
        Whether its score is twice as far from chance as its number, and at most 1.
    of_the_model
        Whether it is about the model as a whole, so that its result for all texts holds for every
        class.
    as_written
        Whether it uses natural texts only, and makes none.
    """

    code: str
    name: str
    question: str
    passed: str
    failed: str
    kind: Kind
    number: str
    number_words: str
    baseline_words: str
    below: str = ""
    baseline: str = ""
    ceiling: str = ""
    draws: str = ""
    second: tuple[str, ...] = ()
    second_words: tuple[str, str] | None = None
    exceeds: bool = False
    veto: Veto = ""
    for_caveats: Requirement = ""
    for_all: Requirement = ""
    waits_on: str = ""
    shown: tuple[ReportedQuantity, ...] = ()
    fixed: float | None = None
    twice: bool = False
    of_the_model: bool = False
    as_written: bool = False

    @property
    def title(self) -> str:
        """Name and code, as they are always written."""
        return f"{self.name} ({self.code})"

    @property
    def role(self) -> Role:
        """Its role in the verdict: *required*, *must not fail*, or *informational*."""
        if self.veto or self.for_caveats:
            return "required"
        return "must not fail" if self.for_all else "informational"

    @property
    def bears(self) -> bool:
        """Whether its result can affect the verdict."""
        return self.role != "informational"

    @property
    def measure(self) -> str:
        """The measure of its number."""
        return self.number.partition(".")[0]

    @property
    def of_the_task(self) -> bool:
        """Whether it is about the task, so that its result for one predicted class is not about
        that class.
        """
        return self.kind == "weakest drop"

    @property
    def of_all_texts(self) -> bool:
        """Whether its result for all texts holds for every predicted class, because it is about the
        task or the model.
        """
        return self.of_the_task or self.of_the_model

    @property
    def worse(self) -> str:
        """What it means if the whole interval of the score lies below 0."""
        return "the model does better without its learned attention" if self.of_the_task else WORSE

    def words_of(self, comparison: str) -> tuple[str, str]:
        """Give the words for number and chance level of one comparison; of the first by default."""
        if self.second_words and comparison in (OPERATORS[1], FLIPS):
            return self.second_words
        if self.of_the_task:
            return ", ".join(filter(None, (self.number_words, comparison))), self.baseline_words
        floors = self.kind == "contrast" and comparison
        return self.number_words, comparison if floors else self.baseline_words

    @property
    def shown_by_words(self) -> Mapping[str, str]:
        """The numbers shown with the test: the name of each estimate, by its words."""
        return {one.words: one.name for one in self.shown if one.words}

    def quantities(self) -> Iterator[ReportedQuantity]:
        """Name everything that is estimated for it, number and chance level first."""
        if self.kind in ("contrast", "by rank", "two operators"):
            yield from (ReportedQuantity(self.number), ReportedQuantity(self.baseline))
        elif self.kind == "share without":
            yield ReportedQuantity(self.number, how="share")
        yield from self.shown
