"""The result of comparing audits: plain values, and their JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.core.results import Estimate, Results
from sightline.stats.intervals import LEVEL
from sightline.verdict.evidence import Evidence
from sightline.verdict.thresholds import default_thresholds

SCHEMA = 1
"""Version of the JSON of a comparison; raised when a field changes its meaning."""
Answer = Literal["different", "not told apart", "not compared"]


@dataclass(frozen=True)
class ComparedScore:
    """One way to ask a test in two audits: both scores on the same texts, and the second minus the
    first.

    ``p_adjusted`` is for all comparisons together. Both are ``p_at_most`` if no resample reached a
    difference of 0: more resamples could make them smaller. If nothing is paired, each audit's
    score is over its own texts, there is no difference, and ``why`` says why.
    """

    code: str
    claim: str
    way: str
    answer: Answer
    first: Estimate | None = None
    second: Estimate | None = None
    difference: Estimate | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_at_most: bool = False
    why: str = ""


@dataclass(frozen=True)
class SharedTexts:
    """The texts that two audits share, by row in each, and how the audits differ on them.

    ``apart`` is the Jensen-Shannon divergence of the two attentions, NaN where undefined.
    """

    first: Int[np.ndarray, " N"]
    second: Int[np.ndarray, " N"]
    otherwise: Bool[np.ndarray, " N"]
    apart: Float[np.ndarray, " N"]


@dataclass(frozen=True)
class AuditPair:
    """An audit compared with the first; ``unpaired`` says why no texts are paired, and is empty
    otherwise.

    ``decided`` is the share of shared texts with different predictions, and ``attention`` the mean
    divergence of attention.
    """

    common: int
    alone: tuple[int, int]
    claims: tuple[ComparedScore, ...]
    unpaired: str = ""
    notes: tuple[str, ...] = ()
    decided: Estimate | None = None
    attention: Estimate | None = None
    shared: SharedTexts | None = None


@dataclass(frozen=True)
class Side:
    """One audit of a comparison, its name there, and its path, if any."""

    name: str
    audit: Results
    place: str = ""

    @cached_property
    def evidence(self) -> Evidence:
        """Its measurements, with the settings under which they were judged."""
        labels = self.labels or tuple(sorted({text.predicted for text in self.audit.texts}))
        card = self.audit.cards.get("model")
        offers = card.get("offers") if isinstance(card, Mapping) else None
        return Evidence(
            self.audit.measurements,
            labels,
            default_thresholds(),
            self.seed,
            offers=None if offers is None else frozenset(offers),
        )

    @property
    def seed(self) -> int:
        """The seed of the audit."""
        seed = self.audit.spec.get("seed")
        return seed if isinstance(seed, int) else 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes of the model."""
        return tuple(map(str, self._card("model").get("labels") or ()))

    @property
    def about(self) -> dict[str, Any]:
        """Say what was audited: model, data and seed, as far as known."""
        data, run = self._card("data"), self.audit.spec
        named = run.get("data") if isinstance(run.get("data"), str) else None
        return {
            "model": self._card("model").get("name"),
            "data": named or data.get("source") or data.get("name"),
            "seed": run.get("seed"),
            "texts": len(self.audit.texts),
        }

    def _card(self, name: str) -> Mapping[str, Any]:
        card = self.audit.cards.get(name)
        return card if isinstance(card, Mapping) else {}


@dataclass(frozen=True)
class SideBySide:
    """Several audits; ``pairs`` has an entry for each after the first, and ``comparisons`` counts
    the p-values.
    """

    sides: tuple[Side, ...]
    pairs: tuple[AuditPair, ...]
    comparisons: int

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``)."""
        return {
            "schema": SCHEMA,
            "audits": [_audit_json(side) for side in self.sides],
            "beside": [
                _pair_json(self, one, side)
                for one, side in zip(self.pairs, self.sides[1:], strict=True)
            ],
            "adjusted": {"method": "Holm", "comparisons": self.comparisons, "level": LEVEL},
        }


def _audit_json(side: Side) -> dict[str, Any]:
    audit = side.audit
    chosen = [row for row in audit.maps if row.chosen]
    return {
        "name": side.name,
        "place": side.place,
        **side.about,
        "verdict": audit.verdict.level,
        "row": audit.verdict.row,
        "by_class": {name: one.level for name, one in audit.verdict.by_class.items()},
        "findings": {one.code: one.result for one in audit.findings},
        "metrics": {name: asdict(value) for name, value in audit.metrics.items()},
        "maps": [asdict(row) for row in chosen],
    }


def _pair_json(whole: SideBySide, one: AuditPair, other: Side) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in ("common", "unpaired", "notes")}
    numbers = {
        name: found and asdict(found)
        for name, found in (("decided", one.decided), ("attention", one.attention))
    }
    return {
        "first": whole.sides[0].name,
        "second": other.name,
        **values,
        "alone": list(one.alone),
        "claims": [asdict(claim) for claim in one.claims],
        **numbers,
        "otherwise": []
        if one.shared is None
        else [*_otherwise(whole.sides[0].audit, other.audit, one.shared)],
    }


def _otherwise(first: Results, second: Results, shared: SharedTexts) -> Iterator[dict[str, Any]]:
    """List each text with different predictions, and both predictions."""
    for at in np.flatnonzero(shared.otherwise):
        one = first.texts[shared.first[at]]
        other = second.texts[shared.second[at]]
        yield {"id": one.id, "label": one.label, "first": one.predicted, "second": other.predicted}
