"""Which map over the words may be shown, if any: chosen on one half of the texts, reported on the other.

Every map goes through the two tests that need no attention, SL-303 and SL-301, at their δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool

from sightline.findings.decide import agreed, decide
from sightline.findings.evidence import Evidence
from sightline.findings.pairs import carried
from sightline.questions import RIVALS, SIGNED_RIVALS
from sightline.results import Answer, Estimate, MapRow
from sightline.statistics.contrast import paired

Array = np.ndarray
FAMILIES: Mapping[bool, tuple[str, ...]] = {False: RIVALS, True: SIGNED_RIVALS}
"""The maps that are held against each other: a signed map takes only words for the class, and may pass 1."""


@dataclass(frozen=True)
class _Worth:
    """What a map is worth on some texts."""

    carried: Estimate
    deleted: Estimate | None
    replaced: Estimate | None


def maps_of(evidence: Evidence) -> tuple[MapRow, ...]:
    """Give a row for every map that could be made, best first within its family; none where nothing was moved."""
    if not evidence.has("transplant.half"):
        return ()
    half = evidence.array("transplant.half").astype(bool)
    return tuple(row for signed, names in FAMILIES.items() for row in _family(evidence, names, signed, half))


def _family(evidence: Evidence, names: tuple[str, ...], signed: bool, half: Bool[Array, " N"]) -> Iterator[MapRow]:
    known = [name for name in names if evidence.has(f"transplant.carried.{name}")]
    trying = {name: _worth(evidence, name, half) for name in known}
    first = max(known, key=lambda name: _merit(trying[name]), default="")
    rows = [_row(evidence, name, signed, _worth(evidence, name, ~half)) for name in known]
    for row in sorted(rows, key=lambda row: -_merit_of(row)):
        yield replace(row, chosen=row.name == first)


def _worth(evidence: Evidence, name: str, rows: Bool[Array, " N"]) -> _Worth:
    taken = evidence.taken("transplant")
    assert taken is not None  # callers have asked `has` first
    removed = {
        how: paired(
            evidence.array(f"erasure.{how}.{name}")[rows],
            evidence.array(f"erasure.{how}.random")[rows],
            evidence.seed,
            ceiling=evidence.array(f"erasure.{how}.most")[rows],
            clusters=evidence.clusters[rows],
        ).effect
        for how in ("deleted", "replaced")
        if evidence.has(f"erasure.{how}.{name}")
    }
    moved = carried(taken, name, evidence.clusters, rows).effect
    return _Worth(moved, removed.get("deleted"), removed.get("replaced"))


def _merit(worth: _Worth) -> float:
    return -np.inf if np.isnan(worth.carried.value) else worth.carried.value


def _merit_of(row: MapRow) -> float:
    return -np.inf if row.carried is None or np.isnan(row.carried.value) else row.carried.value


def _row(evidence: Evidence, name: str, signed: bool, worth: _Worth) -> MapRow:
    """Answer for one map: it carries the decision, and removing its words is not shown to change nothing."""
    limits = evidence.thresholds
    moved = _held(worth.carried, limits.delta.get("SL-303"), limits.fewest("SL-303"))
    ways = [
        _held(one, limits.delta.get("SL-301"), limits.fewest("SL-301"))
        for one in (worth.deleted, worth.replaced)
        if one
    ]
    removed = agreed(ways)
    return MapRow(name, signed, False, _joined(moved, removed), worth.carried, worth.deleted, worth.replaced)


def _held(effect: Estimate, delta: float | None, fewest: int) -> Answer:
    return "inconclusive" if delta is None else decide(effect, delta, fewest)


def _joined(moved: Answer, removed: Answer) -> Answer:
    if moved == "contradicted" or removed == "contradicted":
        return "contradicted"
    return moved
