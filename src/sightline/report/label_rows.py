"""A summary of the audits of several labels, one row a label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sightline.core.interval_level import percent_of
from sightline.core.results import VERDICTS, Estimate, Level, Results
from sightline.core.word_lists import join_words
from sightline.numerics.text_clusters import COUNT_AS_ONE
from sightline.report.column_layout import aligned
from sightline.report.first_screen import deciding_tests
from sightline.report.number_format import count, count_phrase, count_range, score, score_span
from sightline.report.sentences import quoted
from sightline.stats.intervals import LEVEL
from sightline.verdict.verdict_table import UNFIT

SHOWN = 25
"""Labels that the terminal lists."""
NAMED = 3
"""Most labels of one verdict that the headline names."""
LEFT_OUT = 6
"""Most labels that are named among those not audited for one reason."""
NOT_AUDITED = "not audited"
_COUNTED = re.compile(
    r"(?P<few>too few \w+): \d+ of \d+ texts(?:, which count as \d+)?; "
    r"(?P<least>an audit needs \d+)(?:; (?P<more>.+))?"
)
"""A reason that counts the texts of one label, and what more of them may do."""
_ABOUT = re.compile(r"about (\d+) ")


@dataclass(frozen=True)
class LabelRow:
    """One label: the number of texts for which it is predicted, and the conclusion of its audit.

    ``verdict`` is over all texts, and ``with_label`` what advice follows on a text that is predicted
    to have the label. Both are None if the label was not audited; ``why`` gives the reason.
    ``test`` is the first test that decided, with its score. ``level`` is the level of the label's
    intervals.
    """

    label: str
    predicted: int
    texts: int
    verdict: Level | None = None
    with_label: Level | None = None
    test: str = ""
    score: Estimate | None = None
    level: float = LEVEL
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give the row as plain JSON values."""
        return asdict(self)


def audited_row(label: str, predicted: int, texts: int, audit: Results, level: float) -> LabelRow:
    """Summarise the audit of a label, which is predicted for some of all texts, even if the audit
    stopped early.
    """
    verdict = audit.verdict
    # The tests of an audit with too few texts, which it names, decided nothing.
    codes = [] if verdict.row == UNFIT else deciding_tests(audit)
    decided = audit.by_test.get(codes[0]) if codes else None
    reason = next((one.words for one in verdict.reasons), "")
    return LabelRow(
        label,
        predicted,
        texts,
        verdict.level,
        audit.for_text(label),
        "" if decided is None else decided.title,
        None if decided is None else decided.score,
        level,
        reason if decided is None else "",
    )


def summary(rows: Sequence[LabelRow]) -> str:
    """Count the labels of each verdict on the texts that are predicted to have the label.

    The verdict for all texts together is left out: where classes differ, it is no advice on any text.
    """
    of = {level: [row.label for row in rows if row.with_label == level] for level in VERDICTS}
    said = [f"{level} for {_some(labels)}" for level, labels in of.items() if labels]
    # A card begins with these words: by them it is known as one of ours (`output_checks`).
    title = f"Attention by label ({count_phrase(len(rows), 'label')})"
    if not said:
        which = f"{quoted(rows[0].label)} could not" if len(rows) == 1 else "none could"
        return f"{title}: {which} be audited"
    if left := sum(row.with_label is None for row in rows):
        said.append(f"{count(left)} {NOT_AUDITED}")
    return f"{title}, for texts predicted to have the label: {'; '.join(said)}"


def _some(labels: Sequence[str]) -> str:
    """Count labels, and name them if there are few."""
    named = f" ({join_words([*map(quoted, labels)])})" if len(labels) <= NAMED else ""
    return f"{count(len(labels))}{named}"


def intervals_note(rows: Sequence[LabelRow]) -> str:
    """Say at which level the intervals are, and why some are wider."""
    tested = [row for row in rows if row.verdict is not None]
    levels = [row.level for row in tested]
    usual = min(levels) if len(levels) > 1 else LEVEL
    shown = [row.level for row in tested if _permits(row)]
    apart = any(row.level > usual for row in tested if not _permits(row))
    more = "at least " if len(levels) > 1 and apart else ""
    note = f"Intervals: {more}{percent_of(usual)} %, over texts ({COUNT_AS_ONE}); 0 = chance, 1 = best."
    if len(levels) == 1 and levels[0] > LEVEL:
        return f"{note} Here {percent_of(levels[0])} %, because the audit may look more than once."
    if len(levels) < 2 or max(shown, default=usual) <= usual:
        return note
    most = "up to " if min(shown) < max(shown) else ""
    return (
        f"{note} Where attention passed its own tests: {most}{percent_of(max(shown))} %. So among "
        f"the labels for which it can be shown, at most {percent_of(1 - LEVEL)} % are expected to "
        f"be wrong ({len(tested)} labels tested)."
    )


def _permits(row: LabelRow) -> bool:
    """Whether attention may be shown for all texts, or for those with the label."""
    return any(one is not None and one.permits for one in (row.verdict, row.with_label))


COLUMNS = ("predicted", "texts with the label", "all texts together", "decided by", "score")
HEAD = ("label", *COLUMNS)


def cells(row: LabelRow) -> tuple[str, ...]:
    """Write a row, one cell for each column of `HEAD`."""
    predicted = f"{count(row.predicted)} of {count(row.texts)}"
    own = NOT_AUDITED if row.with_label is None else str(row.with_label)
    verdict = "" if row.verdict is None else str(row.verdict)
    found = ""
    if row.score is not None:
        found = f"{score(row.score.value)} [{score_span(row.score)}], n = {count(row.score.n)}"
    return row.label, predicted, own, verdict, row.test or row.why, found


def lines(rows: Sequence[LabelRow]) -> list[str]:
    """Write the table for a terminal: the first labels, and how many more there are."""
    audited, left = by_verdict(rows)
    shown = audited[:SHOWN]
    table = aligned([HEAD, *map(cells, shown)]) if shown else []
    more = [f"and {len(audited) - len(shown)} more"] if len(audited) > len(shown) else []
    intervals = ["", intervals_note(rows)] if audited else []
    return [summary(rows), "", *table, *more, *reasons(left), *intervals]


def by_verdict(rows: Sequence[LabelRow]) -> tuple[list[LabelRow], list[LabelRow]]:
    """Group the audited labels by the verdict on texts with the label, and list the labels that were
    not audited separately.
    """
    audited = [row for level in VERDICTS for row in rows if row.with_label == level]
    return audited, [row for row in rows if row.with_label is None]


def reasons(left: Sequence[LabelRow]) -> list[str]:
    """Say each reason once for all labels that were not audited because of it."""
    by_reason: dict[tuple[str, ...], list[LabelRow]] = {}
    for row in left:
        counted = _COUNTED.fullmatch(row.why)
        reason = counted.group("few", "least") if counted else (row.why,)
        by_reason.setdefault(reason, []).append(row)
    return [
        f"{NOT_AUDITED}, {_shared(reason, rows)}: {_first(_named(reason, rows))}"
        for reason, rows in by_reason.items()
    ]


def _named(reason: Sequence[str], rows: Sequence[LabelRow]) -> list[str]:
    """Name labels; each with the texts that it is predicted for, if the reason counts them together."""
    counted = len(rows) > 1 and len(reason) > 1
    return [
        f"{quoted(row.label)} ({count(row.predicted)})" if counted else quoted(row.label)
        for row in rows
    ]


def _shared(reason: Sequence[str], rows: Sequence[LabelRow]) -> str:
    """Say a reason that labels share; the texts of several labels are counted together."""
    if len(rows) == 1 or len(reason) == 1:
        return rows[0].why
    few, least = reason
    return "; ".join(filter(None, (f"{few}: {_predicted(rows)}", least, _nearest(rows))))


def _nearest(rows: Sequence[LabelRow]) -> str:
    """Say of the label that needs the fewest texts how many may do."""
    found = {row.label: _COUNTED.fullmatch(row.why) for row in rows}
    more = {label: one["more"] for label, one in found.items() if one and one["more"]}
    # A label of which none were found names no number.
    fewest = {label: int(one[1]) for label, said in more.items() if (one := _ABOUT.search(said))}
    if not fewest:
        return next(iter(more.values()), "")
    label = min(fewest, key=lambda name: fewest[name])
    return f"for {quoted(label)} {more[label]}"


def _predicted(rows: Sequence[LabelRow]) -> str:
    """Count labels, and the texts for which each is predicted."""
    span = count_range(row.predicted for row in rows)
    return f"{count(len(rows))} labels, each predicted for {span} of {count(rows[0].texts)} texts"


def _first(names: Sequence[str]) -> str:
    left = len(names) - LEFT_OUT
    return join_words([*names[:LEFT_OUT], f"{count(left)} more"] if left > 0 else names)
