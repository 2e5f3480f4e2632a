"""Choose the map that may be shown, if any, on one half of the texts, and report it on the other.

Every map goes through the two tests that need no attention, SL-303 and SL-301, with their
thresholds. It must not fail Top word and Presence either, which were measured with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite

import numpy as np
from jaxtyping import Bool

from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer, Estimate, MapRow, merit
from sightline.core.word_lists import join_words
from sightline.numerics.text_clusters import AS_ONE
from sightline.stats.contrasts import paired
from sightline.verdict.audit_test import OPERATORS
from sightline.verdict.catalogue import AUDIT_TESTS, TOP_WORD
from sightline.verdict.decision_rule import decide, join_alternatives
from sightline.verdict.default_class import own_effect
from sightline.verdict.evidence import Evidence
from sightline.verdict.transfer_estimates import compared
from sightline.verdict.verdict_table import TOO_FEW

Array = np.ndarray
Effects = tuple[Estimate, Estimate | None, Estimate | None]
"""The score of SL-303, and the scores of SL-301 for deleted and replaced words."""
FAMILIES: Mapping[bool, tuple[str, ...]] = {False: RIVALS, True: SIGNED_RIVALS}
"""The maps that compete with each other. A signed map takes only words for the class, and its score
may exceed 1."""


def maps_of(evidence: Evidence, *, choosing: bool = True) -> tuple[MapRow, ...]:
    """Give a row for every map, best first within its family; none without the transfer test.

    Without ``choosing`` only one other map was compared, on some texts: it comes first, with numbers
    of all of these, and classes with too few of them are not asked.
    """
    if not evidence.has("transplant.half"):
        return ()
    half = evidence.array("transplant.half").astype(bool) & choosing
    return tuple(
        row for signed, names in FAMILIES.items() for row in _family(evidence, names, signed, half)
    )


def _family(
    evidence: Evidence, names: tuple[str, ...], signed: bool, half: Bool[Array, " N"]
) -> Iterator[MapRow]:
    known = [name for name in names if evidence.has(f"transplant.carried.{name}")]
    if half.any():
        moved = {name: merit(_moved(evidence, name, half)) for name in known}
        able = (name for name in known if isfinite(moved[name]))
        first = max(able, key=lambda name: moved[name], default="")
    else:
        first = next((name for name in known if name != "attention"), "")
    rows = [_row(evidence, name, signed, half) for name in known]
    for row in sorted(rows, key=lambda row: -merit(row.carried)):
        yield replace(row, chosen=row.name == first)


def _row(evidence: Evidence, name: str, signed: bool, half: Bool[Array, " N"]) -> MapRow:
    """Test one map on the texts on which none was chosen: it must pass Transfer and Removal."""
    answers, effects = _asked(evidence, name, ~half)
    joined, failed = _joined(*answers), ""
    if joined == "passed" and (spoiling := _spoiling(evidence, name, ~half)):
        joined, failed = "inconclusive", f"failed {join_words(spoiling)}"
    notes = _too_few(evidence, effects[0], ~half), _untested(*answers), failed
    against = tuple(_against(evidence, name, every_class=bool(half.any())))
    return MapRow(name, signed, False, joined, *effects, tuple(filter(None, notes)), against)


def _untested(moved: Answer, removed: Answer) -> str:
    """Say that only one of the two tests was run, where a map passed it; empty otherwise."""
    return NOT_REMOVED if moved == "passed" and removed == "not run" else ""


NOT_REMOVED = "passed Transfer alone: Removal could not be run"


def _too_few(evidence: Evidence, moved: Estimate, rows: Bool[Array, " N"]) -> str:
    """Say that a map was tested on too few texts to be recommended; empty if there are enough."""
    there, least = evidence.independent_in(rows), evidence.thresholds.fewest("SL-303")
    fewer = min(there, moved.n)
    if not moved.n or fewer >= least:
        return ""
    words = f"{TOO_FEW} ({fewer}) to recommend a map, which takes at least {least}"
    return f"{words}{AS_ONE if there < moved.n else ''}"


def _asked(
    evidence: Evidence, name: str, rows: Bool[Array, " N"]
) -> tuple[tuple[Answer, Answer], Effects]:
    """Run both tests of a map on some of the texts, Transfer first."""
    moved = _moved(evidence, name, rows)
    deleted, replaced = (_removed(evidence, how, name, rows) for how in OPERATORS)
    ways = [_held(evidence, one, "SL-301", rows) for one in (deleted, replaced) if one]
    answers = _held(evidence, moved, "SL-303", rows), join_alternatives(ways)
    return answers, (moved, deleted, replaced)


def _spoiling(evidence: Evidence, name: str, rows: Bool[Array, " N"]) -> list[str]:
    """Name the tests that a map fails and must not fail, of those measured for every map."""
    scores = {
        TOP_WORD: _removed(evidence, "top", name, rows),
        PRESENCE: _moved(evidence, name, rows, "present"),
    }
    return [
        AUDIT_TESTS[code].title
        for code, score in scores.items()
        if score is not None and _held(evidence, score, code, rows) == "failed"
    ]


PRESENCE = "SL-306"
OPEN = ("failed", "inconclusive")
"""Results by which the words of a class have no proven effect by themselves."""


def _against(evidence: Evidence, name: str, *, every_class: bool) -> Iterator[str]:
    """Name the predicted classes for which a map was not shown to work, tested on all their texts.

    As for attention, a class needs as many texts as a verdict takes, its words an effect by
    themselves, and both tests run, of which none may fail, nor may Top word or Presence. Of some
    texts alone, classes with fewer say nothing; without ``every_class`` they are left out.
    """
    fewest = min(evidence.thresholds.fewest(code) for code in ("SL-303", "SL-301"))
    for label, rows in evidence.classes.items():
        few = evidence.independent(label) < fewest
        if few and not every_class:
            continue
        without = few or (len(evidence.classes) > 1 and own_effect(evidence, name, label) in OPEN)
        moved, removed = _asked(evidence, name, rows)[0]
        failed = "failed" in (moved, removed) or removed == "not run"
        if without or failed or _spoiling(evidence, name, rows):
            yield label


def _moved(
    evidence: Evidence, name: str, rows: Bool[Array, " N"], kind: str = "carried"
) -> Estimate:
    taken = evidence.measurement("transplant")
    assert taken is not None  # callers have checked `has`
    return compared(taken, f"{kind}.{name}", evidence.clusters, rows, evidence.level("")).score


def _removed(evidence: Evidence, how: str, name: str, rows: Bool[Array, " N"]) -> Estimate | None:
    if not evidence.has(f"erasure.{how}.{name}"):
        return None
    number, baseline, most = (
        evidence.array(f"erasure.{how}.{which}")[rows] for which in (name, "random", "most")
    )
    clusters, classes = evidence.clusters[rows], evidence.predicted[rows]
    level = evidence.level("")
    return paired(number, baseline, evidence.seed, most, clusters, level, classes=classes).score


def _held(evidence: Evidence, score: Estimate, code: str, rows: Bool[Array, " N"]) -> Answer:
    """Give the result of one test of a map; texts of one cluster count as one, as for a verdict."""
    limits = evidence.thresholds
    threshold, fewest = limits.of(AUDIT_TESTS[code]), limits.fewest(code)
    if threshold is None:
        return "inconclusive"
    answer = decide(score, threshold, fewest)
    too_few = evidence.independent_in(rows) < fewest
    return "inconclusive" if too_few and answer != "not run" else answer


def _joined(moved: Answer, removed: Answer) -> Answer:
    """Let a map pass only if it passed both tests, as the audited map has to."""
    if "failed" in (moved, removed):
        return "failed"
    return "inconclusive" if moved == "passed" != removed else moved
