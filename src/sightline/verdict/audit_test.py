"""What a claim is: one row, and everything that is said, measured and shown of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sightline.core.results import Role
from sightline.verdict.decision_rule import WORSE

Kind = Literal[
    "contrast", "by rank", "two operators", "pairs", "share", "share without", "weakest drop"
]
"""How a claim is judged; each is a function in ``verdict/scoring_rules.py``."""
How = Literal["mean", "unbounded mean", "mean of shares", "share", "drop"]
"""How a quantity becomes a number with an interval; each is a branch of ``Evidence.estimate``."""
Veto = Literal["", "moved", "alone", "together", "below zero"]
"""How a contradiction keeps a map from being shown: by itself as the test that moves words does
(row 2), or by itself, only with all others that are so marked, or only where even the interval lies
below chance (row 3)."""
Requirement = Literal["", "passed", "one of these", "not failed"]
"""What a row that lets a map be shown asks of the answer."""

OPERATORS = ("deleted", "replaced")
"""What happens to words that are removed: they go, or words of other texts take their places."""
MARGIN, FLIPS = "how far the prediction moves", "whether it flips"
"""Two ways to say what words do in another text; the second is the same however a model scales its
logits."""
NAMED: Mapping[Kind, tuple[str, ...]] = {"two operators": OPERATORS, "pairs": (MARGIN, FLIPS)}
"""What the ways to ask a claim are called, where they differ in more than their chance level."""


@dataclass(frozen=True)
class ReportedQuantity:
    """A quantity that is estimated for the report; one with words stands beside the finding, by
    these.
    """

    name: str
    words: str = ""
    how: How = "mean"


@dataclass(frozen=True)
class AuditTest:
    """One claim.

    Parameters
    ----------
    code, name, question
        Its stable code, which has a page in ``docs/findings/``; what it is called; and what it asks
        of the map.
    passed, failed, below
        What each result means to a reader of the map, as a clause; ``below``, where even the
        interval lies below chance.
    kind
        How it is judged.
    number, chance level, ceiling, draws
        The quantities, named ``measure.quantity``, that give its number, the chance level, the best
        that can be reached (1 where nothing is named), and draws of the chance level for a p-value.
        Where the number is the weakest of those ``shown``, the measure alone.
    second
        A second number, chance level and ceiling (two operators), or a second chance level alone
        (contrast).
    number_words, floor_words
        What number and chance level are, as the beginnings of "…: 0.66".
    second_words
        The same of the second number and its chance level (two operators).
    exceeds
        Whether its score can exceed 1: the ceiling is then a good choice of words, and no bound.
    charge
        How its contradiction keeps the map from being shown.
    for_caveats, for_all
        What the rows *can be shown with these caveats* and *can be shown* ask of its answer.
    waits_on
        The claim without which its answer stays open.
    shown
        What else is estimated to read it with.
    fixed
        Its threshold, where the words of the claim name it ("most texts"); else it is set on
        planted texts.
    twice
        Whether its score is twice as far from chance as its number is, and 1 at most.
    of_the_model
        Whether it speaks of the model as a whole, so that its answer for all texts stands for every
        class.
    as_written
        Whether it looks for the reasons in texts as they are written, and makes none.
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
    charge: Veto = ""
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
        """Its name with its code, as every surface writes it."""
        return f"{self.name} ({self.code})"

    @property
    def role(self) -> Role:
        """What its answer does in the verdict table: it may *decide* a row, add a *caveat*, or is
        *context*.
        """
        if self.charge or self.for_caveats:
            return "required"
        return "must not fail" if self.for_all else "informational"

    @property
    def bears(self) -> bool:
        """Whether the verdict looks at it."""
        return self.role != "informational"

    @property
    def measure(self) -> str:
        """The measure that its number comes from."""
        return self.number.partition(".")[0]

    @property
    def of_the_task(self) -> bool:
        """Whether it speaks of the task, so that its answer for one predicted class is none about
        that class.
        """
        return self.kind == "weakest drop"

    @property
    def of_all_texts(self) -> bool:
        """Whether its answer for all texts stands for every predicted class: it speaks of the task,
        or of the model.
        """
        return self.of_the_task or self.of_the_model

    @property
    def worse(self) -> str:
        """What a score means whose whole interval lies below 0."""
        return "the model does better without its learned attention" if self.of_the_task else WORSE

    def words_of(self, comparison: str) -> tuple[str, str]:
        """Give the words for number and chance level of one comparison, or of the first one."""
        if self.second_words and comparison in (OPERATORS[1], FLIPS):
            return self.second_words
        if self.of_the_task:
            return ", ".join(filter(None, (self.number_words, comparison))), self.baseline_words
        floors = self.kind == "contrast" and comparison
        return self.number_words, comparison if floors else self.baseline_words

    @property
    def beside(self) -> Mapping[str, str]:
        """What stands beside the finding: under which name each is estimated, by what it is."""
        return {one.words: one.name for one in self.shown if one.words}

    def quantities(self) -> Iterator[ReportedQuantity]:
        """Name everything that is estimated for it: number and chance level first."""
        if self.kind in ("contrast", "by rank", "two operators"):
            yield from (ReportedQuantity(self.number), ReportedQuantity(self.baseline))
        elif self.kind == "share without":
            yield ReportedQuantity(self.number, how="share")
        yield from self.shown
