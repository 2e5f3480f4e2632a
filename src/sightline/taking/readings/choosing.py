"""The reading whose words carry most of the decision, on half of the texts; the other half is left to tell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any

import numpy as np
from jaxtyping import Bool

from sightline.errors import DataError, ModelError
from sightline.example import Example
from sightline.measures.outputs import Outputs
from sightline.results import Estimate, Measurement, Outcome
from sightline.seeds import Seeds, seed_for
from sightline.statistics.contrast import paired
from sightline.taking.measuring import Progress, measure
from sightline.taking.readings.mixture import learned_shares
from sightline.taking.readings.removed import Removed
from sightline.types import Auditable, Showing

LEARNED_FROM = 100
"""Validation texts, at most, that a mixture of heads is learned from."""
FEWEST = 2
"""Texts in a half, below which nothing is chosen."""
TRIED = (Outputs(), Removed())
"""What is measured of the texts that choose."""
ALIKE = 1e-9
"""Readings that differ by less carry the same."""


@dataclass(frozen=True)
class Choice:
    """A model under the reading that was chosen, the texts that had no part in it, and what is to be told."""

    model: Auditable
    rest: tuple[Example, ...]
    told: dict[str, Any]


def choose(
    model: Showing,
    texts: Sequence[Example],
    validation: Sequence[Example],
    seed: int,
    batch_size: int,
    on_progress: Progress,
) -> Choice:
    """Try every reading on half of the texts, one of them a mixture of heads learned on validation texts."""
    taken = half(texts, seed)
    tried, rest = ([text for text, here in zip(texts, taken == side, strict=True) if here] for side in (True, False))
    if min(len(tried), len(rest)) < FEWEST:
        told = f"expected at least {2 * FEWEST} texts to choose a reading on half of them, got {len(texts)}"
        raise DataError(f"{told}; name a reading")
    learned = validation[:LEARNED_FROM]
    shares = learned_shares(model, learned, batch_size) if learned else {}
    known = model.mixed(shares) if shares else model
    carried = _carried(known, tried, seed, batch_size, on_progress)
    best = _first_of_the_best({name: one.value for name, one in carried.items()})
    rows = [{"reading": name, "words": known.told(name)} | asdict(one) for name, one in carried.items()]
    about = {"chosen": best, "texts": len(tried), "learned_from": len(learned), "shares": shares, "tried": rows}
    return Choice(known.under(best), tuple(rest), about)


def half(texts: Sequence[Example], seed: int) -> Bool[np.ndarray, " N"]:
    """Mark half of the texts, drawn by seed and words; copies of a text, and texts of a group, go together."""
    drawn = np.array([seed_for(seed, "readings", text.group or " ".join(text.tokens)) for text in texts])
    return np.asarray(drawn < np.median(drawn))


def _carried(
    model: Showing, texts: Sequence[Example], seed: int, batch_size: int, on_progress: Progress
) -> dict[str, Estimate]:
    """Give for each reading how far it gets from random words to the most there is to lose: the effect of SL-301."""
    outcomes = measure(model, texts, TRIED, {}, Seeds(seed), batch_size, on_progress)
    answers, lost = (_taken(outcomes[name]) for name in ("outputs", "readings"))
    random, most = lost.pop("random"), lost.pop("most")
    clusters, classes = np.unique(answers["cluster"], return_inverse=True)[1], answers["predicted"]
    return {
        name: paired(one, random, seed, ceiling=most, clusters=clusters, classes=classes).score
        for name, one in lost.items()
    }


def _first_of_the_best(values: Mapping[str, float]) -> str:
    """Name the reading with the largest value, the first of several: heads, which can be replaced, come first."""
    most = max((value for value in values.values() if not isnan(value)), default=nan)
    if isnan(most):
        told = (
            "no reading could be compared: deleting words does nothing to these decisions that can be told from chance"
        )
        raise ModelError(told, change="audit more texts, or name a reading")
    return next(name for name, value in values.items() if value >= most - ALIKE)


def _taken(outcome: Outcome) -> dict[str, np.ndarray]:
    if not isinstance(outcome, Measurement):
        told = f"the readings could not be compared: {getattr(outcome, 'error', outcome)}"
        raise ModelError(told, change="name one reading")
    return {name: np.asarray(values) for name, values in outcome.values.items()}
