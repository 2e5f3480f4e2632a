"""The results of an audit: plain values and numpy arrays, without torch.

Raw numbers (`Measurement`) → numbers with intervals (`Estimate`) → test results (`Finding`) → one
`Audit`. A measure without numbers is `NotRun` or `Failed`, with the reason, so no outcome is
silent. Many audits together → one `Table` of `TableCell`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeGuard, TypeVar

import numpy as np
from jaxtyping import Float, Int

from sightline.core.audited_map import ATTENTION
from sightline.core.error_excerpts import list_names
from sightline.core.errors import SpecError
from sightline.core.later_fields import LATER

Answer = Literal["passed", "failed", "inconclusive", "not run"]
Role = Literal["required", "must not fail", "informational"]
"""The role of a test in the verdict: required, must not fail, or informational."""

SCHEMA = 4
"""Version of the JSON of an audit; raised when the meaning of a field changes."""


@dataclass(frozen=True)
class Ragged:
    """One array for each text, of varying length: all values in one row, and the length of each
    text.

    A word has one number, or several along the later axes.
    """

    flat: Float[np.ndarray, "S *K"]
    lengths: Int[np.ndarray, " N"]

    def rows(self) -> list[Float[np.ndarray, "_ *K"]]:
        """Split the values into one array for each text."""
        return np.split(self.flat, np.cumsum(self.lengths)[:-1]) if len(self.lengths) else []

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, as an array says it."""
        return self.flat.nbytes + self.lengths.nbytes


@dataclass(frozen=True)
class Bracket:
    """One number for each text that is only known to lie between two bounds."""

    low: Float[np.ndarray, " N"]
    high: Float[np.ndarray, " N"]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, as an array says it."""
        return self.low.nbytes + self.high.nbytes


Values = np.ndarray | Ragged | Bracket
"""The raw values of one quantity: by text (``N``), by text and draw (``N R``), by word, or as two
bounds."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, the number of texts, and the method of the interval."""

    value: float
    low: float
    high: float
    n: int
    method: str


@dataclass(frozen=True)
class Measurement:
    """The raw numbers of one measure, and its numbers about the whole split with their intervals.

    Undefined values are NaN; ``undefined`` counts them by quantity and reason. ``missing`` gives
    the reason for each quantity that this model does not allow and that is therefore absent.
    """

    code: str
    values: Mapping[str, Values]
    undefined: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    whole: Mapping[str, Estimate] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NotRun:
    """A measure that this model or these data do not allow, with the reason."""

    code: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """A measure that raised an error; the rest of the audit is unaffected."""

    code: str
    error: str


Outcome = Measurement | NotRun | Failed


Kind = TypeVar("Kind", Measurement, NotRun, Failed)


def _of_kind(outcomes: Mapping[str, Outcome], kind: type[Kind]) -> dict[str, Kind]:
    return {code: one for code, one in outcomes.items() if isinstance(one, kind)}


@dataclass(frozen=True)
class Finding:
    """One test of the map: the number, its chance level, the score between them, and the result.

    ``score`` places the number between its chance level, the ``baseline`` (0), and the best
    achievable (1); without a baseline it is the number itself. ``compared`` states how the interval
    of the score lies relative to the ``threshold``, and ``notes`` adds remarks; together they are
    the ``reason``. A test can make several comparisons: ``comparison`` names the one that decided,
    and number, baseline, score, p and ``needed`` belong to it. ``beside`` holds related numbers by
    name. ``by_class`` is the score on the texts of each predicted class, with intervals corrected
    for the number of classes, and ``answers`` the result there. ``needed`` estimates how many texts
    would settle an open result; None if the result is settled or no estimate is possible.
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
    needed: int | None = None
    comparison: str = ""

    @property
    def title(self) -> str:
        """The name with the code in brackets."""
        return f"{self.name} ({self.code})"

    @property
    def bears(self) -> bool:
        """Whether the verdict depends on it."""
        return self.role != "informational"

    @property
    def reason(self) -> str:
        """The whole explanation of the result."""
        return "; ".join(filter(None, (self.compared, *self.notes)))


class Level(StrEnum):
    """The possible conclusions of an audit about a map."""

    CAN = "can be shown"
    CAVEATS = "can be shown with caveats"
    MUST_NOT = "must not be shown"
    CANNOT_TELL = "cannot tell"
    BY_ABSENCE = "decided by absence"
    """The class that a model predicts when it finds no evidence. Only single predicted classes can
    have this level."""

    @property
    def permits(self) -> bool:
        """Whether the map may be shown, with or without caveats."""
        return self in (Level.CAN, Level.CAVEATS)


CAN, CAVEATS, MUST_NOT, CANNOT_TELL, BY_ABSENCE = VERDICTS = tuple(Level)


@dataclass(frozen=True)
class Reason:
    """Why a verdict was reached: a sentence for readers of the map, the test that shows it, and the
    numbers behind it.

    A reason without a test, such as non-finite logits, has no code and no result. ``too_few`` is
    the number of texts, if these are too few for a verdict; ``clustered`` says that they would be
    more if texts that count as one were counted each.
    """

    words: str
    code: str = ""
    result: Answer | None = None
    behind: str = ""
    too_few: int | None = field(default=None, metadata=LATER)
    clustered: bool = field(default=False, metadata=LATER)

    def __str__(self) -> str:
        test = f"{self.code} {self.result}: " if self.code else ""
        return f"{test}{self.words}{f' ({self.behind})' if self.behind else ''}"


@dataclass(frozen=True)
class CloseCall:
    """A test whose interval ends so near its threshold that the other side would change a verdict.

    ``of`` is the predicted class whose texts it was scored on, empty for all texts. ``distance`` is
    the distance between the end of the interval and the threshold. ``otherwise`` is the verdict if
    the interval ended on the other side.
    """

    code: str
    of: str
    distance: float
    otherwise: Level


@dataclass(frozen=True)
class Verdict:
    """The overall conclusion: the first row of the verdict table that applies, with its reasons.

    ``by_class`` holds the verdict for each predicted class with enough texts. ``close`` names the
    tests that the verdict or a class verdict hangs on. ``of_map`` names the audited map: attention,
    unless the model shows another map.
    """

    level: Level
    row: int
    decided_by: tuple[str, ...]
    reasons: tuple[Reason, ...]
    by_class: Mapping[str, Verdict] = field(default_factory=dict)
    close: tuple[CloseCall, ...] = ()
    of_map: str = ATTENTION

    @property
    def levels(self) -> frozenset[Level]:
        """The levels over all texts and for each class."""
        return frozenset(one.level for one in (self, *self.by_class.values()))

    @property
    def tells_nothing(self) -> bool:
        """Whether it is open over all texts and for each class."""
        return self.levels == {CANNOT_TELL}

    def for_text(self, predicted: str) -> Level:
        """Give the level that advice on a text of this predicted class follows."""
        return self.closed(self.by_class.get(predicted, self).level)

    def closed(self, own: Level) -> Level:
        """Give the level that advice follows for some texts, whose own is ``own``: if attention must
        not be shown over all texts, no class of them stays open.
        """
        return MUST_NOT if own == CANNOT_TELL and self.level == MUST_NOT else own

    def leaves_texts(self, against: Collection[str]) -> bool:
        """Whether a map that fails for the classes ``against`` can be shown for others: no map is
        for a class decided by absence.
        """
        if not self.by_class:
            return True
        return any(
            one.level != BY_ABSENCE and name not in against for name, one in self.by_class.items()
        )


@dataclass(frozen=True)
class MapRow:
    """The scores of one attribution map, from this package or another tool, on texts that were not
    used to choose among maps.

    ``carried``, ``deleted`` and ``replaced`` are scores: 0 is chance level (random words), 1 the
    reference, which can be exceeded. ``chosen`` marks the map of its family, signed or unsigned,
    that ranked first on the other half of the texts; no map is marked if that half has no scores.
    ``against`` names the predicted classes for whose texts the map fails, whatever its overall
    score.
    """

    name: str
    signed: bool
    chosen: bool
    answer: Answer
    carried: Estimate | None = None
    deleted: Estimate | None = None
    replaced: Estimate | None = None
    notes: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


def merit(carried: Estimate | None) -> float:
    """Sort key for maps: the transfer score; maps without a score come last."""
    return -math.inf if carried is None or math.isnan(carried.value) else carried.value


@dataclass(frozen=True)
class ClassShare:
    """The share of audited texts with a label, and the share predicted as it."""

    texts: Estimate
    predicted: Estimate


ONE_WEIGHT = "one attention weight a word, used by the decoder"
"""How attention is described of a model that has no other attention to choose from."""


@dataclass(frozen=True)
class Learned:
    """Whether the model has learned anything: its accuracy against always predicting the most
    common class.

    ``above`` is the difference. ``converged`` is None for a model trained elsewhere. ``cut`` counts
    the truncated texts among the ``cut_of`` that were measured, and ``words_cut`` the words they
    lost; ``words_unseen`` counts the words that the model has no token for. ``chance`` is the
    accuracy if the same predictions were assigned to the texts at
    random.
    """

    accuracy: Estimate
    guessing: Estimate
    above: Estimate
    converged: bool | None = None
    cut: int | None = None
    words_cut: int | None = None
    words_unseen: int | None = None
    cut_of: int | None = None
    chance: Estimate | None = None
    above_chance: Estimate | None = None
    classes: Mapping[str, ClassShare] | None = None

    @property
    def beats_chance(self) -> bool:
        """Whether its accuracy is significantly above ``chance``."""
        return self.above_chance is not None and self.above_chance.low > 0

    @property
    def something(self) -> bool:
        """Whether the model is significantly better than guessing on these texts; False without an
        interval.
        """
        return self.above.low > 0

    @property
    def worse(self) -> bool:
        """Whether the model is significantly worse than guessing: its classes may be mixed up."""
        return self.above.high < 0


def may_be_guessing(learned: Learned | None) -> TypeGuard[Learned]:
    """Check whether a model is not surely better than guessing; without labels nobody knows, and
    it is taken to be better.
    """
    return learned is not None and not learned.something


@dataclass(frozen=True)
class TextRecord:
    """One audited text as it was read, for the report; arrays by word are in the measurements."""

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
    """All results of one audit, with the texts they are based on."""

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
    def class_names(self) -> tuple[str, ...]:
        """The classes of the model, and any others that occur in the audit."""
        of_texts = {text.predicted for text in self.texts}
        return tuple(
            dict.fromkeys(
                (
                    *self.cards.get("model", {}).get("labels", ()),
                    *self.verdict.by_class,
                    *sorted(of_texts),
                )
            )
        )

    def was_predicted(self, name: str) -> bool:
        """Whether the model predicted this class for any audited text."""
        if self.verdict.by_class:
            return name in self.verdict.by_class
        # Without verdicts by class, all audited texts may be of one predicted class.
        return not self.texts or any(text.predicted == name for text in self.texts)

    def for_text(self, predicted: str) -> Level:
        """Give the level that advice on a text of this predicted class follows.

        ``predicted`` is a class of the model; any other value, such as the id of a text, is a
        `SpecError`. A class that was predicted of no audited text is open. No level permits a map
        of a model that is not surely better than guessing.
        """
        if predicted not in self.class_names:
            raise SpecError(
                f"expected the predicted class of a text, one of {list_names(self.class_names)}, "
                f"got {predicted!r:.60}",
                field="predicted",
            )
        verdict = self.verdict
        level = (
            verdict.for_text(predicted)
            if self.was_predicted(predicted)
            else verdict.closed(CANNOT_TELL)
        )
        return CANNOT_TELL if may_be_guessing(self.learned) and level.permits else level

    @property
    def by_test(self) -> dict[str, Finding]:
        """The findings by the code of their test."""
        return {finding.code: finding for finding in self.findings}

    @property
    def taken(self) -> dict[str, Measurement]:
        """The measurements that were taken, by the code of their measure."""
        return _of_kind(self.measurements, Measurement)

    @property
    def not_run(self) -> dict[str, str]:
        """The reason for each measure that did not run, by its code."""
        return {code: one.reason for code, one in _of_kind(self.measurements, NotRun).items()}

    @property
    def errors(self) -> dict[str, str]:
        """The error of each measure that failed, by its code."""
        return {code: one.error for code, one in _of_kind(self.measurements, Failed).items()}

    @property
    def to_test_on(self) -> int:
        """The number of test texts: the audited ones, or the set that they were sampled from."""
        there: int = self.cards.get("data", {}).get("sample", {}).get("of", len(self.texts))
        return there

    def undefined(self) -> dict[str, dict[str, int]]:
        """Count the undefined values, by quantity and reason."""
        return {
            f"{code}.{name}": dict(counts)
            for code, measurement in self.taken.items()
            for name, counts in measurement.undefined.items()
            if counts
        }

    def missing(self) -> dict[str, str]:
        """Give the reason for each missing quantity (``measure.quantity``) of the measures that
        ran.
        """
        return {
            f"{code}.{name}": why
            for code, measurement in self.taken.items()
            for name, why in measurement.missing.items()
        }

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``), without the raw arrays.

        ``not_run`` names measures that did not run, ``missing`` quantities (``measure.quantity``)
        that a measure had to leave out; both give the reason.
        """
        return {
            "schema": SCHEMA,
            "verdict": self.verdict.level,
            "by_class": {name: one.level for name, one in self.verdict.by_class.items()},
            "verdict_detail": asdict(self.verdict),
            "findings": [asdict(finding) | {"reason": finding.reason} for finding in self.findings],
            "estimates": {name: asdict(value) for name, value in self.estimates.items()},
            "metrics": {name: asdict(value) for name, value in self.metrics.items()},
            "maps": [asdict(row) for row in self.maps],
            "learned": None if self.learned is None else asdict(self.learned),
            "undefined": self.undefined(),
            "not_run": self.not_run,
            "missing": self.missing(),
            "errors": self.errors,
            "spec": dict(self.spec),
            "environment": dict(self.environment),
            "cards": dict(self.cards),
        }


@dataclass(frozen=True)
class TableCell:
    """A number with its interval, a word such as a verdict, or nothing (None or NaN) with the
    reason (``note``).

    ``sd`` is the standard deviation over seeds, which may replace the interval. ``method`` names
    the method of the interval. ``n`` counts the texts behind a number; ``seeds`` and ``runs``
    (keys) name its runs.
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
    """Results of several runs: one row for each setting, named by its value on every axis, and one
    column for each quantity.

    ``partial`` says how much of the table is missing, empty if complete; ``notes`` name the missing
    parts.
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
