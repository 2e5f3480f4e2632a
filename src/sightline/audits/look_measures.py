"""What a look takes of each measure, and in which stage; and which texts and maps are compared
after the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from sightline.config.measure_registry import ALWAYS, BY_NAME, MEASURES
from sightline.core.example import Example
from sightline.core.protocols import Measure
from sightline.measures.removal_curves import FEW_DRAWS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.settled import measures_of

STAGES = (0, 1, 2, 3)
"""The stages of a look, all for attention alone: predictions, Transfer, the other required tests,
and the tests that must not fail."""
COMPARISON = 4
"""The stage that applies Transfer and Removal to other maps. It runs if a class may be decided by
absence, or if attention must not be shown."""
BY_REQUEST = 5
"""The stage of measures that do not affect the verdict and were asked for by name."""
MARKED, OTHER_MODELS = "rationale", ("beside", "frozen")
"""The measures that compare maps with marked words, and the model with control models that were
asked for by name."""
DECODING_CHECK = "need"
"""The measure that checks that decoding reproduces the model; without it no test is required."""
COMPARED, SQUARES = 64, 2**18
"""The most texts on which leave-one-out is compared with attention once the verdict is settled, and
the most of the sum of their squared numbers of words. Both apply to models that run each changed
text by itself. If the texts are so long that a test would have too few of them, no map is
compared."""
INSTEAD = ("deletion", "signed_deletion", "given", "signed_given")
"""The maps compared then: leave-one-out, and scores from another tool."""
CANDIDATES = 64
"""The most words of a text that are left out one by one, and among which top words are removed.
Each takes a run of the whole text, so the cost of a text grows with the square of its length
(docs/decisions/0121-fewer-runs.md)."""


def of_the_verdict(one: Measure) -> Measure:
    """Give a copy of a measure with only what the verdict needs: no other maps, nothing that is
    only reported, and at most `CANDIDATES` words of a text.
    """
    return _set(one, rivals_too=False, reported_too=False, candidates=CANDIDATES)


def with_other_maps(one: Measure) -> Measure:
    """Give a copy of a measure that is applied to other maps, too, with no more words of a text than
    before them.
    """
    return _set(one, candidates=CANDIDATES)


def of_some(one: Measure) -> Measure:
    """Give a copy of a measure that compares fewer maps with attention on fewer texts: one partner
    for each donor, and two random orders.
    """
    return _set(one, others=INSTEAD, partners=1, draws=FEW_DRAWS, rivals_too=True, candidates=None)


def _set(one: Measure, **values: object) -> Measure:
    """Set those of the fields that a measure has."""
    settings: Any = one  # measures with such fields are dataclasses
    known = {name: value for name, value in values.items() if hasattr(one, name)}
    changed: Measure = replace(settings, **known) if known else one
    return changed


def most_compared(texts: Sequence[Example], fewest: int) -> int:
    """The number of first texts on which another map is compared; 0 if a test would have too few.

    >>> from sightline.core.example import Example
    >>> [most_compared([Example("", 0, "", ("so",) * n, (), 0)] * 99, 50) for n in (20, 72, 73)]
    [64, 50, 0]
    """
    room = np.cumsum([len(text.tokens) ** 2 for text in texts[:COMPARED]]) <= SQUARES
    return int(room.sum()) if room.sum() >= min(fewest, len(texts)) else 0


def stage_of(code: str) -> int | None:
    """The stage in which a measure is taken; None if it does not affect the verdict."""
    if code == ALWAYS:
        return 0
    claims = [claim for claim in AUDIT_TESTS.values() if code in measures_of(claim)]
    if any(claim.veto == "moved" for claim in claims):
        return 1
    if any(claim.role == "required" for claim in claims) or code == DECODING_CHECK:
        return 2
    if any(claim.bears for claim in claims):
        return 3
    return BY_REQUEST if code in BY_NAME or code not in MEASURES else None


def settings_of(one: Measure) -> tuple[str, str, dict[str, Any]]:
    """Name a measure by everything that its numbers depend on. The number of texts run together is
    left out: it follows from ``--memory``, which may differ on resuming.
    """
    kind: Any = type(one)  # protocols do not declare fields
    named = {
        each.name: _written_out(getattr(one, each.name))
        for each in (fields(kind) if is_dataclass(kind) else ())
        if each.compare and each.name != "tokens_at_once"
    }
    return one.code, type(one).__qualname__, named


def _written_out(value: object) -> str:
    """Write a setting the same way in every process; the order of a set differs between processes."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)
