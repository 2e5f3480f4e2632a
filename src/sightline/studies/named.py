"""Numbers of one run: its estimates by their names, and what a measure keeps of each text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float

from sightline.audits import Audit
from sightline.results import Bracket, Measurement, Ragged
from sightline.statistics.intervals import Bounds
from sightline.studies.lines import Found

SHARE: Bounds = (0.0, 1.0)
TAU: Bounds = (-1.0, 1.0)
LOG_2: Bounds = (0.0, math.log(2))
"""How far apart two distributions may be by JSD, in nats."""
BESIDE = {"JSD of attention": "beside.jsd.base", "TVD of answers": "beside.tvd.base"}
"""How far an adversary is from its base."""


def named(names: Mapping[str, tuple[str, str]], bounds: Bounds = None) -> Callable[[Audit], Mapping[str, Found]]:
    """Take estimates of an audit, each with the one that is its floor; those that it does not have are left out."""

    def numbers(audit: Audit) -> Mapping[str, Found]:
        known = audit.estimates
        return {
            told: Found(known[name], known.get(floor), bounds) for told, (name, floor) in names.items() if name in known
        }

    return numbers


def how_far(names: Mapping[str, str] = BESIDE) -> Callable[[Audit], Mapping[str, Found]]:
    """Take how far a model is from another: attention by JSD, answers by total variation; each has its own most."""

    def numbers(audit: Audit) -> Mapping[str, Found]:
        known = {told: name for told, name in names.items() if name in audit.estimates}
        return {
            told: Found(audit.estimates[name], None, LOG_2 if name.startswith("beside.jsd.") else SHARE)
            for told, name in known.items()
        }

    return numbers


def numbers_of(audit: Audit, code: str) -> Mapping[str, Float[np.ndarray, "N ..."]]:
    """Give what a measure keeps of each text; what has a number a word, or two sides, is left out."""
    measured = audit.measurements[code]
    assert isinstance(measured, Measurement), measured
    plain = {name: one for name, one in measured.values.items() if not isinstance(one, Ragged | Bracket)}
    return {name: np.asarray(one, dtype=float) for name, one in plain.items()}
