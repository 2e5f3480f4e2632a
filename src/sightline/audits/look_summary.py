"""What an audit that stops when its verdict is settled knows of its first texts, and what it says is
open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sightline.core.results import Finding, Outcome
from sightline.stats.intervals import LEVEL
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.judge import Judgement, most_taken, needed_texts
from sightline.verdict.settled import Settled
from sightline.verdict.thresholds import Thresholds


@dataclass(frozen=True)
class JudgedTexts:
    """The first ``size`` texts: the outcomes of measures, what they settle, and the level of their
    intervals.
    """

    size: int = 0
    level: float = LEVEL
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    judgement: Judgement | None = None
    state: Settled | None = None

    def lacks(self, measures: Collection[str]) -> bool:
        """Whether one of these measures was not taken of the texts."""
        return not self.outcomes.keys() >= set(measures)


def still_open(
    known: JudgedTexts, needed: int | None, with_caveats: int | None, seconds: float
) -> dict[str, Any]:
    """Name the open tests, and say how many texts would settle the verdict and how long these take,
    if these texts took ``seconds``; and how many its caveats, where they take more.
    """
    state = known.state
    assert state is not None
    rate = seconds / max(known.size, 1)
    return {
        "open": list(state.open),
        "open_of_class": {of: [*codes] for of, codes in state.open_of.items() if of},
        "open_of_all": list(state.open_of.get("", ())),
        "open_whole": not state.whole,
        "open_classes": [of for of, done in state.by_class.items() if not done],
        "needed_texts": needed,
        "needed_seconds": round(rate * needed, 1) if needed else None,
        "needed_for_caveats": with_caveats
        if needed and with_caveats and with_caveats > needed
        else None,
    }


def texts_to_settle(
    known: JudgedTexts,
    thresholds: Thresholds,
    planned: Sequence[int],
    usual: Mapping[str, float],
    *,
    caveats: bool = False,
) -> int | None:
    """Give the number of texts that would settle the open tests, at least as many as the next
    ``planned`` look has.

    A test that must not fail can add a caveat, and no more. So only the required tests count while
    one of them is open, unless the number is asked with ``caveats``. ``usual`` gives for each class
    the number of planned texts that usually hold as many of it as were measured: first looks hold
    more of a rare class.
    """
    assert known.judgement is not None
    assert known.state is not None
    required = {code for code in known.state.open if AUDIT_TESTS[code].role == "required"}
    counted = {*known.state.open} if caveats or not required else required
    asked = [
        _needed_for(known, one, of, thresholds.fewest(one.code), usual.get(of, known.size))
        for of, codes in known.state.open_of.items()
        for one in known.judgement.findings
        if one.code in counted.intersection(codes)
    ]
    counts = [one for one in asked if one is not None]
    later = [size for size in planned if size > known.size]
    return max([*counts, *later[:1]], default=None)


def _needed_for(
    known: JudgedTexts, finding: Finding, of: str, fewest: int, audited: float
) -> int | None:
    """Give the number of audited texts that would settle a test, over all of them or for a class;
    None if more would not.
    """
    if not of:
        return finding.needed
    if (score := finding.by_class.get(of)) is None:
        return None
    taken = known.outcomes.get(AUDIT_TESTS[finding.code].measure)
    return needed_texts(
        score,
        finding.answers.get(of, "not run"),
        finding.threshold,
        fewest,
        audited,
        most_taken(taken, len(finding.by_class), of_one=True),
    )
