"""The texts of an audit with all their numbers, collected once for the whole page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import overload

import numpy as np
from jaxtyping import Float, Int

from sightline.config.word_maps import REDUCED, REDUCTIONS
from sightline.core.audited_map import ATTENTION
from sightline.core.results import Failed, Measurement, NotRun, Ragged, Results, TextRecord, Values
from sightline.core.word_lists import join_words
from sightline.report.advice import recommended
from sightline.report.html.logit_decomposition import LogitSums, sums_of
from sightline.report.map_names import MAPS, Map, first_maps


class TextValues(Sequence[np.ndarray]):
    """The numbers of each text, sliced on access: an array object for each text takes more memory
    than its numbers.
    """

    def __init__(self, values: Ragged) -> None:
        self._flat, self._ends = values.flat, np.concatenate([[0], np.cumsum(values.lengths)])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...

    @overload
    def __getitem__(self, index: slice) -> list[np.ndarray]: ...

    def __getitem__(self, index: int | slice) -> np.ndarray | list[np.ndarray]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        at = range(len(self))[index]
        return self._flat[self._ends[at] : self._ends[at + 1]]


@dataclass(frozen=True)
class HeldMap:
    """A map with its numbers, one array a text, and what they mean."""

    kind: Map
    rows: Sequence[np.ndarray]
    description: str


@dataclass(frozen=True)
class HeldTexts:
    """Every text, its maps, and the numbers that order the texts: disagreement of the maps, and
    probability of the prediction.

    ``order`` is by disagreement, largest first and undefined last; without disagreement, the order
    of the audit. ``first`` names the maps that are shown first. ``absent`` says which expected maps
    are missing, and why.
    """

    records: tuple[TextRecord, ...]
    maps: tuple[HeldMap, ...]
    first: tuple[str, ...]
    sums: LogitSums | None
    absent: tuple[str, ...]
    disagreement: Float[np.ndarray, " N"] | None
    confidence: Float[np.ndarray, " N"] | None
    order: Int[np.ndarray, " N"]

    @property
    def shown(self) -> tuple[HeldMap, ...]:
        """The maps that are shown first, in order."""
        known = {each.kind.quantity: each for each in self.maps}
        return tuple(known[name] for name in self.first)


def held_texts(audit: Results) -> HeldTexts:
    """Collect the texts of an audit with the maps that fit them word by word."""
    words = [len(record.tokens) for record in audit.texts]
    found = [(kind, _stored(audit, kind)) for kind in map(partial(_as_called, audit), MAPS)]
    fitting = [
        (kind, values) for kind, values in found if values and values.lengths.tolist() == words
    ]
    maps = [HeldMap(kind, TextValues(values), _describe(audit, kind)) for kind, values in fitting]
    disagreement = _by_text(audit, "agreement", "disagreement")
    order = (
        np.arange(len(words)) if disagreement is None else np.argsort(-disagreement, kind="stable")
    )
    confidence = _by_text(audit, "outputs", "probability")
    first = first_maps([each.kind for each in maps], audit.maps, recommended(audit))
    absent = _absent(audit, maps)
    return HeldTexts(
        audit.texts, tuple(maps), first, sums_of(audit), absent, disagreement, confidence, order
    )


def _as_called(audit: Results, kind: Map) -> Map:
    """Name the audited map as the verdict does."""
    return replace(kind, name=audit.verdict.of_map) if kind.quantity == ATTENTION else kind


def _stored(audit: Results, kind: Map) -> Ragged | None:
    """Find the numbers of a map in an audit, whatever their lengths."""
    values = _values(audit, kind.measure, kind.quantity)
    return values if isinstance(values, Ragged) else None


def _describe(audit: Results, kind: Map) -> str:
    """Say what the numbers of a map mean; for a gradient also how it was reduced, and what it runs
    through.
    """
    card = audit.cards.get("model")
    if kind.quantity == ATTENTION and audit.verdict.of_map != ATTENTION and card:
        return str(card.get("reading", kind.description))
    measured = audit.measurements.get("agreement")
    settings = measured.settings if isinstance(measured, Measurement) else {}
    if kind.quantity not in REDUCED or settings.get("gradient") not in REDUCTIONS:
        return kind.description
    through = kind.quantity == "gradient" and settings.get("attention") == "through"
    ran = (
        "; here it also runs through the attention, because this model cannot decode other weights"
        if through
        else ""
    )
    return f"{kind.description} ({REDUCTIONS[settings['gradient']]}){ran}"


def _by_text(audit: Results, measure: str, quantity: str) -> Float[np.ndarray, " N"] | None:
    values = _values(audit, measure, quantity)
    fits = isinstance(values, np.ndarray) and values.shape == (len(audit.texts),)
    return np.asarray(values, dtype=float) if fits else None


def _values(audit: Results, measure: str, quantity: str) -> Values | None:
    measured = audit.measurements.get(measure)
    return measured.values.get(quantity) if isinstance(measured, Measurement) else None


def _absent(audit: Results, maps: list[HeldMap]) -> tuple[str, ...]:
    """Say which maps are not shown, grouped by reason."""
    shown = [each.kind.quantity for each in maps]
    named: dict[str, list[str]] = {}
    for kind in MAPS:
        if kind.expected and kind.quantity not in shown and audit.texts:
            named.setdefault(_why(audit, kind), []).append(kind.name)
    return tuple(f"Not shown: the {_listed(names)} ({why})." for why, names in named.items())


def _listed(names: list[str]) -> str:
    return f"{join_words(names)} {'maps' if len(names) > 1 else 'map'}"


def _why(audit: Results, kind: Map) -> str:
    measure = kind.measure
    measured = audit.measurements.get(measure)
    if isinstance(measured, NotRun):
        return f"the measure {measure!r} was not run: {measured.reason}"
    if isinstance(measured, Failed):
        return f"the measure {measure!r} failed: {measured.error}"
    if measured is None:
        return f"the measure {measure!r} is not part of this audit"
    if _stored(audit, kind) is None:
        return measured.missing.get(kind.quantity, "not measured")
    return "of other lengths than the texts"
