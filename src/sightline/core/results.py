"""What an audit yields: plain values and numpy arrays, without torch.

Raw numbers (`Measurement`) → numbers with intervals (`Estimate`) → coded answers (`Finding`) → one
`Audit`. A measure that could not be taken is `NotRun` or `Failed`, with its reason: three outcomes,
none silent. Many audits side by side → one `Table` of `TableCell`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int

from sightline.core.audited_map import ATTENTION

Answer = Literal["passed", "failed", "inconclusive", "not run"]
Role = Literal["required", "must not fail", "informational"]
"""What a test does in the verdict: it is required, it must not fail, or it is informational."""

_LATER = {"later": True}
"""Marks a field that audits may lack that were saved before it was there
(`sightline.config.key_compatibility`, a floor above)."""

SCHEMA = 4
"""Version of the JSON of an audit; raised when a field changes its meaning."""


@dataclass(frozen=True)
class Ragged:
    """One array a text, of different lengths: all values in a row, and how many belong to each
    text.

    A word has one number, or several along the axes behind the first.
    """

    flat: Float[np.ndarray, "S *K"]
    lengths: Int[np.ndarray, " N"]

    def rows(self) -> list[Float[np.ndarray, "_ *K"]]:
        """Cut the values into one array a text."""
        return np.split(self.flat, np.cumsum(self.lengths)[:-1]) if len(self.lengths) else []

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, as an array says it."""
        return self.flat.nbytes + self.lengths.nbytes


@dataclass(frozen=True)
class Bracket:
    """A number a text that is known only to lie between two sides."""

    low: Float[np.ndarray, " N"]
    high: Float[np.ndarray, " N"]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, as an array says it."""
        return self.low.nbytes + self.high.nbytes


Values = np.ndarray | Ragged | Bracket
"""What a measure keeps of one quantity: by text (``N``), by text and draw (``N R``), by word, or
between two sides."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, the texts it rests on, and how the interval was made."""

    value: float
    low: float
    high: float
    n: int
    method: str


@dataclass(frozen=True)
class Measurement:
    """Raw numbers of one measure, and what only the whole split has, with the interval it was
    measured with.

    Undefined values are NaN; ``undefined`` counts them by quantity and reason. ``missing`` are the
    quantities that the measure knows and this model does not allow, and why: they are not among the
    values.
    """

    code: str
    values: Mapping[str, Values]
    undefined: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    whole: Mapping[str, Estimate] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NotRun:
    """A measure that this model or this data does not allow, and why."""

    code: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """A measure that broke; the rest of the audit stands."""

    code: str
    error: str


Outcome = Measurement | NotRun | Failed


@dataclass(frozen=True)
class Finding:
    """One test of the map: the number, its chance level, the score between them, and the result.

    ``effect`` says how far the number gets from the floor (0) to the ceiling (1); of a claim
    without a floor it is the number. ``delta`` is the threshold. ``compared`` says how the interval
    of the effect lies against it, and ``notes`` what else is to be said; together they are the
    ``reason``. ``comparison`` names the comparison that decided: number, floor, effect, p and
    ``needed`` are all of that one, as a claim can make several. ``beside`` holds the numbers to
    read it with, by what they are. ``by_class`` is the effect on the texts of each predicted class,
    its interval corrected for their number, and ``answers`` what it says there. ``needed``
    estimates how many texts would settle what is left open; None where nothing is, or where that
    cannot be told.
    """

    code: str
    name: str
    result: Answer
    role: Role
    compared: str = ""
    notes: tuple[str, ...] = ()
    threshold: float | None = None
    number: Estimate | None = None
    baseline: Estimate | None = None
    score: Estimate | None = None
    p: float | None = None
    p_adjusted: float | None = None
    by_class: Mapping[str, Estimate] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    beside: Mapping[str, Estimate] = field(default_factory=dict)
    needed: int | None = field(default=None, metadata=_LATER)
    comparison: str = field(default="", metadata=_LATER)

    @property
    def title(self) -> str:
        """Its name with its code, as every surface writes it."""
        return f"{self.name} ({self.code})"

    @property
    def bears(self) -> bool:
        """Whether the verdict looks at it."""
        return self.role != "informational"

    @property
    def reason(self) -> str:
        """Why this is the answer, whole."""
        return "; ".join(filter(None, (self.compared, *self.notes)))


class Level(StrEnum):
    """What an audit may conclude of a map."""

    CAN = "can be shown"
    CAVEATS = "can be shown with caveats"
    MUST_NOT = "must not be shown"
    CANNOT_TELL = "cannot tell"
    BY_ABSENCE = "decided by absence"
    """What a model predicts when it finds nothing: a level of predicted classes, never of all texts
    together."""

    @property
    def permits(self) -> bool:
        """Whether the map may be shown, with caveats or without."""
        return self in (Level.CAN, Level.CAVEATS)


CAN, CAVEATS, MUST_NOT, CANNOT_TELL, BY_ABSENCE = VERDICTS = tuple(Level)


@dataclass(frozen=True)
class Reason:
    """Why a verdict was reached: a sentence for readers of the map, the test that shows it, and the
    numbers behind it.

    A reason that rests on no test, such as a model that gives no finite numbers, has no code and no
    result.
    """

    words: str
    code: str = ""
    result: Answer | None = None
    behind: str = ""

    def __str__(self) -> str:
        test = f"{self.code} {self.result}: " if self.code else ""
        return f"{test}{self.words}{f' ({self.behind})' if self.behind else ''}"


@dataclass(frozen=True)
class CloseCall:
    """A test whose interval ends near its threshold, where the other side would change a verdict.

    ``of`` is the predicted class on whose texts it was scored, empty for all texts. ``distance`` is
    that of the end of the interval from the threshold, and ``otherwise`` the verdict on these texts
    if the interval ended on the other side.
    """

    code: str
    of: str
    distance: float
    otherwise: Level


@dataclass(frozen=True)
class Verdict:
    """The answer of the whole: the first row of the verdict table that applies, and what decided
    it.

    ``by_class`` is the same for the texts of each predicted class of which there are enough.
    ``close`` names the tests on which it hangs: those of the whole and of its classes. ``of_map``
    is what the audited map is called: attention, unless the model shows another in its place.
    """

    level: Level
    row: int
    decided_by: tuple[str, ...]
    reasons: tuple[Reason, ...]
    by_class: Mapping[str, Verdict] = field(default_factory=dict)
    close: tuple[CloseCall, ...] = field(default=(), metadata=_LATER)
    of_map: str = field(default=ATTENTION, metadata=_LATER)


@dataclass(frozen=True)
class MapRow:
    """What one map over the words is worth, whoever made it: on texts that had no part in choosing
    among maps.

    ``carried``, ``deleted`` and ``replaced`` are effects: 0 is what random words do, and 1 what the
    reference does, which is no bound. ``chosen`` marks the map of its family, signed or not, that
    the other half of the texts put first; none where that half measured nothing. ``against`` names
    the predicted classes for whose texts the map fails, whatever it does over all of them.
    """

    name: str
    signed: bool
    chosen: bool
    answer: Answer
    carried: Estimate | None = None
    deleted: Estimate | None = None
    replaced: Estimate | None = None
    notes: tuple[str, ...] = ()
    against: tuple[str, ...] = field(default=(), metadata=_LATER)


def merit(carried: Estimate | None) -> float:
    """Put maps in order by what their words carry; one of which nothing is known comes last."""
    return -math.inf if carried is None or math.isnan(carried.value) else carried.value


@dataclass(frozen=True)
class ClassShare:
    """How much of the audited texts has a label, and how much of the answers says it."""

    texts: Estimate
    predicted: Estimate


@dataclass(frozen=True)
class Learned:
    """Whether the model has learned anything: accuracy against always saying the class that is most
    common.

    ``above`` is the difference; ``converged`` is unknown (None) of a model trained elsewhere, and
    ``cut`` counts the texts of all splits that were cut to the longest length allowed,
    ``words_cut`` the words they lost. ``chance`` is how often the same answers would be right if
    they were dealt out to the texts at random.
    """

    accuracy: Estimate
    guessing: Estimate
    above: Estimate
    converged: bool | None = None
    cut: int | None = None
    words_cut: int | None = field(default=None, metadata=_LATER)
    chance: Estimate | None = field(default=None, metadata=_LATER)
    above_chance: Estimate | None = field(default=None, metadata=_LATER)
    classes: Mapping[str, ClassShare] | None = field(default=None, metadata=_LATER)

    @property
    def beats_chance(self) -> bool:
        """Whether its answers are right more often than if they were dealt out at random, as far as
        can be told.
        """
        return self.above_chance is not None and self.above_chance.low > 0

    @property
    def something(self) -> bool:
        """Whether the model is better than guessing, as far as these texts can tell: one without an
        interval is not.
        """
        return self.above.low > 0


@dataclass(frozen=True)
class TextRecord:
    """One audited text as it was read, for the page; word arrays are in the measurements."""

    id: str
    text: str
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    label: str
    predicted: str
    rationale: tuple[bool, ...] | None = None
    query: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Results:
    """Everything one audit found, and what it was found on."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    estimates: Mapping[str, Estimate]
    metrics: Mapping[str, Estimate]
    measurements: Mapping[str, Outcome]
    spec: Mapping[str, Any]
    environment: Mapping[str, Any]
    cards: Mapping[str, Any]
    maps: tuple[MapRow, ...] = ()
    learned: Learned | None = None
    texts: tuple[TextRecord, ...] = ()

    @property
    def to_test_on(self) -> int:
        """How many texts the data have to test on: those that were audited, or that they were drawn
        from.
        """
        there: int = self.cards.get("data", {}).get("sample", {}).get("of", len(self.texts))
        return there

    def undefined(self) -> dict[str, dict[str, int]]:
        """Count the undefined values, by quantity and reason."""
        taken = [m for m in self.measurements.values() if isinstance(m, Measurement)]
        return {
            f"{m.code}.{name}": dict(counts)
            for m in taken
            for name, counts in m.undefined.items()
            if counts
        }

    def missing(self) -> dict[str, str]:
        """Say which quantities of measures that were taken the model does not allow,
        ``measure.quantity``, and why.
        """
        taken = [m for m in self.measurements.values() if isinstance(m, Measurement)]
        return {f"{m.code}.{name}": why for m in taken for name, why in m.missing.items()}

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``); the raw arrays are not in
        it.

        ``not_run`` names measures that were not taken, ``missing`` quantities
        (``measure.quantity``) that those which were taken had to leave out; each with the reason.
        """
        skipped = {m.code: m.reason for m in self.measurements.values() if isinstance(m, NotRun)}
        errors = {m.code: m.error for m in self.measurements.values() if isinstance(m, Failed)}
        return {
            "schema": SCHEMA,
            "verdict": self.verdict.level,
            "verdict_detail": asdict(self.verdict),
            "findings": [asdict(finding) | {"reason": finding.reason} for finding in self.findings],
            "estimates": {name: asdict(value) for name, value in self.estimates.items()},
            "metrics": {name: asdict(value) for name, value in self.metrics.items()},
            "maps": [asdict(row) for row in self.maps],
            "learned": None if self.learned is None else asdict(self.learned),
            "undefined": self.undefined(),
            "not_run": skipped,
            "missing": self.missing(),
            "errors": errors,
            "spec": dict(self.spec),
            "environment": dict(self.environment),
            "cards": dict(self.cards),
        }


@dataclass(frozen=True)
class TableCell:
    """A number with its interval, a word such as a verdict, or nothing (None or NaN) and why
    (``note``).

    ``sd`` is the standard deviation over seeds, where that is asked for in place of an interval;
    ``method`` says how an interval was made. ``n`` counts the texts behind a number; ``seeds`` and
    ``runs`` (their keys) say which runs it comes from.
    """

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    seeds: tuple[int, ...] = ()
    runs: tuple[str, ...] = ()
    note: str = ""
    sd: float | None = None
    method: str = ""

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ValueError(
                f"an interval has two ends or none, got low={self.low} and high={self.high}"
            )


@dataclass(frozen=True)
class Table:
    """Results side by side: a row for each setting, named by its value on every axis, and a column
    for each quantity.

    ``partial`` says how much a table lacks, and is empty where it is whole; ``notes`` name what
    that is.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    row_names: tuple[tuple[str, ...], ...]
    row_axes: tuple[str, ...]
    notes: tuple[str, ...] = ()
    partial: str = ""

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.row_names):
            raise ValueError(f"{len(self.rows)} rows, but {len(self.row_names)} row names")
        for index, (cells, names) in enumerate(zip(self.rows, self.row_names, strict=True)):
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"row {index}: expected {len(self.columns)} cells, a column each, got "
                    f"{len(cells)}"
                )
            if len(names) != len(self.row_axes):
                raise ValueError(
                    f"row {index}: expected {len(self.row_axes)} names, an axis each, got "
                    f"{len(names)}"
                )
